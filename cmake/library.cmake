# The library: one target, minima, made of families (families.cmake).

include(${CMAKE_CURRENT_LIST_DIR}/families.cmake)
include(${PROJECT_SOURCE_DIR}/simulated/minima.cmake)

if(MINIMA_CUDA STREQUAL "SIMULATED")
  minima_list_sources(MINIMA_SOURCES SIMULATED)
else()
  minima_list_sources(MINIMA_SOURCES ${MINIMA_HAVE_CUDA})
endif()

# A shared library shows what MINIMA_API marks. Tests look inside, so one that is built with them hides nothing.
if(BUILD_SHARED_LIBS AND MINIMA_BUILD_TESTS)
  set(minima_visibility default)
  set(minima_hides OFF)
else()
  set(minima_visibility hidden)
  set(minima_hides ON)
endif()

# Libraries that are linked where they were found, and the sources that know of them.
set(MINIMA_OPTIONAL JPEG PNG ZSTD UTF8PROC PROTOBUF GLOO ONEDNN LAPACK)
set(MINIMA_OPTIONAL_TARGETS JPEG::JPEG PNG::PNG zstd::libzstd_shared utf8proc::utf8proc protobuf::libprotobuf-lite gloo
  OneDNN::OneDNN LAPACK::LAPACK)
set(MINIMA_SOURCES_JPEG data/images/jpeg_decoder.cpp io/plots/jpeg_writer.cpp)
set(MINIMA_SOURCES_PNG data/images/png_decoder.cpp)
set(MINIMA_SOURCES_ZSTD io/archives/zstd.cpp)
set(MINIMA_SOURCES_UTF8PROC data/tokenizers/unicode.cpp)
set(MINIMA_SOURCES_PROTOBUF io/onnx/onnx_read.cpp io/onnx/onnx_write.cpp)
set(MINIMA_SOURCES_GLOO distributed/backends/gloo_backend.cpp)
set(MINIMA_SOURCES_ONEDNN ops/convolution/conv2d_cpu.cpp ops/convolution/conv2d_onednn.cpp ops/convolution/onednn_plan.cpp
  ops/product/gemm/engine.cpp ops/product/gemm/gemm_onednn.cpp)
set(MINIMA_SOURCES_LAPACK ops/linalg/kernels/decompositions_eigen.cpp ops/linalg/kernels/decompositions_lapack.cpp
  ops/linalg/kernels/one_blas_thread.cpp)

# The messages of ONNX files, from the format's definition.
set(MINIMA_ONNX_MESSAGES ${PROJECT_BINARY_DIR}/onnx_messages)
if(MINIMA_HAVE_PROTOBUF)
  file(MAKE_DIRECTORY ${MINIMA_ONNX_MESSAGES})
  add_custom_command(OUTPUT ${MINIMA_ONNX_MESSAGES}/onnx.pb.cc ${MINIMA_ONNX_MESSAGES}/onnx.pb.h
    COMMAND ${Protobuf_PROTOC_EXECUTABLE} --proto_path=${PROJECT_SOURCE_DIR}/io/onnx --cpp_out=${MINIMA_ONNX_MESSAGES}
      onnx.proto
    DEPENDS ${PROJECT_SOURCE_DIR}/io/onnx/onnx.proto COMMENT "Generating the messages of ONNX files" VERBATIM)
endif()

# minima_configure_library(TARGET): what all forms of the library have in common.
function(minima_configure_library target)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET ${minima_visibility}
    VISIBILITY_INLINES_HIDDEN ${minima_hides}
    POSITION_INDEPENDENT_CODE ON
    UNITY_BUILD OFF)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:${MINIMA_COMPUTE_FLAGS}> $<$<COMPILE_LANGUAGE:CUDA>:${MINIMA_CUDA_FLAGS}>)
  target_link_libraries(${target} PRIVATE
    $<BUILD_INTERFACE:minima_flags> $<BUILD_INTERFACE:Eigen3::Eigen> ZLIB::ZLIB Threads::Threads)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(name library IN ZIP_LISTS MINIMA_OPTIONAL MINIMA_OPTIONAL_TARGETS)
    if(MINIMA_HAVE_${name})
      target_link_libraries(${target} PRIVATE ${library})
    endif()
  endforeach()
endfunction()

# minima_configure_sources(): the options of single sources, for all targets of the folder that calls it.
function(minima_configure_sources)
  foreach(source IN LISTS MINIMA_SOURCES)
    minima_optimisation(options ${source})
    if(options)
      set_source_files_properties(${PROJECT_SOURCE_DIR}/${source} PROPERTIES COMPILE_OPTIONS ${options})
    endif()
  endforeach()
  # One seed, one sequence: whether the machine has fused multiply-adds must not show in random numbers.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tensor/random/random_fill.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
  foreach(name IN LISTS MINIMA_OPTIONAL)
    if(MINIMA_HAVE_${name})
      set(sources tensor/system/linked_libraries.cpp ${MINIMA_SOURCES_${name}})
      list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
      set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_DEFINITIONS MINIMA_HAVE_${name})
    endif()
  endforeach()
  if(MINIMA_HAVE_PROTOBUF)
    set(sources ${MINIMA_SOURCES_PROTOBUF})
    list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -isystem ${MINIMA_ONNX_MESSAGES})
    set_property(SOURCE ${sources} APPEND PROPERTY
      OBJECT_DEPENDS ${MINIMA_ONNX_MESSAGES}/onnx.pb.cc ${MINIMA_ONNX_MESSAGES}/onnx.pb.h)
  endif()
endfunction()

# minima_use_cuda(TARGET): CUDA's headers and runtime.
function(minima_use_cuda target)
  # Users see the definition, so that their own kernels can be left out where minima has no CUDA.
  target_compile_definitions(${target} PUBLIC MINIMA_HAVE_CUDA)
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${MINIMA_CUDNN_INCLUDE_DIR})
  if(MINIMA_NCCL_INCLUDE_DIR)
    target_include_directories(${target} SYSTEM PRIVATE ${MINIMA_NCCL_INCLUDE_DIR})
  endif()
  list(GET CUDAToolkit_INCLUDE_DIRS 0 toolkit)
  if(CUDAToolkit_CUPTI_INCLUDE_DIR AND NOT EXISTS ${toolkit}/cupti.h)  # some toolkits have it in a folder of its own
    target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_CUPTI_INCLUDE_DIR})
  endif()
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  set_target_properties(${target} PROPERTIES CUDA_VISIBILITY_PRESET ${minima_visibility})
endfunction()

# Most sources include these: with MINIMA_UNITY they are precompiled.
set(MINIMA_COMMON_HEADERS <minima/ops/op.h> <algorithm> <array> <atomic> <cmath> <condition_variable> <filesystem> <fstream>
  <functional> <iomanip> <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <string> <thread> <unordered_map>
  <variant> <vector>)

minima_configure_sources()
foreach(source IN LISTS MINIMA_SOURCES)
  minima_choose_family(family ${source})
  list(APPEND MINIMA_SOURCES_${family} ${source})
endforeach()
set(MINIMA_COMPILED)  # sources, relative to the project, and units, in the build folder
set(objects)
foreach(family IN LISTS MINIMA_FAMILIES)
  minima_join(compiled ${family} ${MINIMA_SOURCES_${family}})
  list(APPEND MINIMA_COMPILED ${compiled})
  add_library(minima_${family} STATIC EXCLUDE_FROM_ALL ${compiled})
  minima_configure_library(minima_${family})
  if(MINIMA_CUDA STREQUAL "SIMULATED")
    list(FILTER compiled EXCLUDE REGEX "^/")
    list(TRANSFORM compiled PREPEND ${PROJECT_SOURCE_DIR}/)
    minima_use_simulated_cuda(minima_${family} ${compiled})
  elseif(MINIMA_HAVE_CUDA)
    minima_use_cuda(minima_${family})
  endif()
  if(NOT MINIMA_UNITY)
    # Separate sources prove that each includes what it needs.
  elseif(family STREQUAL core)
    target_precompile_headers(minima_core PRIVATE ${MINIMA_COMMON_HEADERS})
  else()
    target_precompile_headers(minima_${family} REUSE_FROM minima_core)
  endif()
  list(APPEND objects $<TARGET_OBJECTS:minima_${family}>)
endforeach()

# What the core refuses in programs that link it alone: complex numbers, and products of half types on the CPU.
add_library(minima_core_alone STATIC EXCLUDE_FROM_ALL
  ${PROJECT_SOURCE_DIR}/ops/core/core_alone/complex_ops.cpp ${PROJECT_SOURCE_DIR}/ops/core/core_alone/half_block.cpp)
minima_configure_library(minima_core_alone)

add_library(minima ${objects})
add_library(minima::minima ALIAS minima)
minima_configure_library(minima)
set_target_properties(minima PROPERTIES
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(MINIMA_CUDA STREQUAL "SIMULATED")
  minima_use_simulated_cuda(minima)
elseif(MINIMA_HAVE_CUDA)
  minima_use_cuda(minima)
  set_source_files_properties(ops/creation/random_cuda.cu PROPERTIES COMPILE_OPTIONS --fmad=false)
  list(JOIN MINIMA_CUDA_LIBRARY_DIRS ":" library_dirs)
  set_source_files_properties(tensor/cuda/libraries/lazy_library.cpp PROPERTIES
    COMPILE_DEFINITIONS MINIMA_CUDA_LIBRARY_DIRS="${library_dirs}")
  list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
  set_source_files_properties(tensor/cuda/devices.cpp PROPERTIES
    COMPILE_DEFINITIONS MINIMA_CUDA_ARCHITECTURES="${architectures}")
  if(MINIMA_HAVE_CUDNN_FRONTEND)
    # Half a minute at -O2; what it does takes milliseconds, once for each shape.
    set_source_files_properties(ops/cudnn/frontend_cuda.cpp PROPERTIES
      COMPILE_DEFINITIONS MINIMA_HAVE_CUDNN_FRONTEND COMPILE_OPTIONS "-O1;-isystem;${MINIMA_CUDNN_FRONTEND_INCLUDE_DIR}")
  endif()
endif()

get_target_property(library_type minima TYPE)
set(facts build_facts)
include(${CMAKE_CURRENT_LIST_DIR}/build_facts.cmake)

# Headers are next to their sources and are included as <minima/LAYER/…>: one link per layer folder. A link to the whole
# root would be a cycle and show tests and build folders to users.
set(MINIMA_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${MINIMA_INCLUDE_DIR}/minima)
foreach(entry IN LISTS MINIMA_LAYERS ITEMS minima.h)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${MINIMA_INCLUDE_DIR}/minima/${entry} SYMBOLIC)
endforeach()
