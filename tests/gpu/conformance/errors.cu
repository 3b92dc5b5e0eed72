// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can't work says so: each case is a launch of its own, whose first error must name rank, collective, argument and
// both values, and which must end by itself.
#include "setting.hpp"
#include "tables.hpp"
#include "trial.hpp"

#include <string>
#include <vector>

#include <signal.h>
#include <unistd.h>

namespace conformance {

namespace {

using tutti::errc;

/// The words that the error's text must have, in their order.
struct expected {
  errc code;
  std::vector<const char*> words;
  double seconds = 60;  // at most, with the start of CUDA and NCCL
  errc or_code = code;  // what is as good
};

constexpr const char* far_apart = "these GPUs don't reach each other's memory";

outcome expect_error(const char* what, const expected& wanted, const std::function<void()>& action) {
  const outcome end = run_alone(120, action);
  if (std::strstr(end.text, far_apart) != nullptr) return end;
  check(end.code == int(wanted.code) || end.code == int(wanted.or_code), "errors, %s: code %d, expected %d; %s", what,
        end.code, int(wanted.code), end.text[0] == 0 ? "nothing was thrown" : end.text);
  const char* rest = end.text;
  for (const char* word : wanted.words) {
    const char* found = std::strstr(rest, word);
    check(found != nullptr, "errors, %s: the text has no \"%s\": %s", what, word, end.text);
    if (found != nullptr) rest = found + std::strlen(word);
  }
  check(end.seconds < wanted.seconds, "errors, %s: took %.1f s, expected below %.0f", what, end.seconds,
        wanted.seconds);
  return end;
}

/// A call of some length, with memory that need not fit.
void sum(site& here, const char* algorithm, const float* in, std::size_t ins, float* out, std::size_t outs) {
  job<float> given;
  given.given.resize(ins);
  given.after.resize(outs);
  by_name(sum_rows<tag::all_reduce>(), algorithm).call(here.on(), given, in, out, tutti::sum{});
}
float* floats(site& here, std::size_t count) { return reinterpret_cast<float*>(here.room(count * sizeof(float))); }
void sum(site& here, std::size_t count, const char* algorithm = "automatic") {
  sum(here, algorithm, floats(here, count), count, floats(here, count), count);
}
void expect_near(site& here) {
  if (here.on().near() == nullptr) throw std::runtime_error(far_apart);
}

outcome in_ranks(const char* what, const expected& wanted, const setting& how, const std::function<void(site&)>& rank,
                 const tutti::nccl::options& options = {}) {
  return expect_error(what, wanted, [&] { run_ranks(how, options, rank); });
}

// ---- a rank's own call ------------------------------------------------------------------------------------

void bad_arguments(const setting& how) {
  in_ranks("memory of the host", {errc::bad_argument, {"all_reduce on rank ", "in is memory of the host", "of device"}},
           how, [](site& here) {
             const std::vector<float> host(8);
             sum(here, "automatic", host.data(), 8, floats(here, 8), 8);
           });
  in_ranks("memory of the host as output",
           {errc::bad_argument, {"all_reduce on rank ", "out is memory of the host", "of device"}}, how,
           [](site& here) {
             std::vector<float> host(8);
             sum(here, without_nccl ? "direct" : "ring", floats(here, 8), 8, host.data(), 8);
           });
  if (!without_nccl)
    in_ranks("memory of another device",
             {errc::bad_argument, {"all_reduce on rank ", "in is memory of device ", "expected of device "}}, how,
             [](site& here) {
               const int own = here.gpus().device();
               void* theirs = nullptr;
               must(cudaSetDevice(own == 0 ? 1 : 0), "cudaSetDevice");
               must(cudaMalloc(&theirs, 64), "cudaMalloc");
               must(cudaSetDevice(own), "cudaSetDevice");
               here.everyones(0);
               sum(here, "automatic", static_cast<const float*>(theirs), 8, floats(here, 8), 8);
             });
  in_ranks("another length", {errc::bad_argument, {"all_reduce on rank ", "out has 7 elements, expected 8"}}, how,
           [](site& here) { sum(here, "automatic", floats(here, 8), 8, floats(here, 7), 7); });
  in_ranks("an overlap", {errc::bad_argument, {"all_reduce on rank ", "in [", "out [", "overlap"}}, how,
           [](site& here) {
             float* both = floats(here, 16);
             sum(here, "automatic", both, 8, both + 4, 8);
           });
  const std::string root = std::to_string(how.ranks);
  in_ranks("a root out of range",
           {errc::bad_argument, {"broadcast on rank ", "root is ", root.c_str(), "expected", root.c_str()}}, how,
           [](site& here) {
             job<float> given;
             given.after.resize(8);
             given.at.root = here.size();
             by_name(move_rows<tag::broadcast>(), "automatic")
                 .call(here.on(), given, floats(here, 8), floats(here, 8), no_operator{});
           });
  in_ranks("on() under capture", {errc::bad_argument, {"on(stream) on rank ", "captured", "new"}}, how, [](site& here) {
    cudaStream_t fresh = nullptr;
    must(cudaStreamCreateWithFlags(&fresh, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    must(cudaStreamBeginCapture(fresh, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    here.gpus().on(fresh);
  });
}

// ---- how a communicator is made -----------------------------------------------------------------------------

void bad_communicators(const setting& how) {
  tutti::nccl::options first;
  first.device = 0;
  if (without_nccl) {
    in_ranks(
        "NCCL where devices are shared",
        {errc::bad_argument, {"native_handle on rank ", "NCCL", "can't have ranks on one device"}}, how,
        [](site& here) { here.on().native_handle(); }, first);
    setting in_threads = how;
    in_threads.threads = true;
    in_ranks(
        "threads that share a device",
        {errc::bad_argument, {"nccl::communicator on rank ", "ranks 0 and 1", "threads of one process"}}, in_threads,
        [](site&) {}, first);
  } else {
    in_ranks(
        "one device for all", {errc::bad_argument, {"nccl::communicator on rank ", "ranks 0 and 1", "same device"}},
        how, [](site&) {}, first);
  }
  tutti::nccl::options no_such;
  no_such.device = 99;
  in_ranks(
      "no such device", {errc::bad_argument, {"nccl::communicator on rank ", "device is 99", "there are"}}, how,
      [](site&) {}, no_such);
  in_ranks("allocate of other counts", {errc::mismatch, {"allocate on rank ", "count is ", "but ", "on another rank"}},
           how, [](site& here) { here.gpus().allocate<float>(std::size_t(8 + here.rank())); });
  if (how.threads) return;
  expect_error("CUDA before launch",
               {errc::library, {"nccl::communicator on rank ", "before it forked", "no CUDA call before launch"}}, [&] {
                 must(cudaFree(nullptr), "cudaFree");
                 run_ranks(how, [](site&) {});
               });
}

// ---- ranks that don't agree ---------------------------------------------------------------------------------

void mismatches(const setting& how) {
  for (const char* algorithm : {"automatic", "one_phase", "direct"}) {
    const outcome counts =
        in_ranks("other counts", {errc::mismatch, {"all_reduce on rank ", "operation ", " bytes, but ", " on rank "}},
                 how, [algorithm](site& here) {
                   expect_near(here);
                   sum(here, here.rank() == 1 ? 8 : 16, algorithm);
                   here.on().synchronize();
                 });
    check(std::strstr(counts.text, far_apart) != nullptr ||
              std::strstr(counts.text, "64 bytes, but 32 on") != nullptr ||
              std::strstr(counts.text, "32 bytes, but 64 on") != nullptr,
          "errors, other counts by %s: not both lengths: %s", algorithm, counts.text);
    in_ranks("nothing on one rank", {errc::mismatch, {"all_reduce on rank ", "operation ", " bytes, but "}}, how,
             [algorithm](site& here) {
               expect_near(here);
               sum(here, here.rank() == 1 ? 0 : 16, algorithm);
               here.on().synchronize();
             });
  }
  in_ranks("another algorithm", {errc::mismatch, {"all_reduce on rank ", "calls another", "algorithm"}}, how,
           [](site& here) {
             expect_near(here);
             sum(here, 16, here.rank() == 1 ? "direct" : "one_phase");
             here.on().synchronize();
           });
  in_ranks("another collective", {errc::mismatch, {" on rank ", "operation ", "calls another collective"}}, how,
           [](site& here) {
             expect_near(here);
             if (here.rank() == 1) {
               job<float> given;
               given.given.resize(16), given.after.resize(16);
               by_name(sum_rows<tag::reduce>(), "one_phase")
                   .call(here.on(), given, floats(here, 16), floats(here, 16), tutti::sum{});
             } else {
               sum(here, 16, "one_phase");
             }
             here.on().synchronize();
           });
  in_ranks("a barrier on one rank", {errc::mismatch, {" on rank ", "operation ", "of its stream"}}, how,
           [](site& here) {
             expect_near(here);
             if (here.rank() == 1)
               meet(here.on());
             else
               sum(here, 16);
             here.on().synchronize();
           });
  in_ranks("other lengths of a gather", {errc::bad_argument, {"gather on rank ", "elements, expected "}}, how,
           [](site& here) {
             job<float> given;
             given.given.resize(here.rank() == 1 ? 9 : 4);
             given.after.resize(std::size_t(4 * here.size()));
             by_name(move_rows<tag::gather>(), "automatic")
                 .call(here.on(), given, floats(here, 16), floats(here, 64), no_operator{});
             here.on().synchronize();
           });
  in_ranks("a call after a failure", {errc::peer_failed, {"all_reduce on rank ", "has failed before"}}, how,
           [](site& here) {
             expect_near(here);
             sum(here, here.rank() == 1 ? 8 : 16);
             bool failed = false;
             try {
               here.on().synchronize();
             } catch (const tutti::error&) {
               failed = true;
             }
             if (failed) sum(here, 16);
           });
}

// ---- ranks that don't come ----------------------------------------------------------------------------------

void absences(const setting& how) {
  for (const char* algorithm : {"automatic", "ring"}) {
    if (!has(sum_rows<tag::all_reduce>(), algorithm)) continue;
    const bool by_messages = std::strcmp(algorithm, "ring") == 0;
    const expected wanted =
        by_messages ? expected{errc::timeout, {"synchronize on rank ", "within 1.0 s"}, 40}
                    : expected{errc::timeout, {"all_reduce on rank ", "nothing came from rank 1 for 1.0 s"}, 40};
    in_ranks("a silent rank", wanted, how, [algorithm, by_messages](site& here) {
      if (!by_messages) expect_near(here);
      sum(here, 16, algorithm);  // NCCL connects
      here.on().synchronize();
      here.gpus().timeout(1.0);
      if (here.rank() == 1)
        usleep(6000000);
      else
        sum(here, 16, algorithm);
      here.on().synchronize();
    });
  }
  if (how.threads) return;
  for (const char* algorithm : {"automatic", "ring", "native"})
    if (has(sum_rows<tag::all_reduce>(), algorithm))
      in_ranks("a killed rank", {errc::peer_failed, {"rank 1", "killed by signal 9"}, 30}, how,
               [algorithm](site& here) {
                 for (int time = 0; time < 100; ++time) {
                   if (time == 50 && here.rank() == 1) raise(SIGKILL);
                   sum(here, 1009, algorithm);
                   here.on().synchronize();
                   here.clear();
                 }
               });
  in_ranks("a rank that throws", {errc::bad_argument, {"rank 1", "all_reduce on rank 1", "out has 7"}, 30}, how,
           [](site& here) {
             if (here.rank() == 1) sum(here, "automatic", floats(here, 8), 8, floats(here, 7), 7);
             sum(here, 8);
             here.on().synchronize();
           });
}

}  // namespace

void errors(const setting& how) {
  bad_arguments(how);
  bad_communicators(how);
  mismatches(how);
  absences(how);
}

}  // namespace conformance
