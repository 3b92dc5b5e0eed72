// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/mpi_communicator.hpp>
#include <tutti/transport/mpi_tune.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti {

/// n elements of this rank's own, zero at first; what allocate gives where ranks share no memory.
template <class Element>
class own_buffer {
 public:
  explicit own_buffer(std::size_t count)
      : data_(static_cast<Element*>(::operator new(count * sizeof(Element), alignment))), count_(count) {
    if (count != 0) std::memset(static_cast<void*>(data_), 0, count * sizeof(Element));
  }
  own_buffer(own_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  own_buffer& operator=(own_buffer&&) = delete;
  ~own_buffer() { ::operator delete(data_, alignment); }

  Element* data() const { return data_; }
  std::size_t size() const { return count_; }
  Element* begin() const { return data_; }
  Element* end() const { return data_ + count_; }
  Element& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::align_val_t alignment{4096};
  Element* data_;
  std::size_t count_;
};

namespace detail {

struct mpi_split_tag {
  static constexpr const char* name = "split";
};
struct mpi_allocate_tag {
  static constexpr const char* name = "allocate";
};

/// A rank over MPI, of a world or of a part of one.
class mpi_member : public mpi_communicator {
 public:
  /// What a part of a communicator is made of.
  struct membership {
    mpi_handle own;
    std::uint64_t group = 0;
    std::vector<int> members{};  // ranks of the world
    std::vector<int> colors{};   // of all ranks of the parent
    std::vector<int> parents{};  // the members' ranks there
  };

  /// All ranks of anything that MPI knows as a communicator, which stays the caller's. Collective.
  explicit mpi_member(MPI_Comm everybody) : mpi_member(everybody, guide::from_environment(usual_model)) {}
  mpi_member(MPI_Comm everybody, const guide& by) : mpi_member(std::make_shared<mpi_world>(everybody), everybody) {
    go_by(agreed_guide(by, native_handle(), 1, usual_model));
  }
  /// Of a world: collective. What is unwound by an exception leaves at once, and the others hear of it.
  ~mpi_member() {
    if (!closes_) return;
    if (std::uncaught_exceptions() > exceptions_)
      world()->record(errc::peer_failed, world_rank(), "an exception has ended its use of the communicator");
    world()->close(timeout_ns());
  }

  /// Memory for collectives, as the transports with shared memory have it. Every rank asks for the same count.
  template <class Element>
  own_buffer<Element> allocate(std::size_t count) {
    agree_to_allocate<Element>(count);
    return own_buffer<Element>(count);
  }
  /// Throws where one rank asks for another count.
  template <class Element>
  void agree_to_allocate(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<Element> && std::is_trivially_destructible_v<Element>,
                  "tutti: a buffer of a communicator holds trivially copyable types only");
    expect_active("allocate");
    if (count > (std::size_t(1) << 62) / sizeof(Element))
      fail(errc::bad_argument, rank(), "allocate on rank %d: %zu elements of %zu bytes are too many", rank(), count,
           sizeof(Element));
    static constexpr auto call = signature_of<mpi_allocate_tag, Element, mpi_allocate_tag, mpi_allocate_tag>();
    meet(describe(call, count, sizeof(Element), 0, 0), 0);
  }

  /// The colors that this communicator was made by: of all ranks of its parent.
  const std::vector<int>& colors_at_birth() const { return colors_; }
  /// Its ranks there.
  const std::vector<int>& parents_ranks() const { return parents_; }

 protected:
  mpi_member(const mpi_member& parent, membership&& group)
      : mpi_communicator(parent.world(), std::move(group.own), group.group, std::move(group.members)),
        colors_(std::move(group.colors)),
        parents_(std::move(group.parents)) {
    take_habits(parent);
    go_by(parent.model_origin());
  }

  /// Collective: the ranks of one color become a group, in the order of their keys, then of their ranks. A negative
  /// color is in no group.
  membership form_group(int color, int key) {
    expect_active("split");
    struct wish {
      std::int32_t color, key;
    };
    const wish mine{color, key};
    std::uint64_t word;
    std::memcpy(&word, &mine, sizeof word);
    static constexpr auto call = signature_of<mpi_split_tag, int, mpi_split_tag, mpi_split_tag>();
    meet(describe(call, 0, sizeof(int), 0, 0), word);

    membership made;
    made.group = mix(mix(group(), ++groups_made_), std::uint64_t(color) + 1);
    std::vector<int> keys;
    for (int peer = 0; peer < size(); ++peer) {
      word = payload_of(peer);
      wish theirs;
      std::memcpy(&theirs, &word, sizeof theirs);
      made.colors.push_back(theirs.color);
      if (color < 0 || theirs.color != color) continue;
      std::size_t at = keys.size();
      while (at > 0 && keys[at - 1] > theirs.key) --at;
      keys.insert(keys.begin() + std::ptrdiff_t(at), theirs.key);
      made.members.insert(made.members.begin() + std::ptrdiff_t(at), world_rank(peer));
      made.parents.insert(made.parents.begin() + std::ptrdiff_t(at), peer);
    }
    // All ranks are here, so this doesn't wait for long.
    MPI_Comm part = MPI_COMM_NULL;
    expect_mpi(MPI_Comm_split(native_handle(), color < 0 ? MPI_UNDEFINED : color, key, &part), rank(),
               "MPI_Comm_split");
    return {mpi_handle(part), made.group, std::move(made.members), std::move(made.colors), std::move(made.parents)};
  }

 private:
  mpi_member(std::shared_ptr<mpi_world> world, MPI_Comm everybody)
      : mpi_communicator(world, mpi_handle(duplicate_of(everybody)), world->number(), all_of(*world)), closes_(true) {}

  static MPI_Comm duplicate_of(MPI_Comm everybody) {
    MPI_Comm own = MPI_COMM_NULL;
    expect_mpi(MPI_Comm_dup(everybody, &own), -1, "MPI_Comm_dup");
    return own;
  }
  static std::vector<int> all_of(const mpi_world& world) {
    std::vector<int> ranks;
    for (int rank = 0; rank < world.size(); ++rank) ranks.push_back(rank);
    return ranks;
  }

  /// Everybody calls this, and brings a word.
  void meet(const descriptor& call, std::uint64_t word) {
    drive([&] { return try_begin(call, word); });
    int peer = 0;
    drive_pending([&] {
      for (; peer < size(); ++peer)
        if (peer != rank() && !joined(peer)) return progress::waiting;
      return progress::done;
    });
  }

  bool closes_ = false;
  int exceptions_ = std::uncaught_exceptions();
  std::uint64_t groups_made_ = 0;
  std::vector<int> colors_, parents_;
};

}  // namespace detail
}  // namespace tutti
