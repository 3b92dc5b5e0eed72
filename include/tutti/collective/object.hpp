// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/all_gather.hpp>
#include <tutti/collective/all_to_all.hpp>
#include <tutti/collective/broadcast.hpp>
#include <tutti/collective/by_count.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/collective/gather.hpp>
#include <tutti/collective/object_call.hpp>
#include <tutti/collective/scatter.hpp>
#include <tutti/collective/send_recv.hpp>
#include <tutti/core/parcel.hpp>
#include <tutti/object/bytes.hpp>
#include <tutti/object/codec.hpp>

#include <cstddef>
#include <vector>

namespace tutti {

// Collectives of objects: of whatever pack (object/codec.hpp) makes bytes of, of any length on any rank.
//
// All ranks of comm call them, in the same order, with the same type and root; all wait for all. Where a rank can't go
// on (its serialize() throws, it gives a wrong number of values), it throws that, and the others get peer_failed
// instead of waiting: in this call, or in their next one where they have all that they need. After that comm can't be
// used. Throws tutti::error: bad_argument, also for bytes that are no such object; mismatch; peer_failed, timeout,
// resource; and what serialize() throws. Cost: one operation more than the collective of the bytes, in which the ranks
// compare types and learn lengths; one copy into bytes, one out of them.

/// Gives every rank the root's object: value is read at the root, overwritten elsewhere.
template <class Communicator, class Type>
void broadcast_object(Communicator& comm, Type& value, int root = 0) {
  using call = detail::object_call::broadcast;
  if constexpr (detail::can_overwrite_object<Communicator, Type>()) {
    detail::expect_root(comm, call::name, root);
    const bool here = comm.rank() == root;
    packed bytes;
    if (here)
      detail::pack_objects<call>(
          comm, [&](byte_writer& out) { tutti::encode(out, value); }, bytes);
    const auto lengths = detail::agree_on_objects<call, Type>(comm, bytes.size(), root);
    if (!here) bytes = packed(lengths[std::size_t(root)]);
    broadcast(comm, bytes, root);
    if (!here) detail::unpack_objects<call>(comm, [&] { tutti::unpack_into(bytes, value); });
  }
}

/// Every rank gets the objects of all, by rank; its own as a copy.
template <class Communicator, class Type>
std::vector<Type> all_gather_object(Communicator& comm, const Type& value) {
  using call = detail::object_call::all_gather;
  std::vector<Type> all;
  if constexpr (detail::can_return_object<Communicator, Type>()) {
    detail::expect_member(comm, call::name);
    packed mine;
    detail::pack_objects<call>(
        comm, [&](byte_writer& out) { tutti::encode(out, value); }, mine);
    const auto lengths = detail::agree_on_objects<call, Type>(comm, mine.size(), 0);
    packed whole(detail::total(lengths));
    all_gather_v(comm, mine, whole);
    detail::unpack_by_rank<call>(comm, whole, lengths, all);
  }
  return all;
}

/// The root gets the objects of all, by rank; the others get none.
template <class Communicator, class Type>
std::vector<Type> gather_object(Communicator& comm, const Type& value, int root = 0) {
  using call = detail::object_call::gather;
  std::vector<Type> all;
  if constexpr (detail::can_return_object<Communicator, Type>()) {
    detail::expect_root(comm, call::name, root);
    packed mine, whole;
    detail::pack_objects<call>(
        comm, [&](byte_writer& out) { tutti::encode(out, value); }, mine);
    const auto lengths = detail::agree_on_objects<call, Type>(comm, mine.size(), root);
    const bool here = comm.rank() == root;
    if (here) whole = packed(detail::total(lengths));
    gather_v(comm, mine, whole, root);
    if (here) detail::unpack_by_rank<call>(comm, whole, lengths, all);
  }
  return all;
}

/// Rank r gets object r of the root's range, which has one for each rank; elsewhere it isn't looked at and may be
/// empty. Costs two small operations more: the second tells each rank its length.
template <class Communicator, class Values>
detail::object_in<Values> scatter_object(Communicator& comm, const Values& values, int root = 0) {
  using call = detail::object_call::scatter;
  using type = detail::object_in<Values>;
  if constexpr (detail::can_return_object<Communicator, type>()) {
    detail::expect_root(comm, call::name, root);
    packed all;
    std::vector<std::size_t> lengths;
    if (comm.rank() == root) lengths = detail::pack_one_each<call>(comm, values, all);
    detail::agree_on_objects<call, type>(comm, all.size(), root);
    std::size_t length[1];
    scatter(comm, lengths, length, root);
    packed mine(length[0]);
    scatter_v(comm, all, mine, root);
    return detail::unpack_one<call, type>(comm, mine);
  }
}

/// Object d of a rank's range goes to rank d; returns what the ranks sent here, by rank. The range has one for each
/// rank. Costs two small operations more: the second tells the lengths.
template <class Communicator, class Values>
std::vector<detail::object_in<Values>> all_to_all_object(Communicator& comm, const Values& values) {
  using call = detail::object_call::all_to_all;
  using type = detail::object_in<Values>;
  std::vector<type> all;
  if constexpr (detail::can_return_object<Communicator, type>()) {
    detail::expect_member(comm, call::name);
    packed mine;
    const auto sent = detail::pack_one_each<call>(comm, values, mine);
    detail::agree_on_objects<call, type>(comm, mine.size(), 0);
    std::vector<packed> received(sent.size());
    detail::swap_by_count<automatic, default_chunking, Communicator, std::byte>(
        comm,
        [&](std::size_t to) {
          std::size_t first = 0;
          for (std::size_t rank = 0; rank < to; ++rank) first += sent[rank];
          return detail::view<const std::byte>{mine.data() + first, sent[to]};
        },
        [&](std::size_t from, std::size_t length) {
          received[from] = packed(length);
          return detail::view<std::byte>{received[from].data(), length};
        });
    detail::unpack_objects<call>(comm, [&] {
      for (const packed& one : received) all.push_back(tutti::unpack<type>(one));
    });
  }
  return all;
}

/// Sends an object to a rank, as send does. What serialize() throws is thrown before anything is sent: the peers don't
/// hear of it.
template <class Communicator, class Type>
void send_object(Communicator& comm, int to, const Type& value, int tag = 0) {
  if constexpr (detail::can_send<Communicator>()) {
    detail::expect_peer(comm, "send_object", "to", to);
    packed bytes;
    detail::name_the_call(comm, "send_object", [&] { bytes = tutti::pack(value); });
    auto one = detail::parcel_of_object<Type>(to, tag);
    one.data = bytes.data();
    one.bytes = bytes.size();
    one.until_matched = comm.sends_block();
    comm.post(one, true);
    comm.wait(one, true, -1);
  }
}

/// Receives the oldest message with that tag from a rank, which must be an object of this type:
/// recv_object<std::string>(comm, from). Bytes that are no such object have been received all the same.
template <class Type, class Communicator>
Type recv_object(Communicator& comm, int from, int tag = 0) {
  if constexpr (detail::can_send<Communicator>()) {
    detail::expect_peer(comm, "recv_object", "from", from);
    packed bytes;
    auto one = detail::parcel_of_object<Type>(from, tag);
    one.owner = &bytes;
    one.room = [](detail::parcel& self, std::size_t length) {
      auto& room = *static_cast<packed*>(self.owner);
      room = packed(length);
      return room.data();
    };
    comm.post(one, false);
    comm.wait(one, false, -1);
    return detail::name_the_call(comm, "recv_object", [&] { return tutti::unpack<Type>(bytes); });
  }
}

}  // namespace tutti
