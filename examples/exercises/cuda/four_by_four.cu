// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each collective does to the memory of GPUs, as a picture: what a rank has before -> what it has afterwards. What
// only moves is named by letters, A0 A1 A2 A3 on rank 0, B0 ... on rank 1; what is added up are the numbers 0 to 15,
// four on a rank.
#include "exercise.cuh"

#include <cstdio>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace {

/// A short word whose bytes can travel.
struct word {
  char text[16] = ".";
};
std::ostream& operator<<(std::ostream& out, const word& one) { return out << one.text; }

word word_of(const std::string& text) {
  word one;
  std::snprintf(one.text, sizeof one.text, "%s", text.c_str());
  return one;
}

/// A to Z, then AA, AB, ... as the columns of a spreadsheet.
std::string letter(int rank) {
  std::string name;
  for (int rest = rank + 1; rest > 0; rest = (rest - 1) / 26) name.insert(name.begin(), char('A' + (rest - 1) % 26));
  return name;
}

using words = exercise::managed<word>;
using numbers = exercise::managed<double>;

numbers zeros(int count) { return numbers(std::size_t(count)); }
words empty(int count) { return words(std::size_t(count)); }
words name_of(int rank) { return {word_of(letter(rank))}; }
words row_of(int rank, int size) {
  words row;
  for (int i = 0; i < size; ++i) row.push_back(word_of(letter(rank) + std::to_string(i)));
  return row;
}

/// The ranks on the host, who take turns to print, and their GPUs.
struct both {
  exercise::host& world;
  exercise::stream& gpus;
};

/// When the stream has done it, in the order of the ranks, one below the other.
template <class Before, class After>
void picture(const both& ranks, const char* what, const Before& before, const After& after) {
  ranks.gpus.synchronize();
  exercise::title(ranks.world, what);
  for (int turn = 0; turn < ranks.world.size(); ++turn) {
    if (turn == ranks.world.rank()) exercise::say(ranks.world, before, " -> ", after);
    tutti::barrier(ranks.world);
  }
}

void sums(const both& ranks) {
  auto& gpus = ranks.gpus;
  const int rank = gpus.rank(), size = gpus.size();
  numbers row = zeros(size), sum = row, average = row, at_root = zeros(rank == 0 ? size : 0), shard = zeros(1);
  std::iota(row.begin(), row.end(), rank * size);

  tutti::all_reduce(gpus, row, sum, tutti::sum{});
  picture(ranks, "all_reduce, sum", row, sum);

  tutti::all_reduce(gpus, row, average, tutti::avg{});
  picture(ranks, "all_reduce, avg", row, average);

  tutti::reduce(gpus, row, at_root, tutti::sum{}, 0);
  picture(ranks, "reduce, sum, to rank 0", row, at_root);

  tutti::reduce_scatter(gpus, row, shard, tutti::sum{});
  picture(ranks, "reduce_scatter, sum", row, shard);
}

void from_one_to_all(const both& ranks) {
  auto& gpus = ranks.gpus;
  const int rank = gpus.rank(), size = gpus.size();

  const words before = rank == 0 ? name_of(0) : empty(1);
  words after = before;
  tutti::broadcast(gpus, after, 0);
  picture(ranks, "broadcast, from rank 0", before, after);

  const words whole = rank == 0 ? row_of(0, size) : words{};
  words part = empty(1);
  tutti::scatter(gpus, whole, part, 0);
  picture(ranks, "scatter, from rank 0", whole, part);
}

void from_all(const both& ranks) {
  auto& gpus = ranks.gpus;
  const int rank = gpus.rank(), size = gpus.size();
  const words mine = name_of(rank), row = row_of(rank, size);

  words at_root = empty(rank == 0 ? size : 0);
  tutti::gather(gpus, mine, at_root, 0);
  picture(ranks, "gather, to rank 0", mine, at_root);

  std::vector<words> list(std::size_t(size), empty(1));
  tutti::all_gather(gpus, mine, list);
  picture(ranks, "all_gather, into a list", mine, list);

  words matrix = empty(size * size);
  tutti::all_gather(gpus, row, matrix);
  gpus.synchronize();
  std::vector<words> rows;
  for (auto at = matrix.begin(); at != matrix.end(); at += size) rows.emplace_back(at, at + size);
  picture(ranks, "all_gather, into rows of one buffer", row, rows);

  words column = empty(size);
  tutti::all_to_all(gpus, row, column);
  picture(ranks, "all_to_all", row, column);
}

}  // namespace

int main(int argc, char** argv) {
  return exercise::run_on_gpus(argc, argv, [](exercise::host& world, exercise::gpus& all, cudaStream_t stream) {
    const both ranks{world, all.on(stream)};
    sums(ranks);
    from_one_to_all(ranks);
    from_all(ranks);
  });
}
