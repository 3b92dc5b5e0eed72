// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main program of every doctest binary. doctest calls a run without any test a success; here it is a failure, since
// a CTest entry whose filter matches nothing would otherwise pass for ever. TUTTI_TEST_MAY_BE_EMPTY is set for the
// proofs, whose files may hold static_asserts alone.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

namespace {

unsigned tests_run = 0;

struct count_tests : doctest::IReporter {
  explicit count_tests(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override { tests_run = stats.numTestCasesPassingFilters; }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace

REGISTER_LISTENER("count_tests", 1, count_tests);

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
