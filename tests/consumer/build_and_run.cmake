# cmake -DKIND=… -P build_and_run.cmake: configures a consumer project, builds it and runs its program.
#   installed  first installs BUILD_DIR into a prefix, moves that, and lets find_package look there
#   kernel     the same with a CUDA source in the project
#   torch      the same for a project that looks for LibTorch, which the build folder serves as well
#   fetched    hands the project the checkout; minima is built as a shared library there
#   package    makes the .deb of BUILD_DIR, unpacks it, and starts a project with its minima-new; compiles train.cpp with
#              the flags of its pkg-config file, too, if there is a PKG_CONFIG
# Expects KIND, SOURCE_DIR, BUILD_DIR, WORK_DIR, GENERATOR, COMPILER, LAUNCHER, ONEDNN, NVCC, ARCHITECTURES, CPACK,
# DPKG_DEB, PKG_CONFIG.

function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    string(REPLACE "\n" "\n  " output "${output}")  # CMake leaves the lines of indented text alone
    message(FATAL_ERROR "failed (${result}):\n  ${command}\n  ${output}")
  endif()
endfunction()

# Nothing that a project reads at `prefix` may name a folder of the machine that built it.
function(expect_relocatable prefix)
  file(GLOB_RECURSE package ${prefix}/*.cmake ${prefix}/*.pc)
  foreach(file IN LISTS package)
    file(READ ${file} text)
    foreach(path ${SOURCE_DIR} ${BUILD_DIR} ${WORK_DIR})
      foreach(start "\"" " " "=" "\;" "(" "-I" "-L")
        string(FIND "${text}" "${start}${path}" position)
        if(NOT position EQUAL -1)
          message(FATAL_ERROR "${file} names ${path}, a folder of the machine that built it")
        endif()
      endforeach()
    endforeach()
  endforeach()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(source ${SOURCE_DIR}/tests/consumer/${KIND})
set(program train)
set(options)
if(KIND STREQUAL "fetched")
  # The quickest build: without optimisation, few sources, and without CUDA's, which the others have.
  set(options -D MINIMA_CHECKOUT=${SOURCE_DIR} -D MINIMA_ONEDNN=${ONEDNN} -D MINIMA_CUDA=OFF
    -D BUILD_SHARED_LIBS=ON
    -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -D CMAKE_PROJECT_fetched_INCLUDE=${SOURCE_DIR}/tests/consumer/check_leaks.cmake)
elseif(KIND STREQUAL "package")
  run(${CPACK} -G DEB -B ${WORK_DIR} --config ${BUILD_DIR}/CPackConfig.cmake -D CPACK_DEBIAN_COMPRESSION_TYPE=none)
  file(GLOB deb ${WORK_DIR}/*.deb)
  set(prefix ${WORK_DIR}/root/usr)
  run(${DPKG_DEB} -x ${deb} ${WORK_DIR}/root)
  file(REMOVE_RECURSE ${WORK_DIR}/_CPack_Packages)
  set(source ${WORK_DIR}/spirals)
  set(program spirals)
  run(${prefix}/bin/minima-new ${source})
else()
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first)
  set(prefix ${WORK_DIR}/moved)
  file(RENAME ${WORK_DIR}/first ${prefix})
  if(KIND STREQUAL "torch")
    set(program example-app)
    run(${CMAKE_COMMAND} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -S ${source} -B ${WORK_DIR}/beside
      -D CMAKE_PREFIX_PATH=${BUILD_DIR})
  elseif(KIND STREQUAL "kernel")
    set(program kernel)
    list(APPEND options -D CMAKE_CUDA_COMPILER=${NVCC} -D CMAKE_CUDA_ARCHITECTURES=${ARCHITECTURES})
  endif()
endif()
if(prefix)
  expect_relocatable(${prefix})
  list(APPEND options -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${prefix})
endif()

run(${CMAKE_COMMAND} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -S ${source} -B ${WORK_DIR}/build ${options})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
execute_process(COMMAND ${WORK_DIR}/build/${program} WORKING_DIRECTORY ${WORK_DIR} COMMAND_ERROR_IS_FATAL ANY)

if(KIND STREQUAL "package")
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build --no-tests=error)
  if(NOT EXISTS ${prefix}/lib/libminima.so)
    execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -S ${source} -B ${WORK_DIR}/without
      ${options} -D CMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
    if(result EQUAL 0 OR NOT errors MATCHES "built with ZLIB, which was not found here: install it[ \n]+[(]Debian: zlib1g-dev[)]")
      message(FATAL_ERROR "without zlib, find_package ended with ${result} and does not say what to install:\n  ${errors}")
    endif()
  endif()
  run(${prefix}/bin/minima-launch -n 2 ${WORK_DIR}/build/${program} 1)
  if(PKG_CONFIG)
    file(GLOB folder ${prefix}/lib*/pkgconfig)
    set(ENV{PKG_CONFIG_PATH} ${folder})
    execute_process(COMMAND ${PKG_CONFIG} --cflags --libs minima OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
      COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run(${COMPILER} -std=c++20 ${SOURCE_DIR}/tests/consumer/train.cpp -o ${WORK_DIR}/train ${flags} -Wl,-rpath,${prefix}/lib)
    execute_process(COMMAND ${WORK_DIR}/train COMMAND_ERROR_IS_FATAL ANY)
  else()
    message("there is no pkg-config here: minima.pc was not used")
  endif()
endif()
