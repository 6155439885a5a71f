# cmake -DSTEP=… -P build_and_run.cmake: configures a consumer project, builds it and runs its program.
#   installed  first installs BUILD_DIR into a prefix, moves that, and lets find_package look there
#   kernel     the same with a CUDA source in the project
#   fetched    hands the project the checkout; minima is built as a shared library there
# Expects KIND, SOURCE_DIR, BUILD_DIR, WORK_DIR, GENERATOR, COMPILER, LAUNCHER, ONEDNN, CUDA, NVCC, ARCHITECTURES.

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    string(REPLACE "\n" "\n  " output "${output}")  # CMake leaves the lines of indented text alone
    message(FATAL_ERROR "failed (${result}):\n  ${command}\n  ${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
set(common -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -S ${SOURCE_DIR}/tests/consumer/${KIND} -B ${WORK_DIR}/build)

if(NOT KIND STREQUAL "fetched")
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first)
  file(RENAME ${WORK_DIR}/first ${WORK_DIR}/moved)
  file(GLOB_RECURSE package ${WORK_DIR}/moved/*.cmake)
  foreach(file IN LISTS package)
    file(READ ${file} text)
    foreach(path ${SOURCE_DIR} ${BUILD_DIR} ${WORK_DIR})
      foreach(start "\"" " " "=" "\;" "(")
        string(FIND "${text}" "${start}${path}" position)
        if(NOT position EQUAL -1)
          message(FATAL_ERROR "${file} names ${path}, a folder of the machine that built it")
        endif()
      endforeach()
    endforeach()
  endforeach()
  if(KIND STREQUAL "kernel")
    list(APPEND common -D CMAKE_CUDA_COMPILER=${NVCC} -D CMAKE_CUDA_ARCHITECTURES=${ARCHITECTURES})
  endif()
  run(${CMAKE_COMMAND} ${common} -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${WORK_DIR}/moved)
else()
  run(${CMAKE_COMMAND} ${common} -D MINIMA_CHECKOUT=${SOURCE_DIR} -D MINIMA_ONEDNN=${ONEDNN} -D MINIMA_CUDA=${CUDA}
    -D BUILD_SHARED_LIBS=ON
    -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -D CMAKE_PROJECT_fetched_INCLUDE=${SOURCE_DIR}/tests/consumer/check_leaks.cmake)
endif()
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
set(program train)
if(KIND STREQUAL "kernel")
  set(program kernel)
endif()
execute_process(COMMAND ${WORK_DIR}/build/${program} COMMAND_ERROR_IS_FATAL ANY)
