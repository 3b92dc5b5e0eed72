// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boost.MPI and tutti in one program, without a launcher as in mpi.cpp.
#include <boost/mpi/environment.hpp>
#include <tutti/tutti.hpp>

#include <cstdio>

int main() { std::printf("tutti %d, MPI initialized %d\n", TUTTI_VERSION, boost::mpi::environment::initialized()); }
