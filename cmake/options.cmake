# What a user may choose. Everything but the library itself is off when minima is part of another project, and nothing
# here reaches that project: variables are set for this folder only, flags belong to targets.

option(MINIMA_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(MINIMA_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(MINIMA_BUILD_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(MINIMA_INSTALL "Provide an install target" ${PROJECT_IS_TOP_LEVEL})
option(MINIMA_WERROR "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
option(MINIMA_NATIVE "Use all vector instructions of this machine; off for packages that others run" ON)
set(MINIMA_BASELINE x86-64-v3 CACHE STRING
  "The x86-64 processors that run a build with MINIMA_NATIVE=OFF: v3 has AVX2 and FMA (since 2013), v2 SSE4 only")
set(MINIMA_ONEDNN AUTO CACHE STRING "oneDNN: AUTO uses it where found, ON requires it, OFF forbids it")
set(MINIMA_SANITIZE "" CACHE STRING "address (with undefined), thread, or empty: instruments the library and its tests")
set_property(CACHE MINIMA_BASELINE PROPERTY STRINGS x86-64-v2 x86-64-v3 x86-64-v4)
set_property(CACHE MINIMA_ONEDNN PROPERTY STRINGS AUTO ON OFF)
set_property(CACHE MINIMA_SANITIZE PROPERTY STRINGS "" address thread)

# minima_expect(OPTION VALUE…) refuses a value that is not one of these, since a misspelt one would do nothing.
function(minima_expect option)
  if(NOT "${${option}}" IN_LIST ARGN)
    list(JOIN ARGN "\", \"" values)
    message(FATAL_ERROR "${option} is \"${${option}}\"; it may be one of \"${values}\"")
  endif()
endfunction()
minima_expect(MINIMA_ONEDNN AUTO ON OFF)
minima_expect(MINIMA_SANITIZE "" address thread)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL)
  option(BUILD_SHARED_LIBS "Build a shared library" OFF)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo, Debug" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(MINIMA_CCACHE ccache)
  mark_as_advanced(MINIMA_CCACHE)
  if(MINIMA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${MINIMA_CCACHE})
  endif()
endif()
