# Runs PROGRAM with ARGUMENTS (a list) and fails unless it ends with EXIT_CODE and its output matches PATTERN.

execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL EXIT_CODE)
  message(FATAL_ERROR "exit code ${code} instead of ${EXIT_CODE}; it printed:\n${output}")
endif()
if(NOT output MATCHES "${PATTERN}")
  message(FATAL_ERROR "what it printed does not match ${PATTERN}:\n${output}")
endif()
