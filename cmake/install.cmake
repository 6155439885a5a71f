# find_package(minima) from any prefix, also a moved one: headers, library and a package without absolute paths.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/minima)

install(TARGETS minima EXPORT minima-targets
  ARCHIVE COMPONENT development
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
foreach(layer IN LISTS MINIMA_LAYERS)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${layer})
    install(DIRECTORY ${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/minima COMPONENT development
      FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh")
  endif()
endforeach()
install(FILES minima.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/minima COMPONENT development)

get_target_property(library_type minima TYPE)
set(MINIMA_IS_STATIC OFF)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(MINIMA_IS_STATIC ON)
endif()
configure_package_config_file(cmake/minima-config.cmake.in ${PROJECT_BINARY_DIR}/minima-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/minima-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT minima-targets NAMESPACE minima:: DESTINATION ${package_dir} COMPONENT development)
install(FILES
  ${PROJECT_BINARY_DIR}/minima-config.cmake ${PROJECT_BINARY_DIR}/minima-config-version.cmake cmake/FindOneDNN.cmake
  DESTINATION ${package_dir} COMPONENT development)
