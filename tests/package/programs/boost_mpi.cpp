// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boost.MPI and tutti in one program, without a launcher as in mpi.cpp.
#include <boost/mpi/environment.hpp>
#include <tutti/boost_mpi.hpp>

#include <cstdio>

int main() {
  if (tutti::pack(tutti::boost_mpi::archived{1.5}).size() == 0) return 1;  // needs Boost.Serialization's library
  std::printf("tutti %d, MPI initialized %d\n", TUTTI_VERSION, boost::mpi::environment::initialized());
}
