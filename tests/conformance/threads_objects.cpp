// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_objects.hpp"

using conformance::threads;

TEST_CASE("threads: objects of the standard library") {
  conformance::objects<threads, bool, std::string, std::vector<bool>, std::vector<std::string>,
                       std::map<std::string, std::set<int>>>();
}
TEST_CASE("threads: objects of a program") {
  conformance::objects<threads, sent::named_run, sent::tree, sent::foreign, sent::no_default, sent::nothing,
                       sent::empty, std::optional<sent::lodger>, sent::nested>();
}
TEST_CASE("threads: large objects") { conformance::large_objects<threads>(); }
TEST_CASE("threads: other forms of objects") { conformance::other_objects<threads>(); }
