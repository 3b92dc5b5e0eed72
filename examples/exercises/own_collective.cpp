// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An all_reduce built from messages between two ranks, in three ways; then the same three as the library has them, and
// as an algorithm of one's own that is proved while it compiles.
#include "exercise.hpp"

#include <tutti/verify.hpp>

#include <vector>

namespace {

using exercise::print, exercise::say, exercise::title;
using tensor = std::vector<float>;

/// Rank r has five times r.
tensor tensor_of(int rank) { return tensor(5, float(rank)); }

tensor sum_of(const std::vector<tensor>& tensors) {
  tensor sum(5);
  for (const tensor& one : tensors)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
  return sum;
}

void show(const auto& world, const std::vector<tensor>& tensors) {
  print("rank ", world.rank(), " has tensors ", tensors);
  say(world, "After reduce, tensor is: ", sum_of(tensors));
}

/// In round k the ranks meet whose sum is k modulo the size: every pair once, nobody twice at a time. Of a pair the
/// lower rank speaks first while the other listens, so that it works where a send waits for its receiver.
void blocking(auto& world) {
  const int size = world.size(), rank = world.rank();
  std::vector<tensor> tensors(std::size_t(size), tensor(5));
  tensors[std::size_t(rank)] = tensor_of(rank);
  for (int round = 0; round < size; ++round) {
    const int partner = (round - rank + size) % size;
    tensor& mine = tensors[std::size_t(rank)];
    tensor& theirs = tensors[std::size_t(partner)];
    if (rank < partner) {
      tutti::send(world, partner, mine);
      tutti::recv(world, partner, theirs);
    } else if (rank > partner) {
      tutti::recv(world, partner, theirs);
      tutti::send(world, partner, mine);
    }
  }
  show(world, tensors);
}

/// All at once, in any order: nobody waits before everything is under way.
void non_blocking(auto& world) {
  const int size = world.size(), rank = world.rank();
  std::vector<tensor> tensors(std::size_t(size), tensor(5));
  tensors[std::size_t(rank)] = tensor_of(rank);
  std::vector<tutti::request<>> requests;
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    requests.push_back(tutti::async::recv(world, peer, tensors[std::size_t(peer)]));
    requests.push_back(tutti::async::send(world, peer, tensors[std::size_t(rank)]));
  }
  tutti::wait_all(requests);
  show(world, tensors);
}

/// Rank 0 does all the work.
void aggregator(auto& world) {
  tensor mine = tensor_of(world.rank());
  if (world.rank() != 0) {
    tutti::send(world, 0, mine);
    tutti::recv(world, 0, mine);
    print("Rank ", world.rank(), " received reduced tensor: ", mine);
    return;
  }
  std::vector<tensor> received;
  for (int peer = 1; peer < world.size(); ++peer) received.push_back(tutti::recv<float>(world, peer));
  print("Rank 0 received tensors: ", received);
  received.push_back(mine);
  const tensor sum = sum_of(received);
  print("Rank 0 sent reduced tensor: ", sum);
  for (int peer = 1; peer < world.size(); ++peer) tutti::send(world, peer, sum);
}

/// An algorithm is a name and a schedule: what a rank sends, receives and folds in each round. In round r rank r tells
/// all others its vector, and everyone folds it behind those of the ranks before.
struct taking_turns {
  static constexpr const char* name = "taking_turns";
  static constexpr bool rank_order = true;

  struct turns {
    static constexpr bool scratch = true;  // a rank's own input must last until its turn
    static constexpr int blocks(int) { return 1; }
    static constexpr int rounds(int size, int) { return size; }
    static constexpr int transfers(tutti::place here, int round) { return round == here.rank ? here.size : 1; }
    static constexpr tutti::transfer at(tutti::place here, int round, int index) {
      using tutti::form;
      if (round == here.rank && index > 0) return tutti::send(here.wrap(here.rank + index), {0}, form::input);
      const auto arrival =
          round == 0 ? tutti::store(0, {0}, form::input) : tutti::fold_right(round, {0}, form::input, form::partial);
      return round == here.size - 1 ? arrival.finishing().once_sent() : arrival;
    }
  };
  static constexpr auto schedule(tutti::collective::all_reduce) { return turns{}; }
  static constexpr tutti::cost costs(tutti::collective::all_reduce, int size, int) { return {size, size - 1}; }
};
// Every send has its receive, every vector is folded once, in rank order, on all ranks alike: or it doesn't compile.
static_assert(tutti::verify<taking_turns, tutti::collective::all_reduce>);

}  // namespace

int main(int argc, char** argv) {
  return exercise::run(argc, argv, [](auto& world) {
    world.block_sends(true);  // the strictest network: a send waits until its receiver has the message

    title(world, "all-to-all, blocking");
    blocking(world);
    title(world, "all-to-all, non-blocking");
    non_blocking(world);
    title(world, "aggregator");
    aggregator(world);

    title(world, "by the library");
    tensor x = tensor_of(world.rank());
    tensor y = x, z = x, mine = x;
    tutti::all_reduce<tutti::one_phase>(world, x, tutti::sum{});  // everyone to everyone
    tutti::all_reduce<tutti::direct>(world, y, tutti::sum{});     // likewise, but each rank adds up its part only
    tutti::all_reduce<tutti::aggregator>(world, z, tutti::sum{});
    tutti::all_reduce<taking_turns>(world, mine, tutti::sum{});
    say(world, "one_phase: ", x);
    say(world, "direct: ", y);
    say(world, "aggregator: ", z);
    say(world, "taking_turns, my own: ", mine);
  });
}
