// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/by_count.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tutti {

/// Rank r's part d goes to rank d, as part r: the transpose of a matrix whose rows lie on the ranks.
///
/// in, out   size equal parts each, the same length on all ranks; in is read, out is written, they must not overlap.
/// Parts of other lengths: all_to_all_v. Who calls, what it throws and costs: as all_reduce.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Out, call_option... Options>
void all_to_all(Communicator& comm, In&& in, Out&& out, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    detail::expect_member(comm, "all_to_all");
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    if (from.count % std::size_t(comm.size()) != 0)
      detail::fail(errc::bad_argument, comm.rank(),
                   "all_to_all on rank %d: in has %zu elements, expected a multiple of the size %d", comm.rank(),
                   from.count, comm.size());
    detail::expect_length(comm, "all_to_all", "out", to.count, from.count);
    detail::expect_apart(comm, "all_to_all", from, to);
    detail::operands<element_of<Out>> given;
    given.input = from.data;
    given.result = to.data;
    given.count = from.count;
    given.relative = true;
    detail::run_movement<collective::all_to_all, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

/// Returns what the others sent.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          call_option... Options>
auto all_to_all(Communicator& comm, In&& in, Options... options) {
  detail::returned_vector<element_of<In>> out;
  if constexpr (detail::can_read<Communicator, In>()) {
    detail::expect_member(comm, "all_to_all");
    out.resize(detail::size_of(in));
    all_to_all<Algorithm, Chunking>(comm, in, out, options...);
  }
  return out;
}

namespace detail {

/// Fills the table from what each rank gets and gives; lengths at both ends are compared.
template <class Algorithm, class Chunking, class Communicator, class Element, class Sent, class Received,
          class... Options>
void swap_by_count(Communicator& comm, Sent&& part_for, Received&& part_from, const Options&... options) {
  auto& real = base_of(comm);
  const auto p = std::size_t(comm.size());
  pooled_array<std::size_t> mine(real.memory_pool(), p), theirs(real.memory_pool(), p);
  for (std::size_t peer = 0; peer < p; ++peer) mine[peer] = part_for(peer).count;
  if constexpr (stream_transport<base_communicator<Communicator>>) {
    for (std::size_t to = 0; to < p; ++to) {  // on the host, a word for everybody at a time
      real.exchange(mine[to]);
      for (std::size_t from = 0; to == std::size_t(comm.rank()) && from < p; ++from)
        theirs[from] = std::size_t(real.payload_of(int(from)));
    }
  } else {
    all_to_all(real, mine, theirs);
  }
  // The others are in the call already: driven, an error reaches them too.
  real.drive_pending([&] {
    for (std::size_t peer = 0; peer < p; ++peer)
      if (const std::size_t room = part_from(peer, theirs[peer]).count; room != theirs[peer])
        fail(errc::bad_argument, comm.rank(),
             "all_to_all_v on rank %d: out has room for %zu elements of rank %zu, expected %zu", comm.rank(), room,
             peer, theirs[peer]);
    return progress::done;
  });
  operands<Element> given = by_count(comm, view<const Element>{}, view<Element>{}, 0);
  given.listed = true;
  for (std::size_t distance = 0; distance < p; ++distance) {
    const std::size_t to = (std::size_t(comm.rank()) + distance) % p,
                      from = (std::size_t(comm.rank()) + p - distance) % p;
    const auto sent = part_for(to);
    const auto received = part_from(from, theirs[from]);
    given.table[distance] = {sent.data, received.data, sent.count, received.count, 0};
    if (sent.count > given.word) given.word = sent.count;
  }
  run_movement<collective::all_to_all_v, Algorithm, Chunking>(comm, std::move(given), options...);
}

template <class Communicator, class Counts>
std::size_t sum_of_counts(const Communicator& comm, const char* argument, const Counts& counts) {
  const auto list = read_view(counts);
  expect_length(comm, "all_to_all_v", argument, list.count, std::size_t(comm.size()));
  std::size_t sum = 0;
  for (std::size_t r = 0; r < list.count; ++r) sum += std::size_t(list.data[r]);
  return sum;
}

}  // namespace detail

/// Part d of in, sent[d] elements long, goes to rank d; out gets the parts of all ranks in rank order.
///
/// in, sent        the parts one after the other, and their lengths; read
/// out, received   room for received[r] elements of each rank r; received must be what rank r sends here
/// Costs a small all_to_all more, of the counts: they are compared, and issuing it as a request waits for that.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Sent, flat_range Out, flat_range Received, call_option... Options>
void all_to_all_v(Communicator& comm, In&& in, Sent&& sent, Out&& out, Received&& received, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    detail::expect_member(comm, "all_to_all_v");
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_apart(comm, "all_to_all_v", from, to);
    detail::expect_length(comm, "all_to_all_v", "in", from.count, detail::sum_of_counts(comm, "sent", sent));
    detail::expect_length(comm, "all_to_all_v", "out", to.count, detail::sum_of_counts(comm, "received", received));
    const auto part = [](auto whole, const auto& counts, std::size_t index) {
      for (std::size_t i = 0; i < index; ++i) whole.data += counts[i];
      whole.count = std::size_t(counts[index]);
      return whole;
    };
    detail::swap_by_count<Algorithm, Chunking, Communicator, element_of<Out>>(
        comm, [&](std::size_t d) { return part(from, sent, d); },
        [&](std::size_t r, std::size_t) { return part(to, received, r); }, options...);
  }
}

/// Returns what the others sent and how much each of them.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Sent, call_option... Options>
auto all_to_all_v(Communicator& comm, In&& in, Sent&& sent, Options... options) {
  shards<element_of<In>> all;
  if constexpr (detail::can_read<Communicator, In>()) {
    detail::expect_member(comm, "all_to_all_v");
    const auto p = std::size_t(comm.size());
    detail::sum_of_counts(comm, "sent", sent);
    std::vector<std::size_t> mine(p);
    for (std::size_t d = 0; d < p; ++d) mine[d] = std::size_t(sent[d]);
    all.counts.resize(p);
    all_to_all(detail::base_of(comm), mine, all.counts);
    std::size_t total = 0;
    for (const std::size_t count : all.counts) total += count;
    all.elements.resize(total);
    all_to_all_v<Algorithm, Chunking>(comm, in, mine, all.elements, all.counts, options...);
  }
  return all;
}

/// Lists: in[d] goes to rank d, out[r] gets what rank r sends here. Lengths may differ, but must agree.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, list_of_ranges In,
          list_of_ranges Out, call_option... Options>
void all_to_all(Communicator& comm, In&& in, Out&& out, Options... options) {
  if constexpr (detail::can_call<Communicator>()) {
    detail::expect_member(comm, "all_to_all");
    using element = element_of_list<Out>;
    static_assert(std::is_same_v<element_of_list<In>, element>, "tutti: both ranges must have the same element type");
    detail::expect_one_each(comm, "all_to_all", "in", in);
    detail::expect_one_each(comm, "all_to_all", "out", out);
    detail::swap_by_count<Algorithm, Chunking, Communicator, element>(
        comm, [&](std::size_t d) { return detail::read_view(*(in.begin() + std::ptrdiff_t(d))); },
        [&](std::size_t r, std::size_t) { return detail::write_view(*(out.begin() + std::ptrdiff_t(r))); }, options...);
  }
}

}  // namespace tutti
