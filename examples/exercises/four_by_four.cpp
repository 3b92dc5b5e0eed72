// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each collective does, as a picture: what a rank has before -> what it has afterwards. What only moves is named
// by letters, A0 A1 A2 A3 on rank 0, B0 ... on rank 1; what is added up are the numbers 0 to 15, four on a rank.
// (tutti_plan draws how an algorithm does it, message by message.)
#include "exercise.hpp"

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

/// In the order of the ranks, one below the other.
void picture(auto& world, const char* what, const auto& before, const auto& after) {
  exercise::title(world, what);
  for (int turn = 0; turn < world.size(); ++turn) {
    if (turn == world.rank()) exercise::say(world, before, " -> ", after);
    tutti::barrier(world);
  }
}

using words = std::vector<word>;
using numbers = std::vector<double>;

words empty(int count) { return words(std::size_t(count)); }
words name_of(int rank) { return {word_of(letter(rank))}; }
words row_of(int rank, int size) {
  words row;
  for (int i = 0; i < size; ++i) row.push_back(word_of(letter(rank) + std::to_string(i)));
  return row;
}

void sums(auto& world) {
  numbers row(std::size_t(world.size())), sum = row, average = row, at_root = row;
  std::iota(row.begin(), row.end(), world.rank() * world.size());

  tutti::all_reduce(world, row, sum, tutti::sum{});
  picture(world, "all_reduce, sum", row, sum);

  tutti::all_reduce(world, row, average, tutti::avg{});
  picture(world, "all_reduce, avg", row, average);

  if (world.rank() != 0) at_root.clear();
  tutti::reduce(world, row, at_root, tutti::sum{}, 0);
  picture(world, "reduce, sum, to rank 0", row, at_root);

  picture(world, "reduce_scatter, sum", row, tutti::reduce_scatter(world, row, tutti::sum{}));
}

void from_one_to_all(auto& world) {
  const int rank = world.rank(), size = world.size();

  const words before = rank == 0 ? name_of(0) : empty(1);
  words after = before;
  tutti::broadcast(world, after, 0);
  picture(world, "broadcast, from rank 0", before, after);

  const words whole = rank == 0 ? row_of(0, size) : words{};
  words part = empty(1);
  tutti::scatter(world, whole, part, 0);
  picture(world, "scatter, from rank 0", whole, part);
}

void from_all(auto& world) {
  const int rank = world.rank(), size = world.size();
  const words mine = name_of(rank), row = row_of(rank, size);

  picture(world, "gather, to rank 0", mine, tutti::gather(world, mine, 0));

  std::vector<words> list(std::size_t(size), empty(1));
  tutti::all_gather(world, mine, list);
  picture(world, "all_gather, into a list", mine, list);

  words matrix = empty(size * size);
  tutti::all_gather(world, row, matrix);
  std::vector<words> rows;
  for (auto at = matrix.begin(); at != matrix.end(); at += size) rows.emplace_back(at, at + size);
  picture(world, "all_gather, into rows of one buffer", row, rows);

  picture(world, "all_to_all", row, tutti::all_to_all(world, row));
}

}  // namespace

int main(int argc, char** argv) {
  return exercise::run(argc, argv, [](auto& world) {
    sums(world);
    from_one_to_all(world);
    from_all(world);
  });
}
