// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every collective once, on the memory of GPUs. One line a rank says what it got; rank r starts with [r r+1 r+2] where
// nothing else is said. Objects are built and read by the host, so they travel between the hosts' processes.
#include "exercise.cuh"

#include <tutti/object.hpp>

#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace {

using exercise::say, exercise::say_when_done;
using numbers = exercise::managed<int>;

/// So many numbers that follow each other.
numbers counting(int first, std::size_t count = 3) {
  numbers all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// An object whose length differs from rank to rank; serialize() is all that its journey takes.
struct note {
  std::string text;
  std::vector<int> list;
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
  note one{verb + ' ' + std::to_string(rank), std::vector<int>(std::size_t(rank))};
  std::iota(one.list.begin(), one.list.end(), 0);
  return one;
}

void broadcasts(exercise::host& world, exercise::stream& group) {
  numbers x = group.rank() == 0 ? numbers{1, 2, 3} : numbers{0, 0, 0};
  tutti::broadcast(group, x);
  say_when_done(group, "broadcast: ", x);

  note object = group.rank() == 0 ? note{"hello", {1, 2, 3}} : note{};
  tutti::broadcast_object(world, object);
  say(world, "broadcast_object: ", object);
}

void reductions(exercise::stream& group) {
  numbers x = {1, 2, 3};
  tutti::all_reduce(group, x, tutti::sum{});
  say_when_done(group, "all_reduce sum: ", x);

  numbers y = counting(group.rank());
  tutti::reduce(group, y, tutti::max{}, 0);  // elsewhere y stays what it was
  say_when_done(group, "reduce max to rank 0: ", y);
}

void gathers(exercise::host& world, exercise::stream& group) {
  const int rank = group.rank();
  const auto size = std::size_t(group.size());
  const numbers mine = counting(rank);

  std::vector<numbers> list(size, numbers(3));
  tutti::all_gather(group, mine, list);
  say_when_done(group, "all_gather, list: ", list);

  numbers whole(3 * size);
  tutti::all_gather(group, mine, whole);
  say_when_done(group, "all_gather, one buffer: ", whole);

  say(world, "all_gather_object: ", tutti::all_gather_object(world, note_of("from", rank)));

  numbers at_root(rank == 0 ? 3 * size : 0);
  tutti::gather(group, mine, at_root, 0);
  say_when_done(group, "gather to rank 0: ", at_root);

  say(world, "gather_object to rank 0: ", tutti::gather_object(world, note_of("from", rank), 0));
}

void scatters(exercise::host& world, exercise::stream& group) {
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
  say_when_done(group, "scatter: ", mine);
  say(world, "scatter_object: ", tutti::scatter_object(world, notes, 0));
}

/// Rank r has [r+d r+d r+d] for rank d, once as a list and once side by side.
void reduce_scatters(exercise::stream& group) {
  std::vector<numbers> list;
  numbers whole;
  for (int to = 0; to < group.size(); ++to) {
    list.push_back(numbers(3, group.rank() + to));
    whole.insert(whole.end(), list.back().begin(), list.back().end());
  }
  numbers mine(3), also_mine(3);
  tutti::reduce_scatter(group, list, mine, tutti::sum{});
  say_when_done(group, "reduce_scatter, list: ", mine);
  tutti::reduce_scatter(group, whole, also_mine, tutti::sum{});
  say_when_done(group, "reduce_scatter, one buffer: ", also_mine);
}

void all_to_alls(exercise::stream& group) {
  const auto size = std::size_t(group.size());
  const numbers parts = counting(0, 3 * size);
  numbers swapped(3 * size);
  tutti::all_to_all(group, parts, swapped);  // rank d gets part d of each
  say_when_done(group, "all_to_all_single: ", swapped);

  std::vector<numbers> sent, received(size, numbers(1));
  for (int to = 0; to < group.size(); ++to) sent.push_back({10 * group.rank() + to});
  tutti::all_to_all(group, sent, received);
  say_when_done(group, "all_to_all, list: ", received);
}

void waiting(exercise::stream& group) {
  tutti::barrier(group);  // among the streams; the host waits in synchronize()
  say_when_done(group, "barrier: all are here");

  numbers sum = counting(group.rank());
  tutti::all_reduce(group, sum, tutti::sum{});  // every call is asynchronous: there is time for other work
  say_when_done(group, "asynchronous all_reduce: ", sum);
}

}  // namespace

int main(int argc, char** argv) {
  return exercise::run_on_gpus(argc, argv, [](exercise::host& world, exercise::gpus& gpus, cudaStream_t stream) {
    say(world, "initialised: ", tutti::nccl::stream_communicator::transport_name, " on GPU ", gpus.device(), ", ",
        world.size(), world.size() == 1 ? " rank" : " ranks");
    {
      auto objects = world.duplicate();
      auto all = gpus.split(0);
      auto& group = all.on(stream);
      broadcasts(objects, group);
      reductions(group);
      gathers(objects, group);
      scatters(objects, group);
      reduce_scatters(group);
      all_to_alls(group);
      waiting(group);
    }
    say(world, "group destroyed");
  });
}
