# What `cmake --install` copies: the tools, the runtime library with its
# headers, and a CMake package, so that a project elsewhere writes
#
#   find_package(attnc 0.1 REQUIRED)
#   attnc_add_kernel(my-program spec.yaml)
#   target_link_libraries(my-program PRIVATE attnc::runtime) # a pool of threads
#
# The prefix can be moved; libLLVM is found where the build found it.
# Tests: test/Integration/install.test
include(CMakePackageConfigHelpers)

set(attnc_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/attnc)
set_target_properties(attnc attnc-opt attnc-run PROPERTIES
  INSTALL_RPATH_USE_LINK_PATH ON)
set_target_properties(attnc-runtime PROPERTIES EXPORT_NAME runtime)
install(TARGETS attnc attnc-opt attnc-run attnc-runtime EXPORT attncTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET attnc-halide)
  set_target_properties(attnc-halide PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS attnc-halide LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT attncTargets NAMESPACE attnc:: DESTINATION ${attnc_package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/attncConfig.cmake.in
  ${PROJECT_BINARY_DIR}/attncConfig.cmake
  INSTALL_DESTINATION ${attnc_package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/attncConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/attncConfig.cmake
  ${PROJECT_BINARY_DIR}/attncConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/AttncAddKernel.cmake
  DESTINATION ${attnc_package_dir})
