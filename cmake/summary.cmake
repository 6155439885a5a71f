# The last words of a configure run: what is built, and a table of what was found, what is used, and why.

set(instructions "of this machine")
if(NOT MINIMA_NATIVE)
  set(instructions "of ${MINIMA_BASELINE}")
endif()
get_target_property(library_type minima TYPE)
string(REPLACE "_LIBRARY" "" library_type ${library_type})
string(TOLOWER "${library_type}" library_type)
message(STATUS "minima ${PROJECT_VERSION}: ${library_type} library, ${CMAKE_BUILD_TYPE}, "
  "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, vector instructions ${instructions}")
if(MINIMA_SANITIZE)
  message(STATUS "  everything instrumented with the ${MINIMA_SANITIZE} sanitizer")
endif()

minima_row(heading dependency found used why)
get_property(notes DIRECTORY PROPERTY MINIMA_NOTES)
foreach(row IN LISTS heading notes)
  message(STATUS "  ${row}")
endforeach()
