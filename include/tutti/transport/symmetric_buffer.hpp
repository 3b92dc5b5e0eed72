// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/transport/shared_communicator.hpp>

#include <cstddef>
#include <type_traits>

namespace tutti {

/// n elements in memory that all ranks of a communicator share, zero at first. Contiguous like a vector;
/// freed by its destructor, which needs no peer. The communicator must outlive it.
template <class Element>
class symmetric_buffer {
 public:
  symmetric_buffer(const detail::region& where, std::size_t block, std::size_t offset, std::size_t count)
      : region_(&where), block_(block), offset_(offset), count_(count) {}
  symmetric_buffer(symmetric_buffer&& other) noexcept
      : region_(other.region_), block_(other.block_), offset_(other.offset_), count_(other.count_) {
    other.region_ = nullptr;
    other.count_ = 0;
  }
  symmetric_buffer& operator=(symmetric_buffer&&) = delete;
  ~symmetric_buffer() {
    if (region_ == nullptr) return;
    region_->punch(offset_, detail::round_up(count_ * sizeof(Element), detail::page_bytes));
    detail::shared_heap(*region_).let_go(block_);
  }

  Element* data() const { return region_ == nullptr ? nullptr : reinterpret_cast<Element*>(region_->base() + offset_); }
  std::size_t size() const { return count_; }
  Element* begin() const { return data(); }
  Element* end() const { return data() + count_; }
  Element& operator[](std::size_t i) const { return data()[i]; }

 private:
  const detail::region* region_;
  std::size_t block_;  // that all ranks' parts lie in
  std::size_t offset_;
  std::size_t count_;
};

namespace detail {

struct allocate_tag {
  static constexpr const char* name = "allocate";
};

/// Collective: every rank asks for the same count. Where one rank gets no memory all ranks throw.
template <class Element>
symmetric_buffer<Element> allocate_symmetric(shared_communicator& comm, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<Element> && std::is_trivially_destructible_v<Element>,
                "tutti: shared memory holds trivially copyable types only");
  static_assert(alignof(Element) <= page_bytes);
  if (count > (std::size_t(1) << 62) / sizeof(Element))
    fail(errc::bad_argument, comm.rank(), "allocate on rank %d: %zu elements of %zu bytes are too many", comm.rank(),
         count, sizeof(Element));
  comm.expect_active("allocate");
  const region& where = comm.world().memory_region();
  const std::size_t each = round_up(count == 0 ? 1 : count * sizeof(Element), page_bytes);
  static constexpr auto call = signature_of<allocate_tag, Element, allocate_tag, allocate_tag>();
  const descriptor described = describe(call, count, sizeof(Element), 0, 0);

  const auto refuse = [&](int poor, int reason) {
    fail(errc::resource, poor, "allocate on rank %d: rank %d got no memory for %zu bytes: %s", comm.rank(), poor,
         count * sizeof(Element), std::strerror(reason));
  };

  // Rank 0 takes the block; all hear where it is, or errno, which is less than any block: those begin at pages.
  std::size_t block = 0;
  int system = 0;
  if (comm.rank() == 0 && each <= (std::size_t(1) << 62) / std::size_t(comm.size()))
    block = comm.world().heap().take(each * std::size_t(comm.size()), comm.size(), system);
  if (block == 0) block = std::size_t(system);
  comm.drive([&] { return comm.try_begin(described, block); });
  if (comm.rank() != 0) {
    comm.drive_pending([&] { return comm.joined(0) ? progress::done : progress::waiting; });
    block = std::size_t(comm.payload_of(0));
  }
  if (block == 0)
    fail(errc::resource, comm.rank(), "allocate on rank %d: %zu bytes a rank asked, %zu left in the shared region",
         comm.rank(), each, comm.world().heap().left());
  if (block < page_bytes) refuse(0, int(block));
  const std::size_t offset = block + std::size_t(comm.rank()) * each;
  const int reason = where.commit(offset, count * sizeof(Element) == 0 ? 0 : each);
  comm.drive([&] { return comm.try_begin(described, std::uint64_t(reason)); });
  int poor = reason == 0 ? -1 : comm.rank();
  std::uint64_t why = std::uint64_t(reason);
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    comm.drive_pending([&] { return comm.joined(peer) ? progress::done : progress::waiting; });
    if (poor < 0 && comm.payload_of(peer) != 0) {
      poor = peer;
      why = comm.payload_of(peer);
    }
  }
  symmetric_buffer<Element> buffer(where, block, offset, count);
  if (poor >= 0) refuse(poor, int(why));
  return buffer;
}

}  // namespace detail
}  // namespace tutti
