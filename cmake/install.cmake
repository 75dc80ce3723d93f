# Headers, ports beside them, and a package for find_package(kompakt).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/kompakt)
install(DIRECTORY include/ ports/ DESTINATION include FILES_MATCHING PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/kompakt)
install(TARGETS kompakt EXPORT kompakt_targets)
install(EXPORT kompakt_targets NAMESPACE kompakt:: FILE kompaktConfig.cmake
  DESTINATION ${package_dir})
# Headers fit every machine, so the pointer size of the one that installed them does not matter.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kompaktConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/kompaktConfigVersion.cmake DESTINATION ${package_dir})
