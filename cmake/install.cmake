# find_package(minima) and pkg-config from any prefix, also a moved one: headers, library, launcher, documentation and a
# package without absolute paths.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/minima)

set(targets minima)
if(MINIMA_TORCH)
  list(APPEND targets minima_torch)
  install(DIRECTORY torch_api/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/minima-torch COMPONENT development)
  install(FILES ${PROJECT_BINARY_DIR}/Torch/TorchConfig.cmake ${PROJECT_BINARY_DIR}/Torch/TorchConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Torch-minima COMPONENT development)
endif()
install(TARGETS ${targets} EXPORT minima-targets
  ARCHIVE COMPONENT development
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
if(MINIMA_CUDA STREQUAL "SIMULATED")
  set_target_properties(minima PROPERTIES INSTALL_RPATH $ORIGIN/minima-simulated)
endif()
foreach(layer IN LISTS MINIMA_LAYERS)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${layer})
    install(DIRECTORY ${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/minima COMPONENT development
      FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh")
  endif()
endforeach()
install(FILES minima.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/minima COMPONENT development)

# minima-new finds its template relative to itself.
install(PROGRAMS scripts/launch DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME minima-launch COMPONENT runtime)
install(FILES scripts/launch_hosts.py DESTINATION share/minima COMPONENT runtime)
install(PROGRAMS scripts/new_project.sh DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME minima-new COMPONENT development)
install(DIRECTORY tools/new_project/template/ DESTINATION share/minima/new_project COMPONENT development)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

get_target_property(library_type minima TYPE)
set(MINIMA_IS_STATIC OFF)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(MINIMA_IS_STATIC ON)
endif()

# What the library is linked with, if it was found: the component that stands for it, its CMake package and target, Debian's
# package, and its pkg-config module or flag. A static library leaves these to its users.
set(MINIMA_PARTS zlib jpeg png zstd utf8proc protobuf gloo onednn lapack)
set(MINIMA_PART_PACKAGES ZLIB JPEG PNG zstd utf8proc Protobuf Gloo OneDNN LAPACK)
set(MINIMA_PART_DEBIAN zlib1g-dev libjpeg-dev libpng-dev libzstd-dev libutf8proc-dev libprotobuf-dev libgloo-dev libdnnl-dev
  liblapack-dev)
set(part_targets ZLIB::ZLIB JPEG::JPEG PNG::PNG zstd::libzstd_shared utf8proc::utf8proc protobuf::libprotobuf-lite gloo
  OneDNN::OneDNN LAPACK::LAPACK)
set(lapack_flags)  # Debian has no module that names what it finds for LAPACK
foreach(file IN LISTS LAPACK_LIBRARIES)
  cmake_path(GET file STEM LAST_ONLY name)
  string(REGEX REPLACE "^lib" "-l" name "${name}")
  list(APPEND lapack_flags ${name})
endforeach()
list(JOIN lapack_flags " " lapack_flags)
set(part_pkgconfig zlib libjpeg libpng libzstd libutf8proc protobuf-lite -lgloo -ldnnl "${lapack_flags}")
set(MINIMA_HAVE_ZLIB ON)
set(MINIMA_PARTS_BUILT)
set(linked_debian)
set(linked_pkgconfig)
set(linked_files)
foreach(part debian target pkgconfig IN ZIP_LISTS MINIMA_PARTS MINIMA_PART_DEBIAN part_targets part_pkgconfig)
  string(TOUPPER ${part} name)
  if(MINIMA_HAVE_${name})
    if(part STREQUAL lapack)
      set(file ${LAPACK_LIBRARIES})
    else()
      get_target_property(file ${target} LOCATION)
    endif()
    list(APPEND MINIMA_PARTS_BUILT ${part})
    list(APPEND linked_debian ${debian})
    list(APPEND linked_pkgconfig ${pkgconfig})
    list(APPEND linked_files ${file})
  endif()
endforeach()

configure_package_config_file(cmake/minima-config.cmake.in ${PROJECT_BINARY_DIR}/minima-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/minima-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT minima-targets NAMESPACE minima:: DESTINATION ${package_dir} COMPONENT development)
install(FILES
  ${PROJECT_BINARY_DIR}/minima-config.cmake ${PROJECT_BINARY_DIR}/minima-config-version.cmake cmake/FindOneDNN.cmake
  cmake/Findutf8proc.cmake
  DESTINATION ${package_dir} COMPONENT development)

# minima.pc: modules go into Requires, flags into Libs.
set(MINIMA_PC_REQUIRES)
set(MINIMA_PC_LIBS -lminima)
set(MINIMA_PC_CFLAGS -I\${includedir})
set(MINIMA_PC_CUDA)
if(MINIMA_HAVE_CUDA)
  list(APPEND MINIMA_PC_CFLAGS -DMINIMA_HAVE_CUDA)
endif()
if(MINIMA_IS_STATIC)
  foreach(name IN LISTS linked_pkgconfig)
    if(name MATCHES "^-")
      list(APPEND MINIMA_PC_LIBS ${name})
    else()
      list(APPEND MINIMA_PC_REQUIRES ${name})
    endif()
  endforeach()
  if(MINIMA_HAVE_CUDA AND NOT MINIMA_CUDA STREQUAL "SIMULATED")
    set(MINIMA_PC_CUDA "cudalibdir=${CUDAToolkit_LIBRARY_DIR}\n")
    list(APPEND MINIMA_PC_LIBS -L\${cudalibdir} -lcudart_static -lrt -ldl)
  endif()
  list(APPEND MINIMA_PC_LIBS -pthread)
endif()
if(MINIMA_CUDA STREQUAL "SIMULATED")
  set(MINIMA_PC_CUDA "cudalibdir=\${libdir}/minima-simulated\n")
  list(APPEND MINIMA_PC_LIBS -L\${cudalibdir} -lminima_simulated_cuda -Wl,-rpath,\${cudalibdir})
endif()
foreach(list MINIMA_PC_REQUIRES MINIMA_PC_LIBS MINIMA_PC_CFLAGS)
  list(JOIN ${list} " " ${list})
endforeach()
file(RELATIVE_PATH MINIMA_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" MINIMA_PC_PREFIX "${MINIMA_PC_PREFIX}")
configure_file(cmake/minima.pc.in ${PROJECT_BINARY_DIR}/minima.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/minima.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)
