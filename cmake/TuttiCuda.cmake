# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What programs for GPUs need; only preset cuda comes here. TUTTI_GPU_PROGRAMS says whether they can be built. They land in bin/, so
# that they can be carried to a machine with a GPU; on one without they exit with 77.
set(TUTTI_GPU_PROGRAMS OFF)
find_package(CUDAToolkit 12 QUIET)
if(NOT CUDAToolkit_FOUND)
  tutti_skip("GPU programs" "a CUDA toolkit 12 or later was not found")
  return()
endif()
find_package(NCCL 2.19 QUIET)
if(NOT NCCL_FOUND)
  tutti_skip("GPU programs" "NCCL 2.19 or later was not found")
  return()
endif()
set(TUTTI_GPU_PROGRAMS ON)

# The toolkit's own nvcc, also where it is not in PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90)
endif()
enable_language(CUDA)
message(STATUS "tutti: CUDA ${CUDAToolkit_VERSION}, NCCL ${NCCL_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")

# What all of them are compiled and linked with. -Wpedantic rejects what nvcc itself generates.
function(tutti_make_gpu_program name)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_link_libraries(${name} PRIVATE tutti::nccl tutti_warnings)
  target_compile_options(${name} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;-Werror=all-warnings;-Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow>")
endfunction()

# tutti_add_gpu_program(<name> <sources...>)
function(tutti_add_gpu_program name)
  add_executable(${name} ${ARGN})
  tutti_make_gpu_program(${name})
endfunction()
