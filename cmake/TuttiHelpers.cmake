# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the top-level build shares: optional packages, our own warnings, and one function for each kind of test.

set(TUTTI_SCRIPTS ${CMAKE_CURRENT_LIST_DIR})

# --- optional packages ---------------------------------------------------------------------------------------------------

# Says once what is left out and why; with TUTTI_REQUIRE it is an error. tests/run.sh collects these lines.
function(tutti_skip what why)
  if(TUTTI_REQUIRE)
    message(FATAL_ERROR "tutti: ${what}: ${why} (TUTTI_REQUIRE is ON)")
  endif()
  message(STATUS "tutti: skipped: ${what}: ${why}")
endfunction()

# tutti_find_optional(<package> <what needs it> [arguments of find_package...]) sets <package>_FOUND.
macro(tutti_find_optional package what)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    tutti_skip("${what}" "${package} was not found")
  endif()
endmacro()

# tutti_find_boost_mpi(<what needs it>) sets Boost_FOUND, and TUTTI_BOOST_MPI where it was built for the MPI that is used.
macro(tutti_find_boost_mpi what)
  tutti_find_optional(Boost "${what}" 1.74 CONFIG COMPONENTS mpi serialization)
  set(TUTTI_BOOST_MPI OFF)
  if(Boost_FOUND)
    unset(tutti_why)
    include(${TUTTI_SCRIPTS}/tuttiBoostMpi.cmake)
    if(tutti_why)
      tutti_skip("${what}" "${tutti_why}")
    else()
      set(TUTTI_BOOST_MPI ON)
    endif()
  endif()
endmacro()

# --- flags for our own programs only -------------------------------------------------------------------------------------

set(TUTTI_WARNING_FLAGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
add_library(tutti_warnings INTERFACE)
target_compile_options(tutti_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${TUTTI_WARNING_FLAGS}>")

# Clang counts the steps of a constant evaluation and stops early; a proof over many ranks needs more.
set(TUTTI_PROOF_FLAGS)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(TUTTI_PROOF_FLAGS -fconstexpr-steps=200000000)
endif()

# What turns a compiler into a checker: one translation unit, nothing written.
set(TUTTI_SYNTAX_COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -I${PROJECT_SOURCE_DIR}/include ${TUTTI_PROOF_FLAGS})

# --- tests ---------------------------------------------------------------------------------------------------------------

# Set by run.sh, CTest and the docs alike: Open MPI refuses root and more ranks than cores otherwise.
set(TUTTI_MPIRUN_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 UCX_LOG_LEVEL=error)

# tutti_add_test(<name> LABEL <label> COMMAND <command...> [TIMEOUT <s>] [CORES <n>] [ENVIRONMENT <NAME=value>...])
# A test that exits with 77 is counted as skipped; it should print one line "skipped: <why>". CORES 2 keeps other tests
# away on a small machine.
function(tutti_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT;CORES" "COMMAND;ENVIRONMENT")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(NOT arg_CORES)
    set(arg_CORES 1)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} PROCESSORS ${arg_CORES}
                       SKIP_RETURN_CODE 77 ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()

# tutti_add_suite(<binary> LABEL <label> SOURCES <files...> [TIMEOUT <s>] [CORES <n>] [INCLUDES <folders...>]
#                 [LIBRARIES <targets...>] [OPTIONS <compiler options...>] [COMPILE_TIME])
# One doctest binary of many files and one CTest entry a file, named <label>.<file>. Nothing happens without files.
# COMPILE_TIME: a file may hold static_asserts alone; its entry then says that it compiled.
function(tutti_add_suite binary)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COMPILE_TIME" "LABEL;TIMEOUT;CORES" "SOURCES;INCLUDES;LIBRARIES;OPTIONS")
  if(NOT arg_SOURCES)
    return()
  endif()
  add_executable(${binary} ${arg_SOURCES})
  target_include_directories(${binary} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${arg_INCLUDES})
  target_compile_options(${binary} PRIVATE ${arg_OPTIONS})
  target_compile_definitions(${binary} PRIVATE $<$<BOOL:${TUTTI_REDUCED}>:TUTTI_REDUCED=1>)
  target_link_libraries(${binary} PRIVATE tutti_doctest_main tutti::tutti tutti_warnings ${arg_LIBRARIES})
  set(environment)
  if(arg_COMPILE_TIME)
    set(environment TUTTI_TEST_MAY_BE_EMPTY=1)
  endif()
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(GET source STEM stem)
    cmake_path(GET source FILENAME file)
    tutti_add_test(${arg_LABEL}.${stem} LABEL ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} CORES ${arg_CORES}
                   COMMAND ${binary} --source-file=*/${file} --no-intro ENVIRONMENT ${environment})
  endforeach()
endfunction()

# tutti_must_not_build(<file>): the file must fail to compile with the text it expects, and must compile with
# -DTUTTI_MUST_BUILD (so that a typo doesn't pass). See cmake/must_not_build.sh.
function(tutti_must_not_build source)
  cmake_path(GET source STEM stem)
  tutti_add_test(must-not-build.${stem} LABEL must-not-build
                 COMMAND bash ${TUTTI_SCRIPTS}/must_not_build.sh ${CMAKE_CXX_COMPILER_ID} ${source} ${TUTTI_SYNTAX_COMMAND})
endfunction()

# tutti_header_alone(<header relative to include/> [compiler options...]): compiles alone, twice in one unit, and under our
# warnings.
function(tutti_header_alone header)
  tutti_add_test(package.header.${header} LABEL package
                 COMMAND ${TUTTI_SYNTAX_COMMAND} ${TUTTI_WARNING_FLAGS} ${ARGN} -include ${header} -include ${header} -x c++ /dev/null)
endfunction()
