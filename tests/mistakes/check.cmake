# Compiles SOURCE with COMPILER, which is g++ or clang++ as KIND says, and reads what it prints.

cmake_minimum_required(VERSION 3.25)

set(ENV{LC_ALL} C)
execute_process(
  COMMAND ${COMPILER} -std=c++20 -fsyntax-only -fno-diagnostics-color -I ${INCLUDE_DIR} ${SOURCE}
  OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX MATCHALL "\n" ends "${output}")
list(LENGTH ends lines)
string(REGEX MATCH "[^\n]*(error|warning): [^\n]*" first "${output}")

# The value of `// KEY: value` in SOURCE, for this compiler if there is one.
function(expectation key otherwise result)
  file(STRINGS ${SOURCE} comments REGEX "^// ")
  set(found "${otherwise}")
  foreach(comment IN LISTS comments)
    foreach(prefix "" "${KIND} ")
      string(FIND "${comment}" "// ${prefix}${key}: " at)
      if(at EQUAL 0)
        string(LENGTH "// ${prefix}${key}: " length)
        string(SUBSTRING "${comment}" ${length} -1 found)
      endif()
    endforeach()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

expectation(says "" says)
expectation(lines 10 most)
string(FIND "${first}" "${says}" at)
if(says STREQUAL "" OR at EQUAL -1)
  message(FATAL_ERROR "expected the first error to say\n  ${says}\nbut got\n${output}")
endif()
if(lines GREATER most)
  message(FATAL_ERROR "${lines} lines, at most ${most}:\n${output}")
endif()
message("${lines} lines: ${first}")
