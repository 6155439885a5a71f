# Writes to OUT a CTest case for each suite that PROGRAM has for FILTER: each runs the whole suite.

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=${FILTER} OUTPUT_VARIABLE listed
  ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} does not list its tests:\n${errors}")
endif()
string(REGEX MATCHALL "\n[A-Za-z0-9_/]+[.]" suites "\n${listed}")
set(text "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "\n(.*)[.]" "\\1" suite "${suite}")
  # A skipped test must not pass as one of many: it belongs in a suite whose tests are cases of their own.
  string(APPEND text "add_test(${suite} [==[${PROGRAM}]==] --gtest_brief=1 --gtest_filter=${suite}.*)\n"
    "set_tests_properties(${suite} PROPERTIES LABELS cpu WORKING_DIRECTORY [==[${FOLDER}]==] FAIL_REGULAR_EXPRESSION \"SKIPPED\")\n")
endforeach()
file(WRITE ${OUT} "${text}")
