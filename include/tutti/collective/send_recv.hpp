// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/buffer.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/parcel.hpp>
#include <tutti/core/type_name.hpp>
#include <tutti/engine/execute.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace tutti {

/// Messages between two ranks, beside the collectives: post begins to move a parcel, wait waits for it.
template <class Type>
concept parcel_transport = communicator_like<Type> && requires(Type& comm, detail::parcel& one) {
  comm.post(one, true);
  { comm.wait(one, true, std::int64_t{}) } -> std::same_as<bool>;
  { comm.withdraw(one) } -> std::same_as<bool>;
  comm.drop(one);
  { comm.sends_block() } -> std::same_as<bool>;
};

namespace detail {

template <class Communicator>
constexpr bool can_send() {
  constexpr bool can = parcel_transport<Communicator> || stream_transport<Communicator>;
  static_assert(can, "tutti: the first argument must be a communicator of tutti that can send and receive");
  return can;
}

template <class Communicator>
void expect_peer(const Communicator& comm, const char* call, const char* argument, int peer) {
  if (comm.size() == 0)
    fail(errc::bad_argument, -1, "%s on a communicator of a group that this process is not in", call);
  if (peer < 0 || peer >= comm.size())
    fail(errc::bad_argument, comm.rank(), "%s on rank %d: %s is %d, expected at least 0 and below the size %d", call,
         comm.rank(), argument, peer, comm.size());
}

/// On a stream a message is the library's below, which knows no tags.
template <class Communicator>
void expect_no_tag(const Communicator& comm, const char* call, int tag) {
  if (tag != 0)
    fail(errc::bad_argument, comm.rank(), "%s on rank %d: tag is %d, but messages on a stream have none: 0 expected",
         call, comm.rank(), tag);
}

/// A parcel on the stack: an error on the way must not leave it with the transport.
template <class Communicator>
class sent_now {
 public:
  sent_now(Communicator& comm, parcel& one, bool sends) : comm_(comm), one_(one), sends_(sends) {
    comm.post(one, sends);
  }
  sent_now(const sent_now&) = delete;
  sent_now& operator=(const sent_now&) = delete;
  ~sent_now() { comm_.drop(one_); }
  void wait() { comm_.wait(one_, sends_, -1); }

 private:
  Communicator& comm_;
  parcel& one_;
  bool sends_;
};

template <class Element>
parcel parcel_of(int peer, view<Element> data, int tag) {
  using plain = std::remove_const_t<Element>;
  parcel one;
  one.peer = peer;
  one.tag = tag;
  one.data = reinterpret_cast<std::byte*>(const_cast<plain*>(data.data));  // a send only reads it
  one.bytes = data.count * sizeof(Element);
  one.element_bytes = sizeof(Element);
  one.type = type_name<plain>().hash() ^ sizeof(Element);
  return one;
}

}  // namespace detail

/// Sends data to a rank. Messages of one tag between two ranks arrive in order; a recv takes the oldest of its tag.
/// Returns when data may change: maybe before the receiver has it, maybe only then.
///
/// data   read; the receiver's range must have the same length and element type.
/// On a stream it is enqueued and may wait, with all behind it, until the receiver's stream has come to its recv; tags
/// are 0, and lengths that differ are not noticed.
/// Throws tutti::error: bad_argument; mismatch, at the receiver; peer_failed, timeout, resource.
/// Cost   one copy in, one out.
template <class Communicator, contiguous_range Data>
void send(Communicator& comm, int to, Data&& data, int tag = 0) {
  if constexpr (detail::can_send<Communicator>()) {
    detail::expect_peer(comm, "send", "to", to);
    if constexpr (stream_transport<Communicator>) {
      detail::expect_no_tag(comm, "send", tag);
      const auto give = detail::read_view(data);
      detail::stream_engine<Communicator>::send_recv(comm, "send", to, give, -1, detail::view<element_of<Data>>{});
    } else {
      auto one = detail::parcel_of(to, detail::read_view(data), tag);
      one.until_matched = comm.sends_block();
      detail::sent_now(comm, one, true).wait();
    }
  }
}

/// Receives the oldest message with that tag from a rank into data, whose length must be the message's.
template <class Communicator, writable_range Data>
void recv(Communicator& comm, int from, Data&& data, int tag = 0) {
  if constexpr (detail::can_send<Communicator>()) {
    detail::expect_peer(comm, "recv", "from", from);
    if constexpr (stream_transport<Communicator>) {
      detail::expect_no_tag(comm, "recv", tag);
      const auto take = detail::write_view(data);
      detail::stream_engine<Communicator>::send_recv(comm, "recv", -1, detail::view<const element_of<Data>>{}, from,
                                                     take);
    } else {
      auto one = detail::parcel_of(from, detail::write_view(data), tag);
      detail::sent_now(comm, one, false).wait();
    }
  }
}

/// Receives a message of any length: recv<float>(comm, from).
template <class Element, class Communicator>
std::vector<Element> recv(Communicator& comm, int from, int tag = 0) {
  static_assert(!std::is_same_v<Element, bool>,
                "tutti: std::vector<bool> keeps bits, not elements; give the call an output range of bool");
  static_assert(!stream_transport<Communicator>,
                "tutti: a vector is memory of the host; give recv on a stream a range of device memory");
  std::vector<Element> data;
  if constexpr (detail::can_send<Communicator>() && !stream_transport<Communicator>) {
    detail::expect_peer(comm, "recv", "from", from);
    auto one = detail::parcel_of(from, detail::view<Element>{}, tag);
    one.owner = &data;
    one.room = [](detail::parcel& self, std::size_t bytes) {
      auto& room = *static_cast<std::vector<Element>*>(self.owner);
      room.resize(bytes / sizeof(Element));
      return reinterpret_cast<std::byte*>(room.data());
    };
    detail::sent_now(comm, one, false).wait();
  }
  return data;
}

/// Sends to one rank while receiving from another, or the same: neither waits for the other.
/// in and out must not overlap; their lengths may differ.
template <class Communicator, contiguous_range In, writable_range Out>
void send_recv(Communicator& comm, int to, In&& in, int from, Out&& out, int tag = 0) {
  if constexpr (detail::can_send<Communicator>()) {
    detail::expect_peer(comm, "send_recv", "to", to);
    detail::expect_peer(comm, "send_recv", "from", from);
    const auto give = detail::read_view(in);
    const auto take = detail::write_view(out);
    if (detail::overlap(give, take))
      detail::fail(errc::bad_argument, comm.rank(), "send_recv on rank %d: in [%p] and out [%p] overlap", comm.rank(),
                   static_cast<const void*>(give.data), static_cast<const void*>(take.data));
    if constexpr (stream_transport<Communicator>) {
      detail::expect_no_tag(comm, "send_recv", tag);
      detail::stream_engine<Communicator>::send_recv(comm, "send_recv", to, give, from, take);
    } else {
      auto outgoing = detail::parcel_of(to, give, tag);
      auto incoming = detail::parcel_of(from, take, tag);
      detail::sent_now taking(comm, incoming, false);
      detail::sent_now(comm, outgoing, true).wait();
      taking.wait();
    }
  }
}

}  // namespace tutti
