// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels will need of tutti, used inside a kernel: every operator, a user's functor, an operator with
// an accumulator of another type, partition, chunking and the schedules. On a machine with a GPU the kernel's
// answers are compared with the host's.
#include <tutti/tutti.hpp>

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstring>

namespace {

struct absolute_max {
  static constexpr bool commutative = true;
  TUTTI_FUN float operator()(float a, float b) const { return (a < 0 ? -a : a) < (b < 0 ? -b : b) ? b : a; }
};

struct mean {
  static constexpr bool commutative = true;
  struct partial {
    double total;
    long long count;
  };
  TUTTI_FUN partial lift(float x) const { return {x, 1}; }
  TUTTI_FUN partial combine(const partial& a, const partial& b) const { return {a.total + b.total, a.count + b.count}; }
  TUTTI_FUN float lower(const partial& p, int) const { return float(p.total / double(p.count)); }
};

static_assert(tutti::is_commutative<absolute_max> && tutti::is_commutative<mean>);

constexpr int ranks = 5;

template <class Op, class Element>
TUTTI_FUN Element fold(const Op& op, const Element* values) {
  const tutti::reduction<Op, Element> bound{op};
  auto total = bound.lift(values[0]);
  for (int rank = 1; rank < ranks; ++rank) total = bound.combine(total, bound.lift(values[rank]));
  return bound.lower(total, ranks);
}

/// A number that depends on every field of every transfer of a schedule.
template <class Algorithm, class Collective>
TUTTI_FUN unsigned long long walk(Algorithm, Collective) {
  using schedule = decltype(Algorithm::schedule(Collective{}));
  unsigned long long print = 17;
  for (int root = 0; root < (Collective::rooted ? ranks : 1); ++root)
    for (int rank = 0; rank < ranks; ++rank) {
      const tutti::place here{rank, ranks, root};
      for (int round = 0; round < schedule::rounds(ranks, root); ++round)
        for (int index = 0; index < schedule::transfers(here, round); ++index) {
          const tutti::transfer step = schedule::at(here, round, index);
          const int fields[] = {step.peer,         step.where.first, step.where.count, int(step.what),
                                int(step.travels), int(step.held),   int(step.becomes)};
          for (int field : fields) print = print * 1099511628211ull + static_cast<unsigned long long>(field + 1);
        }
    }
  return print;
}

template <class Algorithm>
TUTTI_FUN unsigned long long walk_all(Algorithm algorithm) {
  return walk(algorithm, tutti::collective::all_reduce{}) ^ (walk(algorithm, tutti::collective::reduce{}) << 1) ^
         (walk(algorithm, tutti::collective::broadcast{}) << 2) ^
         (walk(algorithm, tutti::collective::reduce_scatter{}) << 3) ^
         (walk(algorithm, tutti::collective::all_gather{}) << 4);
}

struct answers {
  float sum, prod, min, max, avg, absolute, mean;
  int isum, iavg, band, bor, bxor, land, lor, lxor;
  tutti::located<float> least, most;
  float scaled, brain, half;
  unsigned long long ring, tree, aggregator, direct, one_phase;
  unsigned long long shards, chunks;
};

TUTTI_FUN answers compute() {
  const float values[ranks] = {3, -7, 2.5f, 4, 1};
  const int whole[ranks] = {3, -7, 2, 4, 1};
  answers all{};
  all.sum = fold(tutti::sum{}, values);
  all.prod = fold(tutti::prod{}, values);
  all.min = fold(tutti::min{}, values);
  all.max = fold(tutti::max{}, values);
  all.avg = fold(tutti::avg{}, values);
  all.isum = fold(tutti::sum{}, whole);
  all.iavg = fold(tutti::avg{}, whole);
  all.band = fold(tutti::band{}, whole);
  all.bor = fold(tutti::bor{}, whole);
  all.bxor = fold(tutti::bxor{}, whole);
  all.land = fold(tutti::land{}, whole);
  all.lor = fold(tutti::lor{}, whole);
  all.lxor = fold(tutti::lxor{}, whole);
  tutti::located<float> found[ranks];
  tutti::bfloat16 brains[ranks];
  tutti::float16 halves[ranks];
  for (int rank = 0; rank < ranks; ++rank) {
    found[rank] = {values[rank], rank};
    brains[rank] = tutti::bfloat16(values[rank]);
    halves[rank] = tutti::float16(values[rank]);
  }
  all.least = fold(tutti::min_loc{}, found);
  all.most = fold(tutti::max_loc{}, found);
  all.scaled = fold(tutti::premul_sum<float>{0.5f}, values);
  all.brain = fold(tutti::avg{}, brains);
  all.half = fold(tutti::sum{}, halves);
  all.absolute = fold(absolute_max{}, values);
  all.mean = fold(mean{}, values);
  all.ring = walk_all(tutti::ring{});
  all.tree = walk_all(tutti::tree{});
  all.aggregator = walk_all(tutti::aggregator{});
  all.direct = walk_all(tutti::direct{});
  all.one_phase = walk_all(tutti::one_phase{});
  const tutti::partition parts(1009, ranks);
  for (int rank = 0; rank < ranks; ++rank)
    all.shards = all.shards * 31 + tutti::shard(1009, ranks, rank).first + parts[rank].count;
  all.chunks = tutti::whole::elements(1009, 4) + tutti::chunked<256>::elements(1009, 4) * 10 +
               tutti::uniform<256>::elements(1009, 4) * 1000 + tutti::pipelined<3>::elements(1009, 4) * 100000;
  return all;
}

__global__ void compute_on_device(answers* out) { *out = compute(); }

/// The host side of a .cu file stays what it was: collectives, with plain lambdas too.
bool host_collectives_work() {
  bool right = true;
  tutti::threads::launch(2, [&right](tutti::threads::communicator& comm) {
    float sums[] = {1, 2, float(comm.rank())}, largest[] = {float(comm.rank())};
    tutti::all_reduce(comm, sums, tutti::sum{}, tutti::ring{});
    tutti::all_reduce(comm, largest, [](float a, float b) { return a > b ? a : b; });
    if (comm.rank() == 0) right = sums[1] == 4 && sums[2] == 1 && largest[0] == 1;
  });
  return right;
}

}  // namespace

int main() {
  if (!host_collectives_work()) return 1;
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) return 1;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: this machine has no GPU");
    return 77;
  }
  const answers host = compute();
  answers* there = nullptr;
  answers device{};
  if (cudaMalloc(&there, sizeof device) != cudaSuccess || cudaMemset(there, 0, sizeof device) != cudaSuccess) return 1;
  compute_on_device<<<1, 1>>>(there);
  if (cudaMemcpy(&device, there, sizeof device, cudaMemcpyDeviceToHost) != cudaSuccess ||
      cudaFree(there) != cudaSuccess)
    return 1;
  const bool same = std::memcmp(&host, &device, sizeof host) == 0;
  std::printf("NCCL %d, %d GPUs: host and device %s (sum %g, avg %g, mean %g, ring %llx)\n", version, devices,
              same ? "agree" : "DIFFER", device.sum, device.avg, device.mean, device.ring);
  return same ? 0 : 1;
}
