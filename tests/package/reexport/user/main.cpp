// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <summing.hpp>

#include <cstdio>

int main() {
  if (tutti_version_of_user != tutti_version_of_library()) return 1;
  std::printf("sum %g\n", double(sum_of_ranks(3)));
}
