# Finds oneDNN by its header and library and defines OneDNN::OneDNN, OneDNN_FOUND and OneDNN_VERSION.
#
# Debian's own CMake package of oneDNN 2.6 demands OpenCL's development files, which neither it nor minima needs to
# build or link against the CPU part, and stops the configure run without them. Works for oneDNN 2 and 3; another
# prefix is named with CMAKE_PREFIX_PATH or OneDNN_ROOT. Installed next to minima's package for users of a static build.

find_path(OneDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(OneDNN_LIBRARY dnnl)
mark_as_advanced(OneDNN_INCLUDE_DIR OneDNN_LIBRARY)

set(OneDNN_VERSION)
set(_onednn_header ${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h)
if(EXISTS ${_onednn_header})
  foreach(_onednn_part MAJOR MINOR PATCH)
    file(STRINGS ${_onednn_header} _onednn_line REGEX "#define DNNL_VERSION_${_onednn_part} +[0-9]+")
    string(REGEX MATCH "[0-9]+$" _onednn_number "${_onednn_line}")
    list(APPEND OneDNN_VERSION ${_onednn_number})
  endforeach()
  list(JOIN OneDNN_VERSION . OneDNN_VERSION)
endif()
unset(_onednn_header)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDNN
  REQUIRED_VARS OneDNN_LIBRARY OneDNN_INCLUDE_DIR
  VERSION_VAR OneDNN_VERSION)

if(OneDNN_FOUND AND NOT TARGET OneDNN::OneDNN)
  add_library(OneDNN::OneDNN UNKNOWN IMPORTED)
  set_target_properties(OneDNN::OneDNN PROPERTIES
    IMPORTED_LOCATION ${OneDNN_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${OneDNN_INCLUDE_DIR})
endif()
