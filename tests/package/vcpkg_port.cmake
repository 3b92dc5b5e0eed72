# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DSOURCE= -DVERSION= -DWORK= -DGENERATOR= -DCOMPILER= -P vcpkg_port.cmake
# Runs the overlay port without vcpkg: what vcpkg's functions do to files is imitated here. Then a program is built against the
# tree, at another place than where it was made, as vcpkg does too.
cmake_minimum_required(VERSION 3.21)

set(PORT tutti)
set(CURRENT_PORT_DIR ${SOURCE}/cmake/vcpkg-port/tutti)
set(CURRENT_PACKAGES_DIR ${WORK}/packages/tutti_x64-linux)
set(build ${WORK}/buildtree)
set(installed ${WORK}/installed/x64-linux)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# --- the manifests -------------------------------------------------------------------------------------------------------
# expect_manifest(<file> <feature>...): this version, and these features in it.
function(expect_manifest file)
  file(READ ${file} text)
  string(JSON name GET "${text}" name)
  string(JSON version GET "${text}" version)
  if(NOT name STREQUAL PORT OR NOT version STREQUAL VERSION)
    message(FATAL_ERROR "${file} is of ${name} ${version}, version.hpp of ${PORT} ${VERSION}")
  endif()
  foreach(feature IN LISTS ARGN)
    string(JSON text_of_feature GET "${text}" features ${feature} description)
  endforeach()
endfunction()
expect_manifest(${SOURCE}/vcpkg.json mpi boost-mpi nccl tests)
expect_manifest(${CURRENT_PORT_DIR}/vcpkg.json mpi boost-mpi nccl)

# --- vcpkg's functions -----------------------------------------------------------------------------------------------------
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${build} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${build} --target install)
endfunction()

# Moves the package up by a folder, to share/tutti, and corrects the depth that CMake's export files assume. A file that finds
# its prefix in a way of its own isn't corrected, here as there.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
  set(to ${CURRENT_PACKAGES_DIR}/share/${PORT})
  if(arg_PACKAGE_NAME)
    set(to ${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME})
  endif()
  file(RENAME ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH} ${to})
  cmake_path(GET arg_CONFIG_PATH PARENT_PATH parent)
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${parent})

  set(first "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\n")
  set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
  file(GLOB files ${to}/*-targets.cmake)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(REPLACE "${first}${up}${up}${up}" "${first}${up}${up}" text "${text}")
    file(WRITE ${file} "${text}")
  endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(COPY_FILE ${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright)
endfunction()

# --- the port, and a program that uses it ----------------------------------------------------------------------------------
file(REMOVE_RECURSE ${WORK})
include(${CURRENT_PORT_DIR}/portfile.cmake)

file(GLOB top RELATIVE ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/*)
file(GLOB share RELATIVE ${CURRENT_PACKAGES_DIR}/share ${CURRENT_PACKAGES_DIR}/share/*)
if(NOT top STREQUAL "include;share" OR NOT share STREQUAL "pkgconfig;tutti")
  message(FATAL_ERROR "the port leaves ${top}, and in share ${share}")
endif()
foreach(file usage copyright tuttiConfig.cmake)
  file(SIZE ${CURRENT_PACKAGES_DIR}/share/tutti/${file} size)  # an error where it is missing
endforeach()

cmake_path(GET installed PARENT_PATH parent)
file(MAKE_DIRECTORY ${parent})
file(RENAME ${CURRENT_PACKAGES_DIR} ${installed})
set(tests ${SOURCE}/tests/package)
run(bash ${tests}/consumer.sh ${CMAKE_COMMAND} ${tests}/find_package ${WORK}/consumer ${GENERATOR} ${COMPILER} builds "sum 3"
    -DCMAKE_PREFIX_PATH=${installed} -DCOMPONENTS=shm -DPROGRAM=${tests}/programs/shm.cpp -DTARGETS=tutti::shm)
