// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bool as an element: every kind of collective, in plain arrays.
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace {

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

void every_collective(tutti::threads::communicator& comm) {
  const int r = comm.rank(), p = comm.size();
  bool flags[6] = {}, out[6] = {};
  flags[r] = true;
  tutti::all_reduce(comm, flags, out, tutti::lor{});
  for (int i = 0; i < 6; ++i) expect(out[i] == (i < p), "lor");
  tutti::all_reduce(comm, flags, out, tutti::land{}, tutti::tree{});
  for (int i = 0; i < 6; ++i) expect(out[i] == (p == 1 && i == 0), "land");
  tutti::all_reduce(comm, flags, out, tutti::lxor{}, tutti::ring{});
  for (int i = 0; i < 6; ++i) expect(out[i] == (i < p), "lxor");
  tutti::scan(comm, flags, out, tutti::lor{});
  for (int i = 0; i < 6; ++i) expect(out[i] == (i <= r), "scan of lor");
  const tutti::range mine = tutti::shard(6, p, r);
  bool shard[6] = {};
  struct part {  // a range of the first elements
    bool* first;
    std::size_t count;
    bool* data() const { return first; }
    std::size_t size() const { return count; }
  };
  tutti::reduce_scatter(comm, flags, part{shard, mine.count}, tutti::lor{});
  for (std::size_t i = 0; i < mine.count; ++i) expect(shard[i] == (mine.first + i < std::size_t(p)), "reduce_scatter");
  tutti::all_gather(comm, part{shard, mine.count}, out);
  for (int i = 0; i < 6; ++i) expect(out[i] == (i < p), "all_gather");
  bool given[6] = {true, false, true, true, false, false};
  tutti::scatter(comm, given, part{shard, mine.count}, p - 1);
  for (std::size_t i = 0; i < mine.count; ++i) expect(shard[i] == given[mine.first + i], "scatter");
  tutti::gather(comm, part{shard, mine.count}, out, 0);
  if (r == 0)
    for (int i = 0; i < 6; ++i) expect(out[i] == given[i], "gather");
}

}  // namespace

TEST_CASE("collectives of bool") {
  for (const int size : {1, 2, 3, 5}) {
    std::string failure;
    try {
      tutti::threads::launch(size, every_collective);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    CHECK(failure == "");
  }
}
