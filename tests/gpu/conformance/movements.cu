// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only moves: any bits of words, bytes and structs.
#include "calls.hpp"
#include "setting.hpp"
#include "tables.hpp"
#include "trial.hpp"

#include <ctime>

#include <unistd.h>

namespace conformance {

template <class Collective>
std::vector<row<float, no_operator>> move_rows() {
  return rows_by_all<Collective, float, no_operator>();
}
template std::vector<row<float, no_operator>> move_rows<tag::broadcast>();
template std::vector<row<float, no_operator>> move_rows<tag::all_gather>();
template std::vector<row<float, no_operator>> move_rows<tag::gather>();
template std::vector<row<float, no_operator>> move_rows<tag::scatter>();
template std::vector<row<float, no_operator>> move_rows<tag::all_to_all>();
template std::vector<row<float, no_operator>> move_rows<tag::all_gather_v>();
template std::vector<row<float, no_operator>> move_rows<tag::gather_v>();
template std::vector<row<float, no_operator>> move_rows<tag::scatter_v>();
template std::vector<row<float, no_operator>> move_rows<tag::all_to_all_v>();

void meet(stream_communicator& on) { tutti::barrier(on); }

namespace {

constexpr const char* nothing = "nothing folded";

template <class Collective, class Type>
void move(site& here, const std::vector<row<Type, no_operator>>& rows, std::size_t n, bool all_chunkings) {
  for (const int root : roots(Collective::rooted, here.size(), n))
    for (const bool in_place : {false, true}) {
      if (in_place && !std::is_same_v<Collective, tag::all_gather>) continue;
      const seat at{here.rank(), here.size(), root};
      const auto given = move_job<Collective, Type>(at, n, in_place, n + std::size_t(root));
      for (const chunks chunking : {chunks::usual, chunks::whole, chunks::of_1000_bytes, chunks::three}) {
        if (chunking != chunks::usual && (!all_chunkings || n < 1000)) continue;
        if (chunking == chunks::of_1000_bytes && n > 5000) continue;
        chosen_chunks = chunking;
        try_rows(here, rows, given, 0, label<Type>, no_operator{}, nothing);
      }
      chosen_chunks = chunks::usual;
      try_rows(here, rows, given, 1, label<Type>, no_operator{}, nothing);
    }
}

template <class Collective>
void by_all(site& here, const std::vector<std::size_t>& sizes) {
  const auto rows = move_rows<Collective>();
  for (const std::size_t n : sizes) move<Collective>(here, rows, n, true);
}

void all_of(site& here, const std::vector<std::size_t>& sizes) {
  by_all<tag::broadcast>(here, sizes);
  by_all<tag::all_gather>(here, sizes);
  by_all<tag::gather>(here, sizes);
  by_all<tag::scatter>(here, sizes);
  by_all<tag::all_to_all>(here, sizes);
  by_all<tag::all_gather_v>(here, sizes);
  by_all<tag::gather_v>(here, sizes);
  by_all<tag::scatter_v>(here, sizes);
  by_all<tag::all_to_all_v>(here, sizes);
}

template <class Type, class... Collectives>
void of_type(site& here, const std::vector<std::size_t>& sizes) {
  const auto one = [&]<class Collective>(Collective) {
    const auto rows = rows_by<Collective, Type, no_operator, tutti::automatic, tutti::native>();
    for (const std::size_t n : sizes) move<Collective>(here, rows, n, false);
  };
  (one(Collectives{}), ...);
}

/// Who comes out of a barrier has seen all come: the last rank is late, and says when it came.
void barriers(site& here) {
  for (int time = 0; time < 20; ++time) {
    const auto late = time % here.size() == here.rank();
    if (late) usleep(3000);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto came = std::uint64_t(now.tv_sec) * 1000000000u + std::uint64_t(now.tv_nsec);
    meet(here.on());
    here.on().synchronize();
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto left = std::uint64_t(now.tv_sec) * 1000000000u + std::uint64_t(now.tv_nsec);
    for (const std::uint64_t theirs : here.everyones(came))
      check(theirs <= left, "barrier: rank %d left it before another one had come", here.rank());
  }
}

}  // namespace

void movements(const setting& how) {
  run_ranks(how, [](site& here) {
    all_of(here, {0, 1, 2, 3, 5, 1009, 4095, 4096, 4097, 262144, 1048579});
    of_type<std::uint8_t, tag::broadcast, tag::all_gather, tag::all_to_all, tag::scatter_v>(here, {1, 3, 1009, 300007});
    of_type<bytes_3, tag::broadcast, tag::all_gather, tag::all_to_all_v, tag::gather>(here, {1, 3, 1009, 100003});
    of_type<bytes_256, tag::broadcast, tag::all_gather, tag::all_to_all>(here, {1, 3, 1009});
    barriers(here);
  });
  if (without_nccl) return;  // what doesn't fit goes by messages
  tutti::nccl::options in_pieces;
  in_pieces.push_bytes = 256;
  run_ranks(how, in_pieces, [](site& here) {
    all_of(here, {0, 1, 3, 1009, 4097});
    of_type<bytes_256, tag::broadcast, tag::all_gather, tag::all_to_all>(here, {1, 3, 101});
    barriers(here);
  });
}

}  // namespace conformance
