// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MPI and tutti in one program. It asks MPI only what may be asked before MPI_Init, so that no launcher is needed.
#ifndef OMPI_SKIP_MPICXX
#  error "MPI's own C++ bindings must be left out"
#endif
#include <mpi.h>
#include <tutti/mpi.hpp>

#include <cstdio>

int main() {
  int initialized = 1;
  MPI_Initialized(&initialized);
  std::printf("tutti %d, MPI initialized %d\n", TUTTI_VERSION, initialized);
}
