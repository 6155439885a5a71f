# Included by the fetched project at its project(): notes what its folder is like and compares once all is configured,
# to show that none of minima's configuration leaks into a project that includes it.

function(note_folder out)
  set(state)
  foreach(variable CMAKE_CXX_STANDARD CMAKE_CXX_EXTENSIONS CMAKE_CXX_FLAGS CMAKE_BUILD_TYPE CMAKE_MODULE_PATH
      CMAKE_CXX_COMPILER_LAUNCHER CMAKE_EXPORT_COMPILE_COMMANDS BUILD_SHARED_LIBS BUILD_TESTING)
    list(APPEND state "${variable}=${${variable}}")
  endforeach()
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS TESTS)
    get_property(value DIRECTORY ${CMAKE_SOURCE_DIR} PROPERTY ${property})
    list(APPEND state "${property}=${value}")
  endforeach()
  set(${out} "${state}" PARENT_SCOPE)
endfunction()

function(compare_folder)
  note_folder(after)
  if(NOT after STREQUAL folder_before)
    message(FATAL_ERROR "minima changed its parent project\n  before: ${folder_before}\n  after:  ${after}")
  endif()
  get_target_property(features minima INTERFACE_COMPILE_OPTIONS)
  if(features)
    message(FATAL_ERROR "minima hands compile options to its users: ${features}")
  endif()
endfunction()

note_folder(folder_before)
cmake_language(DEFER CALL compare_folder)
