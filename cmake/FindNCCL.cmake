# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# FindNCCL: defines NCCL::nccl, NCCL_FOUND, NCCL_VERSION.
#
# Looks at NCCL_ROOT or NCCL_HOME, then for NCCL's own package (NCCL 2.29.7 and later, built with CMake; it uses the same
# target name), then in the CUDA toolkit and the system's folders. Python wheels hold only libnccl.so.2, hence the second name.
find_package(NCCL CONFIG QUIET HINTS $ENV{NCCL_HOME})
if(TARGET NCCL::nccl)
  set(NCCL_FOUND TRUE)
  return()
endif()

find_package(CUDAToolkit QUIET)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS $ENV{NCCL_HOME} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS $ENV{NCCL_HOME} ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)

if(NCCL_INCLUDE_DIR)
  file(READ ${NCCL_INCLUDE_DIR}/nccl.h text)
  set(numbers)
  foreach(part MAJOR MINOR PATCH)
    if(text MATCHES "#define NCCL_${part} +([0-9]+)")
      list(APPEND numbers ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN numbers . NCCL_VERSION)
  unset(text)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)

if(NCCL_FOUND)
  add_library(NCCL::nccl UNKNOWN IMPORTED)
  set_target_properties(NCCL::nccl PROPERTIES IMPORTED_LOCATION ${NCCL_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
