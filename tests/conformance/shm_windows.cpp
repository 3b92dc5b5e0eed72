// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_windows.hpp"

TEST_CASE("shm: operands in shared memory") { conformance::windows<conformance::shm>(); }
TEST_CASE("shm: shared memory is changed at once") { conformance::windows_in_haste<conformance::shm>(); }
TEST_CASE("shm: long moves from process to process") { conformance::long_moves<conformance::shm>(); }
TEST_CASE("shm: long folds from process to process") {
  conformance::long_folds<conformance::shm>();
  conformance::long_folds_in_haste<conformance::shm>();
}
TEST_CASE("shm: no phase for plain memory") { conformance::no_phase_for_plain_memory<conformance::shm>(); }
