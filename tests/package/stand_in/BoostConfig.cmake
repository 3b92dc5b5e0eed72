# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A Boost.MPI that is only a file with the name STAND_IN_SYMBOL in it, as a library has names of what it links.
if(NOT STAND_IN_SYMBOL)
  message(FATAL_ERROR "nobody asked for a component that needs Boost")
endif()
file(WRITE ${CMAKE_BINARY_DIR}/stand_in/libboost_mpi.so "${STAND_IN_SYMBOL}\n")
add_library(Boost::serialization INTERFACE IMPORTED)
add_library(Boost::mpi SHARED IMPORTED)
set_target_properties(Boost::mpi PROPERTIES IMPORTED_CONFIGURATIONS RELEASE
                      IMPORTED_LOCATION_RELEASE ${CMAKE_BINARY_DIR}/stand_in/libboost_mpi.so)
