// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the ranks, and memory that NCCL knows.
#include "setting.hpp"
#include "steps.hpp"

#include <string>

namespace conformance {

namespace {

/// A little of everything on a group.
void tour(site& here) {
  for (const std::size_t n : {std::size_t(1), std::size_t(1009), std::size_t(40009)}) {
    const seat at{here.rank(), here.size(), here.size() - 1};
    for (const bool in_place : {false, true})
      try_rows(here, sum_rows<tag::all_reduce>(), fold_job<tag::all_reduce, sum_case<float>>(at, n, in_place, n), 0,
               label<float>, tutti::sum{}, "sum");
    try_rows(here, sum_rows<tag::reduce_scatter>(), fold_job<tag::reduce_scatter, sum_case<float>>(at, n, false, n), 1,
             label<float>, tutti::sum{}, "sum");
    try_rows(here, sum_rows<tag::exclusive_scan>(), fold_job<tag::exclusive_scan, sum_case<float>>(at, n, false, n), 0,
             label<float>, tutti::sum{}, "sum");
    try_rows(here, move_rows<tag::broadcast>(), move_job<tag::broadcast, float>(at, n, false, n), 0, label<float>,
             no_operator{}, "nothing folded");
    try_rows(here, move_rows<tag::all_gather>(), move_job<tag::all_gather, float>(at, n, true, n), 0, label<float>,
             no_operator{}, "nothing folded");
    try_rows(here, move_rows<tag::gather_v>(), move_job<tag::gather_v, float>(at, n, false, n), 0, label<float>,
             no_operator{}, "nothing folded");
    try_rows(here, move_rows<tag::all_to_all_v>(), move_job<tag::all_to_all_v, float>(at, n, false, n), 0, label<float>,
             no_operator{}, "nothing folded");
    try_rows(here, product_rows(), fold_job<tag::all_reduce, matrix_case>(at, n, false, n), 0, label<matrix>,
             matrix_product{}, matrix_case::name);
  }
  meet(here.on());
  here.on().synchronize();
}

void expect_inactive(tutti::nccl::communicator& none, cudaStream_t stream, int rank) {
  check(!none.active() && none.rank() == -1 && none.size() == 0, "split: rank %d is in no group, and yet in one", rank);
  std::string text = "nothing was thrown";
  try {
    none.on(stream);
  } catch (const tutti::error& failure) {
    text = failure.what();
  }
  check(text.find("on a communicator of a group that this process is not in") != std::string::npos,
        "on() where rank %d is in no group: %s", rank, text.c_str());
}

void splits(site& here) {
  const int rank = here.rank(), size = here.size();
  {
    auto reversed = here.gpus().split(0, -rank);
    check(reversed.rank() == size - 1 - rank && reversed.size() == size, "split by -rank: rank %d became %d", rank,
          reversed.rank());
    check(reversed.device() == here.gpus().device(), "split: rank %d has got another device", rank);
    site group(reversed, here.stream());
    tour(group);
    group.everyones(0);
  }
  {
    auto half = here.gpus().split(rank * 2 / size);
    const int expected = rank * 2 / size == 0 ? (size + 1) / 2 : size / 2;
    check(half.size() == expected, "split into halves: rank %d is among %d, expected %d", rank, half.size(), expected);
    site group(half, here.stream());
    tour(group);
    // In turns with the whole, on the same stream.
    here.clear(), group.clear();
    const auto sums = sum_rows<tag::all_reduce>();
    auto all = sum_step<tag::all_reduce>(here, by_name(sums, "automatic"), {.n = 1009});
    auto some = sum_step<tag::all_reduce>(group, by_name(sums, "automatic"), {.n = 1013});
    for (int time = 0; time < 100; ++time) {
      all->call(here.on());
      some->call(group.on());
    }
    here.on().synchronize();
    group.on().synchronize();
    all->verify(), some->verify();
    group.everyones(0);
    here.everyones(0);
  }
  {
    auto without_first = here.gpus().split(rank == 0 ? -1 : 3);
    if (rank == 0) {
      expect_inactive(without_first, here.stream(), rank);
    } else {
      site group(without_first, here.stream());
      tour(group);
      group.everyones(0);
    }
    here.everyones(0);
  }
  tour(here);  // the whole works on
}

void in_windows(site& here, std::size_t n) {
  auto in = here.gpus().allocate<float>(n);
  auto out = here.gpus().allocate<float>(n);
  check(in.size() == n && out.size() == n, "allocate: rank %d has %zu elements, expected %zu", here.rank(), in.size(),
        n);
  std::vector<float> found(n, 1.0f);
  const auto fetch = [&](const float* from) {
    must(cudaMemcpyAsync(found.data(), from, n * sizeof(float), cudaMemcpyDeviceToHost, here.stream()), "cudaMemcpy");
    must(cudaStreamSynchronize(here.stream()), "cudaStreamSynchronize");
  };
  fetch(in.data());
  bool zero = true;
  for (const float one : found) zero = zero && one == 0;
  check(zero, "allocate on rank %d: %zu elements are not zero at first", here.rank(), n);

  const seat at{here.rank(), here.size(), 0};
  for (const bool in_place : {false, true}) {
    const auto given = fold_job<tag::all_reduce, sum_case<float>>(at, n, in_place, n);
    for (const auto& by : sum_rows<tag::all_reduce>()) {
      const auto fill = [&](float* to, const std::vector<float>& values) {
        must(cudaMemcpyAsync(to, values.data(), n * sizeof(float), cudaMemcpyHostToDevice, here.stream()),
             "cudaMemcpy");
      };
      fill(in.data(), given.given);
      fill(out.data(), given.before);
      by.call(here.on(), given, in.data(), out.data(), tutti::sum{});
      here.on().synchronize();
      fetch(out.data());
      check(found == given.after, "all_reduce by %s in windows, rank %d, n %zu%s: wrong", by.algorithm, here.rank(), n,
            in_place ? ", in place" : "");
    }
  }
  here.everyones(0);
}

}  // namespace

void groups(const setting& how) { run_ranks(how, splits); }

void windows(const setting& how) {
  run_ranks(how, [](site& here) {
    for (const std::size_t n : {std::size_t(1), std::size_t(1009), std::size_t(4096), std::size_t(1048579)})
      in_windows(here, n);
    const auto none = here.gpus().allocate<float>(0);
    check(none.size() == 0, "allocate(0) on rank %d has elements", here.rank());
  });
}

}  // namespace conformance
