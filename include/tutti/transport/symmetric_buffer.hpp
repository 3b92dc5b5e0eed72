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
  symmetric_buffer(const detail::region& where, std::size_t offset, std::size_t count)
      : region_(&where), offset_(offset), count_(count) {}
  symmetric_buffer(symmetric_buffer&& other) noexcept
      : region_(other.region_), offset_(other.offset_), count_(other.count_) {
    other.region_ = nullptr;
    other.count_ = 0;
  }
  symmetric_buffer& operator=(symmetric_buffer&&) = delete;
  ~symmetric_buffer() {
    if (region_ != nullptr) region_->punch(offset_, detail::round_up(count_ * sizeof(Element), detail::page_bytes));
  }

  Element* data() const { return region_ == nullptr ? nullptr : reinterpret_cast<Element*>(region_->base() + offset_); }
  std::size_t size() const { return count_; }
  Element* begin() const { return data(); }
  Element* end() const { return data() + count_; }
  Element& operator[](std::size_t i) const { return data()[i]; }

 private:
  const detail::region* region_;
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
  const std::size_t offset = comm.reserve_heap(count * sizeof(Element));
  const region& where = comm.world().memory_region();
  const int reason = where.commit(offset, round_up(count * sizeof(Element), page_bytes));
  static constexpr auto call = signature_of<allocate_tag, Element, allocate_tag, allocate_tag>();
  const descriptor described = describe(call, count, sizeof(Element), 0, 0);
  comm.drive([&] { return comm.try_begin(described, std::uint64_t(reason)); });
  int poor = reason == 0 ? -1 : comm.rank();
  std::uint64_t why = std::uint64_t(reason);
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    comm.drive([&] { return comm.joined(peer) ? progress::done : progress::waiting; });
    if (poor < 0 && comm.payload_of(peer) != 0) {
      poor = peer;
      why = comm.payload_of(peer);
    }
  }
  symmetric_buffer<Element> buffer(where, offset, count);
  if (poor >= 0)
    fail(errc::resource, poor, "allocate on rank %d: rank %d got no memory for %zu bytes: %s", comm.rank(), poor,
         count * sizeof(Element), std::strerror(int(why)));
  return buffer;
}

}  // namespace detail
}  // namespace tutti
