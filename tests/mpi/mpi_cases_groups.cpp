// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_cases_groups.hpp"
using conformance::mpi;

TEST_CASE("mpi: case 16, twelve groups at once (jax#40830)") { conformance::twelve_groups_at_once<mpi>(); }
TEST_CASE("mpi: case 23, counts that wrap (vllm PR#8558)") { conformance::counts_that_wrap<mpi>(); }
TEST_CASE("mpi: case 24, a rank late to a new group (tvm PR#16797)") { conformance::late_to_a_new_group<mpi>(); }
TEST_CASE("mpi: case 33, nodes of every shape (ompi PR#14202)") { conformance::nodes_of_every_shape<mpi>(); }
TEST_CASE("mpi: case 34, four threads a rank (nccl#13)") { conformance::four_threads_a_rank<mpi>(); }
#if !defined(NDEBUG)
TEST_CASE("mpi: case 34, two threads on one communicator (nccl#13)") {
  conformance::two_threads_on_one_communicator<mpi>();
}
#endif
