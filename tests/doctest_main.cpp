// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main program of every doctest binary. doctest calls a run without any test a success; here it is a failure, since
// a CTest entry whose filter matches nothing would otherwise pass for ever. TUTTI_TEST_MAY_BE_EMPTY is set for the
// proofs, whose files may hold static_asserts alone.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "count_tests.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit() || result != 0 || tests_run != 0) return result;
  if (std::getenv("TUTTI_TEST_MAY_BE_EMPTY") != nullptr) {
    std::puts("no run-time part: what this file proves was proved when it compiled");
    return 0;
  }
  std::fputs("no test matches the filter\n", stderr);
  return 1;
}
