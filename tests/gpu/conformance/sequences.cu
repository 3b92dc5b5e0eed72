// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that follow each other and run beside each other: in graphs, on two streams, for long.
#include "setting.hpp"
#include "steps.hpp"

#include <unistd.h>

namespace conformance {

namespace {

using steps = std::vector<std::unique_ptr<step>>;

/// Keeps a stream busy.
__global__ void spin(long long nanoseconds) {
  long long begun = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begun < nanoseconds);
}
void delay(cudaStream_t stream, std::size_t microseconds) {
  spin<<<1, 1, 0, stream>>>(1000 * (long long)(microseconds));
  must(cudaGetLastError(), "spin");
}

/// What is captured from a stream.
class graph {
 public:
  template <class Body>
  graph(cudaStream_t stream, Body&& body) {
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    body();
    must(cudaStreamEndCapture(stream, &made_), "cudaStreamEndCapture");
    must(cudaGraphInstantiate(&ready_, made_, 0), "cudaGraphInstantiate");
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  ~graph() {
    if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
    if (made_ != nullptr) cudaGraphDestroy(made_);
  }
  void launch(cudaStream_t stream) const { must(cudaGraphLaunch(ready_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraph_t made_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

class second_stream {
 public:
  second_stream() { must(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  second_stream(const second_stream&) = delete;
  second_stream& operator=(const second_stream&) = delete;
  // Not destroyed: the communicator on it lives longer.
  cudaStream_t get() const { return own_; }

 private:
  cudaStream_t own_ = nullptr;
};

/// One of every kind, in place only where running it again gives the same.
steps mixed(site& here, std::size_t n) {
  const auto sums = sum_rows<tag::all_reduce>();
  const int last = here.size() - 1;
  steps all;
  const auto add = [&](std::unique_ptr<step> one) { all.push_back(std::move(one)); };
  for (const char* algorithm : {"automatic", "one_phase", "direct", "ring", "native"})
    if (has(sums, algorithm)) add(sum_step<tag::all_reduce>(here, by_name(sums, algorithm), {.n = n}));
  add(move_step<tag::broadcast>(here, by_name(move_rows<tag::broadcast>(), "automatic"), {.n = n, .root = last}));
  add(sum_step<tag::reduce_scatter>(here, by_name(sum_rows<tag::reduce_scatter>(), "automatic"), {.n = n}));
  add(move_step<tag::all_gather>(here, by_name(move_rows<tag::all_gather>(), "automatic"), {.n = n, .in_place = true}));
  add(move_step<tag::all_to_all>(here, by_name(move_rows<tag::all_to_all>(), "automatic"), {.n = n, .shift = 1}));
  if (const auto rows = move_rows<tag::all_to_all>(); has(rows, "pairwise"))
    add(move_step<tag::all_to_all>(here, by_name(rows, "pairwise"), {.n = n}));
  add(sum_step<tag::scan>(here, by_name(sum_rows<tag::scan>(), "automatic"), {.n = n}));
  if (const auto rows = sum_rows<tag::reduce>(); has(rows, "tree"))
    add(sum_step<tag::reduce>(here, by_name(rows, "tree"), {.n = n, .root = last}));
  add(move_step<tag::gather_v>(here, by_name(move_rows<tag::gather_v>(), "automatic"), {.n = n}));
  add(product_step(here, product_rows().front(), {.n = n}));
  return all;
}

void verify(const steps& some) {
  for (const auto& one : some) one->verify();
}

/// The lengths of the _v forms follow from the salt modulo 3, and are a graph's own.
constexpr std::uint64_t salt_of(int time) { return 3 * std::uint64_t(time + 1); }

void replays(site& here, std::size_t n) {
  here.clear();
  steps captured = mixed(here, n), eager = mixed(here, n + 3);
  auto in_place =
      sum_step<tag::all_reduce>(here, by_name(sum_rows<tag::all_reduce>(), "automatic"), {.n = n, .in_place = true});
  const auto call_all = [&](const steps& some) {
    for (const auto& one : some) {
      one->call(here.on());
      if (one.get() == some.front().get()) meet(here.on());
    }
  };
  call_all(captured);
  here.on().synchronize();
  verify(captured);
  const graph all(here.stream(), [&] { call_all(captured); });
  const graph once(here.stream(), [&] { in_place->call(here.on()); });
  dice same(n);
  for (int time = 0; time < 150; ++time) {
    for (const auto& one : captured) one->refill(salt_of(time));
    in_place->refill(salt_of(time));
    const auto& beside = eager[same.below(eager.size())];
    beside->refill(salt_of(time));
    if (time % here.size() == here.rank()) delay(here.stream(), 300);
    const std::size_t times = same.below(4) + 1;
    for (std::size_t i = 0; i < times; ++i) {
      all.launch(here.stream());
      beside->call(here.on());
    }
    once.launch(here.stream());
    here.on().synchronize();
    verify(captured);
    in_place->verify();
    beside->verify();
  }
}

/// The same calls on two streams, for which some ranks may ask in another order.
void beside_each_other(site& here, stream_communicator& other, std::size_t n, const std::vector<const char*>& names,
                       bool crossed) {
  const auto sums = sum_rows<tag::all_reduce>();
  const auto gathers = move_rows<tag::all_gather>();
  dice own(std::uint64_t(here.rank()));
  for (const char* name : names) {
    here.clear();
    auto first = sum_step<tag::all_reduce>(here, by_name(sums, name), {.n = n, .salt = 1});
    auto second = sum_step<tag::all_reduce>(here, by_name(sums, name), {.n = n + 1, .salt = 2});
    auto third = move_step<tag::all_gather>(here, by_name(gathers, "automatic"), {.n = n, .salt = 3});
    must(cudaStreamSynchronize(here.stream()), "cudaStreamSynchronize");
    // Once alone each, as a kernel's first launch may wait for what runs.
    first->call(here.on()), third->call(here.on());
    here.on().synchronize();
    second->call(other);
    other.synchronize();
    for (int time = 0; time < 100; ++time) {
      if (own.below(4) == 0) delay(own.below(2) == 0 ? here.stream() : other.stream(), own.below(200));
      if (own.below(10) == 0) usleep(useconds_t(own.below(200)));
      if (crossed && here.rank() % 2 == 1) second->call(other);
      first->call(here.on());
      third->call(here.on());
      if (!crossed || here.rank() % 2 == 0) second->call(other);
    }
    here.on().synchronize();
    other.synchronize();
    first->verify(), second->verify(), third->verify();
  }
}

bool is_near(site& here) { return here.on().near() != nullptr; }

}  // namespace

void graphs(const setting& how) {
  run_ranks(how, [](site& here) {
    replays(here, 1009);
    replays(here, 100003);
  });
  tutti::nccl::options in_pieces;
  in_pieces.push_bytes = 256;
  run_ranks(how, in_pieces, [](site& here) { replays(here, 1009); });
}

void streams(const setting& how) {
  run_ranks(how, [](site& here) {
    const second_stream stream;
    stream_communicator& other = here.gpus().on(stream.get());
    check(&here.gpus().on(stream.get()) == &other, "on() makes one communicator a stream");
    beside_each_other(here, other, 1009, {"automatic", "one_phase", "direct"}, false);
    if (!without_nccl) beside_each_other(here, other, 1009, {"ring", "native"}, false);
    here.clear();
    auto first = sum_step<tag::all_reduce>(here, by_name(sum_rows<tag::all_reduce>(), "automatic"), {.n = 4097});
    auto second = sum_step<tag::all_reduce>(here, by_name(sum_rows<tag::all_reduce>(), "direct"), {.n = 4099});
    must(cudaStreamSynchronize(here.stream()), "cudaStreamSynchronize");
    const graph one(here.stream(), [&] { first->call(here.on()); });
    const graph two(other.stream(), [&] { second->call(other); });
    for (int time = 0; time < 300; ++time) {
      one.launch(here.stream());
      two.launch(other.stream());
    }
    here.on().synchronize();
    other.synchronize();
    first->verify(), second->verify();
  });
}

void crossed_streams(const setting& how) {
  run_ranks(how, [](site& here) {
    if (!is_near(here)) return;
    const second_stream stream;
    stream_communicator& other = here.gpus().on(stream.get());
    here.gpus().timeout(20);
    beside_each_other(here, other, 1009, {"one_phase", "direct"}, true);
    beside_each_other(here, other, std::size_t(3) << 20, {"one_phase", "direct"}, true);
  });
}

void soak(const setting& how) {
  run_ranks(how, [&how](site& here) {
    const any_step make;
    dice all(std::uint64_t(here.size())), own(1000 + std::uint64_t(here.rank()));
    for (int done = 0; done < how.soak_calls;) {
      here.clear();
      steps batch;
      for (std::size_t left = 1 + all.below(8); left > 0; --left) {
        // Mostly short, some across a path's border, now and then a long one.
        const std::size_t kind = all.below(40);
        manner one;
        one.n = kind == 0 ? 100000 + all.below(500000) : kind < 6 ? 1000 + all.below(20000) : all.below(70);
        one.root = int(all.below(std::size_t(here.size())));
        one.in_place = all.below(2) == 0;
        one.shift = all.below(5) == 0 ? 1 : 0;
        one.salt = std::uint64_t(done);
        one.chunking = one.n > 20000 ? chunks::usual : chunks(all.below(6));
        batch.push_back(make(here, all, one));
        ++done;
      }
      for (const auto& one : batch) {
        if (own.below(10) == 0) usleep(useconds_t(own.below(300)));
        if (own.below(10) == 0) delay(here.stream(), own.below(300));
        if (one == nullptr)
          meet(here.on());
        else
          one->call(here.on());
      }
      here.on().synchronize();
      for (const auto& one : batch)
        if (one != nullptr) one->verify();
    }
  });
}

}  // namespace conformance
