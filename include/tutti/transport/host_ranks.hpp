// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/concepts.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace tutti::detail {

struct host_words_tag {
  static constexpr const char* name = "nccl::communicator";
};

/// The ranks behind a device communicator, over whatever they speak on the host: they tell each other words.
class host_ranks {
 public:
  virtual ~host_ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual double timeout() const = 0;
  /// Everybody's word, by rank. Collective.
  virtual void exchange(std::uint64_t word, std::uint64_t* all) = 0;
  /// As split of a communicator; null where this rank is in no group. Collective.
  virtual std::unique_ptr<host_ranks> split(int color, int key) = 0;
  /// Looks whether its peers live; throws where not.
  virtual void look() = 0;

  /// Everybody's value of some words' length.
  template <class Value>
  std::vector<Value> exchange_values(const Value& mine) {
    static_assert(std::is_trivially_copyable_v<Value>);
    constexpr std::size_t words = (sizeof(Value) + 7) / 8;
    std::vector<std::uint64_t> own(words), all(words * std::size_t(size()));
    std::memcpy(own.data(), &mine, sizeof mine);
    for (std::size_t i = 0; i < words; ++i) exchange(own[i], all.data() + i * std::size_t(size()));
    std::vector<Value> values(std::size_t(size()), mine);
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
      for (std::size_t i = 0; i < words; ++i) own[i] = all[i * values.size() + rank];
      std::memcpy(static_cast<void*>(&values[rank]), own.data(), sizeof(Value));
    }
    return values;
  }
};

/// Over a communicator of the host, which must outlive it.
template <communicator_like Communicator>
class host_ranks_over : public host_ranks {
 public:
  explicit host_ranks_over(Communicator& comm) : comm_(comm) {}

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  double timeout() const override { return comm_.timeout(); }
  void exchange(std::uint64_t word, std::uint64_t* all) override {
    static constexpr auto call = signature_of<host_words_tag, std::uint64_t, host_words_tag, host_words_tag>();
    const auto described = describe(call, 1, sizeof word, 0, 0);
    comm_.drive([&] { return comm_.try_begin(described, word); });
    int peer = 0;
    comm_.drive_pending([&] {
      for (; peer < comm_.size(); ++peer)
        if (peer != comm_.rank() && !comm_.joined(peer)) return progress::waiting;
      return progress::done;
    });
    for (int r = 0; r < comm_.size(); ++r) all[r] = r == comm_.rank() ? word : comm_.payload_of(r);
  }
  std::unique_ptr<host_ranks> split(int color, int key) override;
  void look() override {
    // A step that is never done lets the communicator look around: it throws where somebody has failed.
    comm_.drive_for([] { return progress::waiting; }, 2000000);
  }

 private:
  Communicator& comm_;
};

template <class Communicator>
struct host_part_owner {
  Communicator part;
  host_part_owner(Communicator& parent, int color, int key) : part(parent.split(color, key)) {}
};
/// Over a part of one, which goes with it.
template <communicator_like Communicator>
class host_part final : host_part_owner<Communicator>, public host_ranks_over<Communicator> {
 public:
  host_part(Communicator& parent, int color, int key)
      : host_part_owner<Communicator>(parent, color, key),
        host_ranks_over<Communicator>(host_part_owner<Communicator>::part) {}
};

template <communicator_like Communicator>
std::unique_ptr<host_ranks> host_ranks_over<Communicator>::split(int color, int key) {
  auto part = std::make_unique<host_part<Communicator>>(comm_, color, key);
  if (color < 0) return nullptr;
  return part;
}

}  // namespace tutti::detail
