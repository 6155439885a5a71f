# Looks for everything the library can use and notes for a closing table what was found and what it is for.

list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

# minima_row(OUT CELL…) pads the cells to the table's columns; the last one takes the rest of the line.
function(minima_row out)
  set(row)
  foreach(cell width IN ZIP_LISTS ARGN MINIMA_COLUMNS)
    string(LENGTH "${cell}" length)
    math(EXPR gap "${width} - ${length}")
    set(spaces "")
    if(gap GREATER 0)
      string(REPEAT " " ${gap} spaces)
    endif()
    string(APPEND row "${cell}${spaces} ")
  endforeach()
  string(STRIP "${row}" row)
  set(${out} "${row}" PARENT_SCOPE)
endfunction()
set(MINIMA_COLUMNS 17 11 5 0)

# minima_note(NAME VERSION USED WHY) adds a row; an empty VERSION means that it was not found.
function(minima_note name version used why)
  if(version STREQUAL "")
    set(version "-")
  endif()
  minima_row(row "${name}" "${version}" "${used}" "${why}")
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY MINIMA_NOTES "${row}")
endfunction()

# minima_missing(WHAT PACKAGE [HINT]) stops with the way out.
function(minima_missing what package)
  message(FATAL_ERROR "minima needs ${what}, which was not found. On Debian and Ubuntu it is the package ${package}:\n"
    "  sudo apt install ${package}\n"
    "or let scripts/setup.sh install all that is missing. Elsewhere name its prefix with -DCMAKE_PREFIX_PATH=… ${ARGN}")
endfunction()

# GLOBAL: a project that minima is part of links these with a static minima, so it must see the targets.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED GLOBAL)

find_package(Eigen3 3.4 QUIET NO_MODULE)
if(NOT Eigen3_FOUND)
  minima_missing("Eigen 3.4 or newer" libeigen3-dev)
endif()
minima_note(Eigen "${Eigen3_VERSION}" yes "matrix products and factors on the CPU")

find_package(ZLIB QUIET GLOBAL)
if(NOT ZLIB_FOUND)
  minima_missing(zlib zlib1g-dev)
endif()
minima_note(zlib "${ZLIB_VERSION_STRING}" yes "compressed data sets")

# minima_use(PACKAGE NAME DEBIAN WHAT WITHOUT) uses a library where it is found and sets MINIMA_HAVE_NAME.
# -D CMAKE_DISABLE_FIND_PACKAGE_PACKAGE=ON leaves it out.
macro(minima_use package name debian what without)
  find_package(${package} QUIET GLOBAL)
  if(${package}_FOUND)
    set(MINIMA_HAVE_${name} ON)
    minima_note("${name}" "${${package}_VERSION}${${package}_VERSION_STRING}" yes "${what}")
  else()
    set(MINIMA_HAVE_${name} OFF)
    minima_note("${name}" "" no "not found (Debian: ${debian}), so ${without}")
  endif()
endmacro()
minima_use(JPEG JPEG libjpeg-dev "image folders" "JPEG images are not read")
minima_use(PNG PNG libpng-dev "image folders" "PNG images are not read")
minima_use(zstd ZSTD libzstd-dev "compressed tar shards" "shards compressed with zstd are not read")
minima_use(utf8proc UTF8PROC libutf8proc-dev "tokenizers" "tokenizers with splitting patterns throw")
minima_use(Protobuf PROTOBUF libprotobuf-dev "ONNX models" "ONNX models are neither read nor written")
if(MINIMA_HAVE_PROTOBUF AND NOT Protobuf_PROTOC_EXECUTABLE)
  set(MINIMA_HAVE_PROTOBUF OFF)
  minima_note(protoc "" no "not found (Debian: protobuf-compiler), so ONNX models are neither read nor written")
endif()

# LAPACK and the BLAS that this machine's administrator chose (update-alternatives), unless BLA_VENDOR names another one.
# CMake's module knows no version, but the file's name has it.
if(NOT BLA_VENDOR)
  set(BLA_VENDOR Generic)
endif()
find_package(LAPACK QUIET GLOBAL)
set(MINIMA_HAVE_LAPACK ${LAPACK_FOUND})
if(LAPACK_FOUND)
  string(REGEX MATCH "^[^;]*" file "${LAPACK_LIBRARIES}")
  file(REAL_PATH "${file}" file)
  string(REGEX MATCH "[0-9][0-9.]*$" LAPACK_VERSION "${file}")
  minima_note(LAPACK "${LAPACK_VERSION}" yes "eigenvalues, singular values and QR on the CPU")
else()
  minima_note(LAPACK "" no "not found (Debian: liblapack-dev), Eigen does its work, more slowly")
endif()

# Gloo's own package sets no version that find_package reports as ours do.
find_package(Gloo QUIET GLOBAL CONFIG)
set(MINIMA_HAVE_GLOO ${Gloo_FOUND})
if(Gloo_FOUND)
  minima_note(Gloo "${Gloo_VERSION}" yes "training by several processes on CPUs")
else()
  set(MINIMA_HAVE_GLOO OFF)
  minima_note(Gloo "" no "not found (Debian: libgloo-dev), so several processes on CPUs cannot train together")
endif()

set(MINIMA_HAVE_ONEDNN OFF)
if(MINIMA_ONEDNN STREQUAL "OFF")
  minima_note(oneDNN "" no "forbidden by MINIMA_ONEDNN=OFF, Eigen does its work")
else()
  find_package(OneDNN 2.6 QUIET GLOBAL)
  if(OneDNN_FOUND)
    set(MINIMA_HAVE_ONEDNN ON)
    minima_note(oneDNN "${OneDNN_VERSION}" yes "faster convolutions and matrix products on the CPU")
  elseif(MINIMA_ONEDNN STREQUAL "ON")
    minima_missing("oneDNN 2.6 or newer (MINIMA_ONEDNN=ON)" libdnnl-dev)
  else()
    minima_note(oneDNN "" no "not found (Debian: libdnnl-dev), Eigen does its work, more slowly")
  endif()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/cuda.cmake)
