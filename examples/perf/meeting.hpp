// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/all_reduce.hpp>
#include <tutti/collective/barrier.hpp>
#include <tutti/core/clock.hpp>
#include <tutti/op/arithmetic.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perf {

/// The ranks of a run, over whatever they speak: what the program itself needs of a communicator.
class meeting {
 public:
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void barrier() = 0;
  /// Of all ranks, place by place.
  virtual void largest(std::vector<double>& values) = 0;
  virtual std::uint64_t sum(std::uint64_t value) = 0;
  /// Memory that all ranks share, zero; null where the transport has none to give. Collective.
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) = 0;
  /// Memory of this rank alone, zero.
  virtual std::shared_ptr<std::byte> plain(std::size_t bytes) {
    std::shared_ptr<std::byte> memory(new std::byte[bytes + 1], std::default_delete<std::byte[]>());
    std::memset(memory.get(), 0, bytes);
    return memory;
  }
  /// What the ranks run on, and what these are driven by, in words; empty where that is processors.
  virtual std::string devices() const { return ""; }
  virtual std::string libraries() const { return ""; }

  /// How long the shortest of a few barriers takes, in nanoseconds: where the cores are today. Collective.
  double pulse() {
    double shortest = 1e18;
    for (int i = 0; i < 4; ++i) {
      const auto start = tutti::detail::now_ns();
      barrier();
      const double time = double(tutti::detail::now_ns() - start);
      if (time < shortest) shortest = time;
    }
    return shortest;
  }

  /// For those that know its type by the name of the transport.
  void* communicator() const { return comm_; }
  const std::string& transport() const { return transport_; }

 protected:
  meeting(std::string transport, void* comm) : transport_(std::move(transport)), comm_(comm) {}
  ~meeting() = default;

 private:
  std::string transport_;
  void* comm_;
};

/// Known: by what type those that know the transport take it.
template <class Communicator, class Known = Communicator>
class meeting_over final : public meeting {
 public:
  meeting_over(std::string transport, Communicator& comm)
      : meeting(std::move(transport), static_cast<Known*>(&comm)), comm_(comm) {}
  /// What is measured is another one, of the same ranks.
  meeting_over(std::string transport, Communicator& comm, void* measured)
      : meeting(std::move(transport), measured), comm_(comm) {}
  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  void barrier() override { tutti::barrier(comm_); }
  void largest(std::vector<double>& values) override { tutti::all_reduce(comm_, values, tutti::max{}); }
  std::uint64_t sum(std::uint64_t value) override {
    std::uint64_t total[] = {value};
    tutti::all_reduce(comm_, total, tutti::sum{});
    return total[0];
  }
  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    if constexpr (requires { comm_.template allocate<std::byte>(bytes); }) {
      auto memory = std::make_shared<decltype(comm_.template allocate<std::byte>(bytes))>(
          comm_.template allocate<std::byte>(bytes));
      return {memory, memory->data()};
    } else {
      return nullptr;
    }
  }

 private:
  Communicator& comm_;
};

}  // namespace perf
