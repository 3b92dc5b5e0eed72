# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakeFindDependencyMacro)
find_dependency(tutti CONFIG COMPONENTS shm)
include(${CMAKE_CURRENT_LIST_DIR}/summing-targets.cmake)
