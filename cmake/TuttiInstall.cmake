# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` writes: headers, the CMake package, a pkg-config file. Nothing of it depends on the machine.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tutti DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")

# A file for each target, so that a program that asks for one component meets nothing of the others.
set(TUTTI_PACKAGE_FOLDER ${CMAKE_INSTALL_DATADIR}/cmake/tutti)
foreach(target tutti tutti_shm tutti_mpi tutti_boost_mpi tutti_nccl)
  string(REGEX REPLACE "^tutti_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT ${target} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${target} NAMESPACE tutti:: FILE ${target}-targets.cmake DESTINATION ${TUTTI_PACKAGE_FOLDER})
endforeach()

# Before 1.0 a new minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/tuttiConfig.cmake ${PROJECT_SOURCE_DIR}/cmake/tuttiBoostMpi.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindNCCL.cmake
              ${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake
        DESTINATION ${TUTTI_PACKAGE_FOLDER})

configure_file(${PROJECT_SOURCE_DIR}/cmake/tutti.pc.in ${PROJECT_BINARY_DIR}/tutti.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tutti.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
