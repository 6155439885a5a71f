# Finds utf8proc by its header and library and defines utf8proc::utf8proc, utf8proc_FOUND and utf8proc_VERSION. Debian's
# package has no file for CMake. Installed next to minima's package for users of a static build.

find_path(utf8proc_INCLUDE_DIR utf8proc.h)
find_library(utf8proc_LIBRARY utf8proc)
mark_as_advanced(utf8proc_INCLUDE_DIR utf8proc_LIBRARY)

set(utf8proc_VERSION)
if(EXISTS ${utf8proc_INCLUDE_DIR}/utf8proc.h)
  foreach(_utf8proc_part MAJOR MINOR PATCH)
    file(STRINGS ${utf8proc_INCLUDE_DIR}/utf8proc.h _utf8proc_line REGEX "#define UTF8PROC_VERSION_${_utf8proc_part} +[0-9]+")
    string(REGEX MATCH "[0-9]+$" _utf8proc_number "${_utf8proc_line}")
    list(APPEND utf8proc_VERSION ${_utf8proc_number})
  endforeach()
  list(JOIN utf8proc_VERSION . utf8proc_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(utf8proc
  REQUIRED_VARS utf8proc_LIBRARY utf8proc_INCLUDE_DIR
  VERSION_VAR utf8proc_VERSION)

if(utf8proc_FOUND AND NOT TARGET utf8proc::utf8proc)
  add_library(utf8proc::utf8proc UNKNOWN IMPORTED)
  set_target_properties(utf8proc::utf8proc PROPERTIES
    IMPORTED_LOCATION ${utf8proc_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${utf8proc_INCLUDE_DIR})
endif()
