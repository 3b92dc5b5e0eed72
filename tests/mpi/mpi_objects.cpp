// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_objects.hpp"

using conformance::mpi;

TEST_CASE("mpi: objects of the standard library") {
  conformance::objects<mpi, bool, std::string, std::vector<bool>, std::vector<std::string>,
                       std::map<std::string, std::set<int>>>();
}
TEST_CASE("mpi: objects of a program") {
  conformance::objects<mpi, sent::named_run, sent::tree, sent::foreign, sent::no_default, sent::nothing, sent::empty,
                       std::optional<sent::lodger>, sent::nested>();
}
TEST_CASE("mpi: large objects") { conformance::large_objects<mpi>(); }
TEST_CASE("mpi: other forms of objects") { conformance::other_objects<mpi>(); }
