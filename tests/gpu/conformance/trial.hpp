// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A call with its memory on the device: outputs are poisoned before, and what lies around them may not change.

#include "check.hpp"
#include "row.hpp"
#include "site.hpp"

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace conformance {

/// A job whose ranges lie in the device's memory, so many elements behind a boundary of 512 bytes.
template <class Type>
class trial {
 public:
  trial(site& here, job<Type>&& given, std::size_t shift = 0) : here_(here), job_(std::move(given)) {
    const std::size_t bytes = 2 * guard + shift * sizeof(Type);
    in_ = reinterpret_cast<Type*>(here.room(bytes + job_.given.size() * sizeof(Type)) + guard) + shift;
    out_ = reinterpret_cast<Type*>(here.room(bytes + job_.after.size() * sizeof(Type)) + guard) + shift;
    fill();
  }
  trial(trial&&) = default;

  /// For another call with other values; of the same lengths.
  void refill(job<Type>&& given) {
    job_ = std::move(given);
    fill();
  }
  /// Once more: what the output held before.
  void fill() {
    must(cudaMemsetAsync(image(), 0xEE, image_bytes(), here_.stream()), "cudaMemsetAsync");
    put(out_, job_.before);
    put(in_, job_.given);
  }

  template <class Op>
  void call(stream_communicator& on, const row<Type, Op>& by, const Op& op) const {
    by.call(on, job_, in_, out_, op);
  }
  template <class Op>
  void call(const row<Type, Op>& by, const Op& op) const {
    call(here_.on(), by, op);
  }

  /// After the stream has run dry.
  void verify(const char* collective, const char* algorithm, const char* type, const char* op) const {
    std::vector<std::byte> found(image_bytes());
    get(found.data(), image(), found.size());
    const std::size_t bytes = job_.after.size() * sizeof(Type);
    std::size_t around = found.size();
    for (std::size_t i = 0; i < guard && around == found.size(); ++i)
      if (found[i] != std::byte{0xEE} || found[guard + bytes + i] != std::byte{0xEE}) around = i;
    std::size_t wrong = job_.after.size();
    if (bytes != 0 && std::memcmp(found.data() + guard, job_.after.data(), bytes) != 0)
      for (wrong = 0; std::memcmp(found.data() + guard + wrong * sizeof(Type), &job_.after[wrong], sizeof(Type)) == 0;)
        ++wrong;
    const bool right = wrong == job_.after.size();
    std::uint64_t got = 0, wanted = 0;
    constexpr std::size_t shown = sizeof(Type) < 8 ? sizeof(Type) : 8;
    if (!right) {
      std::memcpy(&got, found.data() + guard + wrong * sizeof(Type), shown);
      std::memcpy(&wanted, &job_.after[wrong], shown);
    }
    check(right && around == found.size(),
          "%s by %s of %s, %s, rank %d of %d, root %d, %zu in, %zu out%s: %s at element %zu: %llx, expected %llx",
          collective, algorithm, type, op, here_.rank(), here_.size(), job_.at.root, job_.given.size(),
          job_.after.size(), job_.in_place ? ", in place" : "", right ? "wrote beside its output" : "wrong", wrong,
          static_cast<unsigned long long>(got), static_cast<unsigned long long>(wanted));
    if (job_.in_place || job_.given.size() > 5000) return;
    std::vector<Type> input(job_.given);
    get(input.data(), in_, input.size() * sizeof(Type));
    check(input.empty() || std::memcmp(input.data(), job_.given.data(), input.size() * sizeof(Type)) == 0,
          "%s by %s of %s, %s, rank %d of %d, %zu elements: changed its input", collective, algorithm, type, op,
          here_.rank(), here_.size(), input.size());
  }

  std::vector<Type> output() const {
    std::vector<Type> found(job_.after);
    get(found.data(), out_, found.size() * sizeof(Type));
    return found;
  }
  /// A number that depends on every bit of the output.
  std::uint64_t print() const {
    const std::vector<Type> found = output();
    std::uint64_t print = found.size();
    const auto* bytes = reinterpret_cast<const unsigned char*>(found.data());
    for (std::size_t i = 0; i < found.size() * sizeof(Type); ++i) print = (print ^ bytes[i]) * 1099511628211ull;
    return print;
  }

 private:
  static constexpr std::size_t guard = 512;
  std::byte* image() const { return reinterpret_cast<std::byte*>(out_) - guard; }
  std::size_t image_bytes() const { return 2 * guard + job_.after.size() * sizeof(Type); }

  void put(Type* to, const std::vector<Type>& values) const {
    if (values.empty()) return;
    must(cudaMemcpyAsync(to, values.data(), values.size() * sizeof(Type), cudaMemcpyHostToDevice, here_.stream()),
         "cudaMemcpyAsync");
  }
  void get(void* to, const void* from, std::size_t bytes) const {
    if (bytes != 0) must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, here_.stream()), "cudaMemcpyAsync");
    must(cudaStreamSynchronize(here_.stream()), "cudaStreamSynchronize");
  }

  site& here_;
  job<Type> job_;
  Type *in_ = nullptr, *out_ = nullptr;
};

/// One call of each row with the same job.
template <class Type, class Op>
void try_rows(site& here, const std::vector<row<Type, Op>>& rows, const job<Type>& given, std::size_t shift,
              const char* type, const Op& op, const char* op_name) {
  here.clear();
  trial<Type> one(here, job<Type>(given), shift);
  for (const auto& by : rows) {
    one.fill();
    one.call(by, op);
    here.on().synchronize();
    one.verify(by.collective, by.algorithm, type, op_name);
  }
}

/// All roots where calls are short, else the last one.
inline std::vector<int> roots(bool rooted, int size, std::size_t n) {
  std::vector<int> some;
  for (int root = 0; rooted && n <= 5000 && root < size; ++root) some.push_back(root);
  if (some.empty()) some.push_back(rooted ? size - 1 : 0);
  return some;
}

}  // namespace conformance
