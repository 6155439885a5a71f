# minima with its CUDA sources as plain C++ on simulated GPUs (simulated/, docs/simulated-gpu.md): the whole library with
# MINIMA_CUDA=SIMULATED, and in other builds with tests a second one, of which only that is compiled that differs.

# minima_use_simulated_cuda(TARGET SOURCE…) compiles a library's CUDA sources, absolute paths, for the simulated GPUs.
function(minima_use_simulated_cuda target)
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "[.]cu$")
  # Little optimisation: these files are large, and their kernels mostly switch between threads.
  set(flags -O1 -include ${PROJECT_SOURCE_DIR}/simulated/kernels/cuda.h)
  set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "${flags}")
  # One seed, one sequence, as on the CPU.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/ops/creation/random_cuda.cu PROPERTIES
    COMPILE_OPTIONS "${flags};-ffp-contract=off")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tensor/cuda/devices.cpp PROPERTIES
    COMPILE_DEFINITIONS MINIMA_CUDA_ARCHITECTURES="80")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tensor/cuda/libraries/lazy_library.cpp PROPERTIES
    COMPILE_DEFINITIONS MINIMA_SIMULATED_RUNTIME="libminima_simulated_cuda.so")
  target_compile_definitions(${target} PUBLIC MINIMA_HAVE_CUDA)
  target_link_libraries(${target} PUBLIC minima_simulated_cuda PRIVATE ${CMAKE_DL_LIBS})
endfunction()

# Whether a source or header includes ops/core/on_cuda.h, directly or not: it then knows whether there are CUDA kernels.
function(minima_knows_of_kernels out path)
  get_property(known GLOBAL PROPERTY MINIMA_KNOWS_${path})
  if("${known}" STREQUAL "")
    set(known OFF)
    if(path STREQUAL ops/core/on_cuda.h)
      set(known ON)
    elseif(EXISTS ${PROJECT_SOURCE_DIR}/${path})
      file(STRINGS ${PROJECT_SOURCE_DIR}/${path} includes REGEX "^#include <minima/")
      foreach(include IN LISTS includes)
        string(REGEX REPLACE ".*<minima/(.*)>.*" "\\1" header "${include}")
        minima_knows_of_kernels(known ${header})
        if(known)
          break()
        endif()
      endforeach()
    endif()
    set_property(GLOBAL PROPERTY MINIMA_KNOWS_${path} ${known})
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# The library minima_simulated. Objects that are the same in both come from minima.
function(minima_simulated_library)
  minima_list_sources(sources SIMULATED)
  set(own)
  set(shared)
  foreach(source IN LISTS sources)
    set(differs ON)
    if(NOT source IN_LIST MINIMA_SOURCES OR source MATCHES "/cuda/|_cuda[.]cpp$|[.]cu$|^tensor/system/")
    elseif(NOT MINIMA_HAVE_CUDA)
      minima_knows_of_kernels(differs ${source})
    else()
      set(differs OFF)
    endif()
    if(differs)
      list(APPEND own ${PROJECT_SOURCE_DIR}/${source})
    else()
      string(REPLACE "." "[.]" source ${source})
      list(APPEND shared ${source})
    endif()
  endforeach()
  list(JOIN shared "|" shared)
  add_library(minima_simulated STATIC ${own}
    "$<FILTER:$<TARGET_OBJECTS:minima>,INCLUDE,/minima[.]dir/[./]*(${shared})[.]o$>")
  minima_configure_library(minima_simulated)
  minima_use_simulated_cuda(minima_simulated ${own})

  set(MINIMA_HAVE_CUDA ON)
  set(CUDAToolkit_VERSION simulated)
  set(cudnn_version simulated)
  set(nccl_version simulated)
  set(library_type STATIC_LIBRARY)
  set(facts simulated_facts)
  include(${PROJECT_SOURCE_DIR}/cmake/build_facts.cmake)
endfunction()
