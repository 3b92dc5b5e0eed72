// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// For the main program of a doctest binary, which then knows how many tests its filters have matched: doctest calls a
// run without any test a success.

#include <doctest/doctest.h>

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
