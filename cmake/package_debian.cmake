# Read by cpack. A static library was compiled for the shared libraries of one release of one distribution, which its -dev
# dependencies do not say (libdnnl-dev is oneDNN 2 in one release and 3 in the next). So the .deb depends on the packages of
# those libraries, too, whose names change with the ABI; dpkg-shlibdeps does this for a shared library.

if(CPACK_GENERATOR STREQUAL "DEB")
  find_program(dpkg_query dpkg-query)
  set(patterns)
  foreach(file IN LISTS CPACK_MINIMA_LINKED_FILES)
    file(REAL_PATH ${file} file)
    cmake_path(GET file FILENAME name)
    list(APPEND patterns "*/${name}")
  endforeach()
  # `zlib1g:amd64: /lib/x86_64-linux-gnu/libz.so.1.2.13`; a library from elsewhere has no line.
  execute_process(COMMAND ${dpkg_query} --search ${patterns} OUTPUT_VARIABLE owners ERROR_QUIET)
  string(REGEX MATCHALL "[^\n]+" owners "${owners}")
  foreach(owner IN LISTS owners)
    string(REGEX REPLACE ":.*" "" owner "${owner}")
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", ${owner}")
  endforeach()
endif()
