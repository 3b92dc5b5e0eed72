# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(tutti CONFIG [COMPONENTS <shm|mpi|boost_mpi|nccl>...]) defines tutti::tutti, tutti::shm and a target for each
# component that is asked for; only that component's dependencies are looked for.
#
# Every file is found beside this one: a packager may move the folder.
cmake_policy(VERSION 3.21)  # of this file alone: find_package restores the caller's

set(tutti_FOUND TRUE)
set(tutti_NOT_FOUND_MESSAGE)

find_package(Threads QUIET)
if(NOT Threads_FOUND)
  set(tutti_FOUND FALSE)
  set(tutti_NOT_FOUND_MESSAGE "tutti needs Threads, which was not found")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/tutti-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tutti_shm-targets.cmake)

if("mpi" IN_LIST tutti_FIND_COMPONENTS OR "boost_mpi" IN_LIST tutti_FIND_COMPONENTS)
  # MPI's own C++ bindings are long gone from the standard and warn. FindMPI has this option in the cache, OFF if nobody has said
  # otherwise; whoever sets it keeps it.
  set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "If true, the MPI-2 C++ bindings are disabled using definitions.")
  if(NOT TARGET MPI::MPI_CXX)
    find_package(MPI QUIET COMPONENTS CXX)
  endif()
endif()

if("nccl" IN_LIST tutti_FIND_COMPONENTS AND NOT (TARGET NCCL::nccl AND TARGET CUDA::cudart))
  find_package(CUDAToolkit 12 QUIET)
  list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})  # behind the caller's own FindNCCL
  find_package(NCCL 2.19 QUIET)
  list(POP_BACK CMAKE_MODULE_PATH)
endif()

# tutti_<component>_FOUND says what became of a component; where it is FALSE, tutti_why says the reason.
foreach(tutti_component IN LISTS tutti_FIND_COMPONENTS)
  set(tutti_why)
  if(tutti_component STREQUAL "shm")
    # tutti::shm is there already
  elseif(tutti_component STREQUAL "nccl")
    if(NOT TARGET CUDA::cudart)
      set(tutti_why "tutti: component 'nccl' needs a CUDA toolkit of 12 or later, which was not found")
    elseif(NOT TARGET NCCL::nccl)
      set(tutti_why "tutti: component 'nccl' needs NCCL 2.19 or later, which was not found")
    else()
      include(${CMAKE_CURRENT_LIST_DIR}/tutti_nccl-targets.cmake)
    endif()
  elseif(NOT tutti_component MATCHES "^(boost_)?mpi$")
    set(tutti_why "tutti has no component '${tutti_component}'; it has shm, mpi, boost_mpi and nccl")
  elseif(NOT TARGET MPI::MPI_CXX)
    set(tutti_why "tutti: component '${tutti_component}' needs MPI, which was not found")
  else()
    include(${CMAKE_CURRENT_LIST_DIR}/tutti_mpi-targets.cmake)
    if(tutti_component STREQUAL "boost_mpi")
      include(${CMAKE_CURRENT_LIST_DIR}/tuttiBoostMpi.cmake)
      if(NOT tutti_why)
        include(${CMAKE_CURRENT_LIST_DIR}/tutti_boost_mpi-targets.cmake)
      endif()
    endif()
  endif()

  set(tutti_${tutti_component}_FOUND TRUE)
  if(tutti_why)
    set(tutti_${tutti_component}_FOUND FALSE)
    if(tutti_FIND_REQUIRED_${tutti_component})
      set(tutti_FOUND FALSE)
      string(APPEND tutti_NOT_FOUND_MESSAGE "${tutti_why}\n")
    endif()
  endif()
endforeach()
unset(tutti_component)
unset(tutti_why)
