// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An all_reduce of GPU memory built from messages between two ranks, in three ways; then the same three as the library
// has them, and as an algorithm of one's own that is proved while it compiles.
#include "exercise.cuh"

#include <tutti/verify.hpp>

#include <vector>

namespace {

using exercise::print, exercise::say, exercise::title;
using tensor = exercise::managed<float>;

/// Rank r has five times r.
tensor tensor_of(int rank) { return tensor(5, float(rank)); }

/// A place for each rank's; the own one is filled.
std::vector<tensor> places(const exercise::stream& gpus) {
  std::vector<tensor> tensors(std::size_t(gpus.size()), tensor(5));
  tensors[std::size_t(gpus.rank())] = tensor_of(gpus.rank());
  return tensors;
}

/// Added up on the GPU, behind the messages that fill the tensors.
void add_up(exercise::stream& gpus, const std::vector<tensor>& tensors, tensor& sum) {
  for (const tensor& one : tensors) exercise::add(gpus, sum, one);
}

void show(exercise::stream& gpus, const std::vector<tensor>& tensors) {
  tensor sum(5);
  add_up(gpus, tensors, sum);
  gpus.synchronize();
  print("rank ", gpus.rank(), " has tensors ", tensors);
  say(gpus, "After reduce, tensor is: ", sum);
}

/// A stream does one thing after the other, and a send there waits for its receiver. In round k the ranks meet whose
/// sum is k modulo the size: every pair once, nobody twice at a time. Of a pair the lower rank speaks first while the
/// other listens.
void blocking(exercise::stream& gpus) {
  const int size = gpus.size(), rank = gpus.rank();
  auto tensors = places(gpus);
  for (int round = 0; round < size; ++round) {
    const int partner = (round - rank + size) % size;
    tensor& mine = tensors[std::size_t(rank)];
    tensor& theirs = tensors[std::size_t(partner)];
    if (rank < partner) {
      tutti::send(gpus, partner, mine);
      tutti::recv(gpus, partner, theirs);
    } else if (rank > partner) {
      tutti::recv(gpus, partner, theirs);
      tutti::send(gpus, partner, mine);
    }
  }
  show(gpus, tensors);
}

/// Both ways at once: to the next rank while the one before speaks to this, then to the next but one, ... All of it is
/// under way before anybody waits.
void non_blocking(exercise::stream& gpus) {
  const tutti::place here{gpus.rank(), gpus.size()};
  auto tensors = places(gpus);
  for (int distance = 1; distance < here.size; ++distance) {
    const int to = here.wrap(here.rank + distance), from = here.wrap(here.rank - distance);
    tutti::send_recv(gpus, to, tensors[std::size_t(here.rank)], from, tensors[std::size_t(from)]);
  }
  show(gpus, tensors);
}

/// Rank 0 does all the work.
void aggregator(exercise::stream& gpus) {
  tensor mine = tensor_of(gpus.rank());
  if (gpus.rank() != 0) {
    tutti::send(gpus, 0, mine);
    tutti::recv(gpus, 0, mine);
    gpus.synchronize();
    print("Rank ", gpus.rank(), " received reduced tensor: ", mine);
    return;
  }
  std::vector<tensor> received(std::size_t(gpus.size() - 1), tensor(5));
  for (int peer = 1; peer < gpus.size(); ++peer) tutti::recv(gpus, peer, received[std::size_t(peer - 1)]);
  add_up(gpus, received, mine);
  for (int peer = 1; peer < gpus.size(); ++peer) tutti::send(gpus, peer, mine);
  gpus.synchronize();
  print("Rank 0 received tensors: ", received);
  print("Rank 0 sent reduced tensor: ", mine);
}

/// An algorithm is a name and a schedule: what a rank sends, receives and folds in each round. In round r rank r tells
/// all others its vector, and everyone folds it behind those of the ranks before. Nothing in it knows of GPUs.
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
  return exercise::run_on_gpus(argc, argv, [](exercise::host& world, exercise::gpus& all, cudaStream_t stream) {
    auto& gpus = all.on(stream);

    title(world, "all-to-all, blocking");
    blocking(gpus);
    title(world, "all-to-all, non-blocking");
    non_blocking(gpus);
    title(world, "aggregator");
    aggregator(gpus);

    title(world, "by the library");
    tensor x = tensor_of(gpus.rank());
    tensor y = x, z = x, mine = x;
    tutti::all_reduce<tutti::one_phase>(gpus, x, tutti::sum{});  // everyone to everyone, by stores over NVLink
    tutti::all_reduce<tutti::direct>(gpus, y, tutti::sum{});     // likewise, but each rank adds up its part only
    tutti::all_reduce<tutti::aggregator>(gpus, z, tutti::sum{});
    tutti::all_reduce<taking_turns>(gpus, mine, tutti::sum{});
    gpus.synchronize();
    say(world, "one_phase: ", x);
    say(world, "direct: ", y);
    say(world, "aggregator: ", z);
    say(world, "taking_turns, my own: ", mine);
  });
}
