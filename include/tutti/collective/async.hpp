// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/all_gather.hpp>
#include <tutti/collective/all_reduce.hpp>
#include <tutti/collective/all_to_all.hpp>
#include <tutti/collective/barrier.hpp>
#include <tutti/collective/broadcast.hpp>
#include <tutti/collective/gather.hpp>
#include <tutti/collective/reduce.hpp>
#include <tutti/collective/reduce_scatter.hpp>
#include <tutti/collective/scan.hpp>
#include <tutti/collective/scatter.hpp>
#include <tutti/collective/send_recv.hpp>
#include <tutti/core/request.hpp>
#include <tutti/engine/record.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tutti {
namespace detail {

/// A container that was moved into a call: the request keeps it. Its elements stay where they are when it is moved.
template <class Argument>
inline constexpr bool is_kept = !std::is_lvalue_reference_v<Argument> && contiguous_range<Argument> && requires {
  typename std::remove_cvref_t<Argument>::allocator_type;
};
template <class Argument>
inline constexpr bool is_lost = !std::is_lvalue_reference_v<Argument> && contiguous_range<Argument> &&
                                !is_kept<Argument> && std::is_aggregate_v<std::remove_cvref_t<Argument>>;

/// What holds an argument while a call is recorded: itself, moved in, or the caller's.
template <class Argument>
using held_argument = std::conditional_t<is_kept<Argument>, std::remove_cvref_t<Argument>, Argument&&>;

template <class... Arguments>
constexpr std::size_t first_kept() {
  const bool kept[] = {is_kept<Arguments>..., true};
  std::size_t index = 0;
  while (!kept[index]) ++index;
  return index;
}

template <class Argument>
auto only_kept(held_argument<Argument>& one) {
  if constexpr (is_kept<Argument>)
    return std::tuple<std::remove_cvref_t<Argument>>(std::move(one));
  else
    return std::tuple<>();
}

/// Issues what call(recorder, arguments...) records. The request's value is what the call returns, or the container
/// that was moved in; a tuple of them where there are several.
template <class Communicator, class Call, class... Arguments>
auto issue(Communicator& comm, Call&& call, Arguments&&... arguments) {
  static_assert(
      (!is_lost<Arguments> && ...),
      "tutti: this array would be gone before the request ends; give the call a variable, or move a vector in");
  recorder<Communicator> record(comm);
  std::tuple<held_argument<Arguments>...> kept(static_cast<Arguments&&>(arguments)...);
  const auto run = [&]<std::size_t... Index>(std::index_sequence<Index...>)->decltype(auto) {
    return call(record, std::get<Index>(kept)...);
  };
  constexpr auto all = std::index_sequence_for<Arguments...>{};
  using result = decltype(run(all));
  const auto enter = [&] {
    operation* one = record.take();
    one->enqueue();
    return one;
  };
  if constexpr (!std::is_void_v<result>) {
    result value = run(all);
    operation* one = enter();
    if constexpr ((is_kept<Arguments> || ...)) {
      using inputs = std::tuple<held_argument<Arguments>...>;
      one->held = new inputs(std::move(kept));
      one->drop_held = [](void* all_inputs) { delete static_cast<inputs*>(all_inputs); };
    }
    return request<result>(one, std::move(value));
  } else {
    run(all);
    if constexpr ((int(is_kept<Arguments>) + ... + 0) == 1) {
      auto& only = std::get<first_kept<Arguments...>()>(kept);
      return request<std::remove_reference_t<decltype(only)>>(enter(), std::move(only));
    } else if constexpr ((is_kept<Arguments> || ...)) {
      const auto collect = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        return std::tuple_cat(only_kept<Arguments>(std::get<Index>(kept))...);
      };
      return request<decltype(collect(all))>(enter(), collect(all));
    } else {
      return request<void>(enter());
    }
  }
}

/// A send or recv of its own, in the communicator's pool.
template <class Communicator>
class parcel_operation final : public operation {
 public:
  static operation* make(Communicator& comm, const parcel& one, bool sends) {
    return new (comm.memory_pool().take(sizeof(parcel_operation))) parcel_operation(comm, one, sends);
  }
  progress step() override { return progress::done; }
  void restart() override {}
  void run_again() override {}
  bool finish(std::int64_t nanoseconds) override { return comm_.wait(parcel_, sends_, nanoseconds); }
  void enqueue() override { comm_.post(parcel_, sends_); }
  double patience() const override { return comm_.timeout(); }
  bool take_back() override { return comm_.withdraw(parcel_); }
  void dispose() noexcept override {
    comm_.drop(parcel_);
    Communicator& comm = comm_;
    this->~parcel_operation();
    comm.memory_pool().give_back(this);
  }
  void abandon(errc code, const char* reason) noexcept override { comm_.abandon(code, reason); }

 private:
  parcel_operation(Communicator& comm, const parcel& one, bool sends) : comm_(comm), parcel_(one), sends_(sends) {}
  ~parcel_operation() = default;

  Communicator& comm_;
  parcel parcel_;
  bool sends_;
};

template <class Communicator>
operation* issue_parcel(Communicator& comm, const parcel& one, bool sends) {
  operation* made = parcel_operation<Communicator>::make(comm, one, sends);
  request<void> until_posted(made);  // disposes of it where post throws
  made->enqueue();
  return until_posted.release();
}

}  // namespace detail

/// Every collective as a request: the arguments are those of the call of the same name. Buffers stay untouched until
/// the request has ended; a vector that is moved in is the request's, and get() gives it back (several as a tuple).
/// Forms that return a vector give it by get(). What has to learn lengths first (all_gather and the _v forms that
/// return a vector, all forms of all_to_all_v) waits for that when it is issued.
///     auto sum = tutti::async::all_reduce(world, std::move(values), tutti::sum{});
///     ...
///     values = sum.get();
namespace async {

#define TUTTI_ASYNC(Name)                                                                                              \
  template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, class... Arguments>    \
  [[nodiscard]] auto Name(Communicator& comm, Arguments&&... arguments) {                                              \
    return detail::issue(                                                                                              \
        comm,                                                                                                          \
        [](auto& record, auto&... all) -> decltype(auto) { return tutti::Name<Algorithm, Chunking>(record, all...); }, \
        static_cast<Arguments&&>(arguments)...);                                                                       \
  }
TUTTI_ASYNC(all_reduce)
TUTTI_ASYNC(reduce)
TUTTI_ASYNC(broadcast)
TUTTI_ASYNC(all_gather)
TUTTI_ASYNC(all_gather_v)
TUTTI_ASYNC(gather)
TUTTI_ASYNC(gather_v)
TUTTI_ASYNC(scatter)
TUTTI_ASYNC(scatter_v)
TUTTI_ASYNC(reduce_scatter)
TUTTI_ASYNC(reduce_scatter_v)
TUTTI_ASYNC(all_to_all)
TUTTI_ASYNC(all_to_all_v)
TUTTI_ASYNC(scan)
TUTTI_ASYNC(exclusive_scan)
#undef TUTTI_ASYNC

template <class Communicator>
[[nodiscard]] request<void> barrier(Communicator& comm) {
  return detail::issue(comm, [](auto& record) { tutti::barrier(record); });
}

/// The data must stay until the request has ended, or be moved in: a send keeps it, a recv's get() gives it back.
template <class Communicator, contiguous_range Data>
[[nodiscard]] request<void> send(Communicator& comm, int to, Data&& data, int tag = 0) {
  static_assert(
      !detail::is_lost<Data>,
      "tutti: this array would be gone before the request ends; give the call a variable, or move a vector in");
  detail::expect_peer(comm, "send", "to", to);
  auto one = detail::parcel_of(to, detail::read_view(data), tag);
  detail::operation* made = detail::issue_parcel(comm, one, true);
  if constexpr (detail::is_kept<Data>) {
    using container = std::remove_cvref_t<Data>;
    made->held = new container(std::move(data));  // its elements stay where they are
    made->drop_held = [](void* kept) { delete static_cast<container*>(kept); };
  }
  return request<void>(made);
}
template <class Communicator, writable_range Data>
[[nodiscard]] auto recv(Communicator& comm, int from, Data&& data, int tag = 0) {
  static_assert(
      !detail::is_lost<Data>,
      "tutti: this array would be gone before the request ends; give the call a variable, or move a vector in");
  detail::expect_peer(comm, "recv", "from", from);
  detail::operation* made = detail::issue_parcel(comm, detail::parcel_of(from, detail::write_view(data), tag), false);
  if constexpr (detail::is_kept<Data>)
    return request<std::remove_cvref_t<Data>>(made, std::move(data));
  else
    return request<void>(made);
}

}  // namespace async
}  // namespace tutti
