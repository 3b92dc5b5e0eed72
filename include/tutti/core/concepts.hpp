// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/operation.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tutti {

// The whole contract between the floors, on one screen. (schedule and reduction_op, the contracts of the
// constexpr floors, stand in schedule/transfer.hpp and op/reduction.hpp.)

namespace detail {
/// A step to ask with. A lambda in a concept gets numbers from Clang 14 that differ between translation units.
inline progress nothing_to_do() { return progress::done; }
}  // namespace detail

/// What every collective asks of a communicator.
template <class Type>
concept communicator_like = requires(Type& comm, const detail::descriptor& call) {
  { comm.rank() } -> std::same_as<int>;
  { comm.size() } -> std::same_as<int>;
  { comm.try_begin(call) } -> std::same_as<detail::progress>;  // enters the next operation, without blocking
  // With a word for everybody: only then joined(peer) tells that a peer has entered, and payload_of(peer) its word.
  { comm.try_begin(call, std::uint64_t{}) } -> std::same_as<detail::progress>;
  { comm.joined(0) } -> std::same_as<bool>;
  { comm.payload_of(0) } -> std::same_as<std::uint64_t>;
  comm.drive(detail::nothing_to_do);                                                // runs a step until it is done
  { comm.drive_for(detail::nothing_to_do, std::int64_t{}) } -> std::same_as<bool>;  // or until time is over
  { comm.queue() } -> std::same_as<detail::operation_queue&>;  // what is pending; drive lets it go first
  { comm.memory_pool() } -> std::same_as<detail::pool&>;       // for what outlives a call
};

namespace detail {

/// The communicator behind a recorder (see engine/record.hpp), or the communicator itself.
template <class Communicator>
auto& base_of(Communicator& comm) {
  if constexpr (requires { typename Communicator::tutti_recorder; })
    return comm.base();
  else
    return comm;
}
template <class Communicator>
using base_communicator = std::remove_reference_t<decltype(base_of(std::declval<Communicator&>()))>;

}  // namespace detail

/// Messages between ranks, in order for each pair. try_send is false while there is no room; afterwards the
/// data may change. arrived lends the oldest message until release; null while there is none.
template <class Type>
concept mailbox_transport = communicator_like<Type> && requires(Type& comm, const void* data, std::size_t bytes) {
  { Type::max_message() } -> std::convertible_to<std::size_t>;
  { comm.try_send(0, data, bytes) } -> std::same_as<bool>;
  { comm.arrived(0) } -> std::convertible_to<const std::byte*>;
  comm.release(0);
};

/// The same by sends and receives whose memory is the transport's until they have ended.
template <class Type>
concept posting_transport = communicator_like<Type> &&
    requires(Type& comm, typename Type::message& one, void* data, std::size_t bytes) {
  { Type::max_message() } -> std::convertible_to<std::size_t>;
  { comm.post_send(0, data, bytes) } -> std::same_as<typename Type::message>;
  { comm.post_receive(0, data, bytes) } -> std::same_as<typename Type::message>;
  { comm.has_ended(one) } -> std::same_as<bool>;
  { comm.let_go(one) } -> std::same_as<bool>;  // after an error, the newest first; true where its memory is free
};

/// Two ways between the same ranks: each call takes the one that on_road gives its function, the same on all ranks.
template <class Type>
concept routing_transport = communicator_like<Type> && requires(Type& comm) {
  typename Type::tutti_roads;
  { comm.one_host() } -> std::same_as<bool>;
  comm.near();
  comm.far();
};

template <class Type>
concept message_transport = mailbox_transport<Type> || posting_transport<Type> || routing_transport<Type>;

/// Calls are enqueued on a stream and run there, on a device's memory; they return before they have run.
template <class Type>
concept stream_transport = requires(Type& comm, const Type& same) {
  typename Type::tutti_stream;
  { same.rank() } -> std::same_as<int>;
  { same.size() } -> std::same_as<int>;
  { comm.memory_pool() } -> std::same_as<detail::pool&>;
  comm.exchange(std::uint64_t{});                         // a word for everybody, on the host; collective
  { same.payload_of(0) } -> std::same_as<std::uint64_t>;  // what a rank brought
};

/// Anything that collectives are called on.
template <class Type>
concept any_transport = message_transport<Type> || stream_transport<Type>;

/// Besides messages, every rank can read what its peers stage. An operation begins in two steps, may_begin and begin,
/// with room for what travels in the announcing line; joined(peer) makes visible what the peer wrote before it began,
/// has_finished(peer, phase) what it staged before it finished that phase. A window is what peers find memory by.
template <class Type>
concept load_store_transport = mailbox_transport<Type> && requires(Type& comm, typename Type::part part) {
  requires Type::load_store;
  { comm.may_begin(detail::descriptor{}) } -> std::same_as<bool>;
  comm.begin(detail::descriptor{}, std::uint64_t{}, static_cast<void (*)(std::byte*)>(nullptr));
  { comm.line_of(0) } -> std::same_as<const std::byte*>;
  { comm.window_on(nullptr, std::size_t{}) } -> std::same_as<std::uint64_t>;
  { comm.at_window(std::uint64_t{}) } -> std::same_as<std::byte*>;
  { comm.reads_all_memory() } -> std::same_as<bool>;
  { comm.crowded() } -> std::same_as<bool>;
  { Type::cost_of_memory_copy() } -> std::same_as<double>;
  comm.copy_from_memory(0, std::uint64_t{}, static_cast<void*>(nullptr), std::size_t{});
  { Type::stage_bytes() } -> std::convertible_to<std::size_t>;
  { Type::stage_alignment } -> std::convertible_to<std::size_t>;
  { comm.own_stage(part, std::size_t{}) } -> std::same_as<std::byte*>;
  { comm.peer_stage(0, part) } -> std::same_as<const std::byte*>;
  comm.finish_phase();
  { comm.has_finished(0, comm.phases()) } -> std::same_as<bool>;
};

/// One file of algorithm/: a name, whether it folds in rank order, and a schedule for each collective that
/// it serves.
template <class Type>
concept algorithm = requires {
  { Type::name } -> std::convertible_to<const char*>;
  { Type::rank_order } -> std::convertible_to<bool>;
};

/// An algorithm made of others that run on parts of a communicator: hierarchical, lanes.
template <class Type>
concept composition = algorithm<Type> && requires {
  typename Type::tutti_composition;
};

/// Something that stands for an algorithm until size, transport and operator are known: automatic, one_of.
template <class Type>
concept algorithm_choice = requires {
  typename Type::tutti_choice;
};

}  // namespace tutti
