// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every collective once. One line a rank says what it got; rank r starts with [r r+1 r+2] where nothing else is said.
#include "exercise.hpp"

#include <tutti/object.hpp>

#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace {

using exercise::say;
using numbers = std::vector<int>;

/// So many numbers that follow each other.
numbers counting(int first, std::size_t count = 3) {
  numbers all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// An object whose length differs from rank to rank; serialize() is all that its journey takes.
struct note {
  std::string text;
  numbers list;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text, list);
  }
};
std::ostream& operator<<(std::ostream& out, const note& one) {
  exercise::write(out << '{' << one.text << ' ', one.list);
  return out << '}';
}
note note_of(const std::string& verb, int rank) {
  return {verb + ' ' + std::to_string(rank), counting(0, std::size_t(rank))};
}

void broadcasts(auto& group) {
  numbers x = group.rank() == 0 ? numbers{1, 2, 3} : numbers{0, 0, 0};
  tutti::broadcast(group, x);
  say(group, "broadcast: ", x);

  note object = group.rank() == 0 ? note{"hello", {1, 2, 3}} : note{};
  tutti::broadcast_object(group, object);
  say(group, "broadcast_object: ", object);
}

void reductions(auto& group) {
  numbers x = {1, 2, 3};
  tutti::all_reduce(group, x, tutti::sum{});
  say(group, "all_reduce sum: ", x);

  x = counting(group.rank());
  tutti::reduce(group, x, tutti::max{}, 0);  // elsewhere x stays what it was
  say(group, "reduce max to rank 0: ", x);
}

void gathers(auto& group) {
  const int rank = group.rank();
  const auto size = std::size_t(group.size());

  std::vector<numbers> list(size, numbers(3));
  tutti::all_gather(group, counting(rank), list);
  say(group, "all_gather, list: ", list);

  numbers whole(3 * size);
  tutti::all_gather(group, counting(rank), whole);
  say(group, "all_gather, one buffer: ", whole);

  say(group, "all_gather_object: ", tutti::all_gather_object(group, note_of("from", rank)));
  say(group, "gather to rank 0: ", tutti::gather(group, counting(rank), 0));
  say(group, "gather_object to rank 0: ", tutti::gather_object(group, note_of("from", rank), 0));
}

void scatters(auto& group) {
  std::vector<numbers> rows;
  std::vector<note> notes;
  if (group.rank() == 0) {
    for (int to = 0; to < group.size(); ++to) {
      rows.push_back(counting(to));
      notes.push_back(note_of("for", to));
    }
  }
  numbers mine(3);
  tutti::scatter(group, rows, mine, 0);
  say(group, "scatter: ", mine);
  say(group, "scatter_object: ", tutti::scatter_object(group, notes, 0));
}

/// Rank r has [r+d r+d r+d] for rank d, once as a list and once side by side.
void reduce_scatters(auto& group) {
  std::vector<numbers> list;
  numbers whole;
  for (int to = 0; to < group.size(); ++to) {
    list.push_back(numbers(3, group.rank() + to));
    whole.insert(whole.end(), list.back().begin(), list.back().end());
  }
  numbers mine(3);
  tutti::reduce_scatter(group, list, mine, tutti::sum{});
  say(group, "reduce_scatter, list: ", mine);
  say(group, "reduce_scatter, one buffer: ", tutti::reduce_scatter(group, whole, tutti::sum{}));
}

void all_to_alls(auto& group) {
  const auto size = std::size_t(group.size());
  say(group, "all_to_all_single: ", tutti::all_to_all(group, counting(0, 3 * size)));  // rank d gets part d of each

  std::vector<numbers> sent, received(size, numbers(1));
  for (int to = 0; to < group.size(); ++to) sent.push_back({10 * group.rank() + to});
  tutti::all_to_all(group, sent, received);
  say(group, "all_to_all, list: ", received);
}

void waiting(auto& group) {
  tutti::barrier(group);
  say(group, "barrier: all are here");

  auto sum = tutti::async::all_reduce(group, counting(group.rank()), tutti::sum{});  // keeps the numbers until get()
  say(group, "asynchronous all_reduce: ", sum.get());
}

}  // namespace

int main(int argc, char** argv) {
  return exercise::run(argc, argv, [](auto& world) {
    say(world, "initialised: ", world.transport_name, " on CPU, ", world.size(),
        world.size() == 1 ? " rank" : " ranks");
    {
      auto group = world.duplicate();
      broadcasts(group);
      reductions(group);
      gathers(group);
      scatters(group);
      reduce_scatters(group);
      all_to_alls(group);
      waiting(group);
    }
    say(world, "group destroyed");
  });
}
