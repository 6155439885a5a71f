# One library from the layer folders, left to right; a new file in one of them is found by itself. What needs CUDA's
# headers says so by its name: *.cu, *_cuda.cpp, and folders cuda/. Folders without_cuda/ are for builds that lack it.

include(${CMAKE_CURRENT_LIST_DIR}/simulated.cmake)

set(MINIMA_LAYERS tensor autograd ops io nn models distributions optim amp inference data distributed train profiler)

# minima_list_sources(OUT CUDA): the sources of a library with CUDA (ON), without (OFF) or on SIMULATED GPUs, relative to the
# project.
function(minima_list_sources out cuda)
  set(all)
  foreach(layer IN LISTS MINIMA_LAYERS)
    file(GLOB_RECURSE sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
      ${PROJECT_SOURCE_DIR}/${layer}/*.cpp ${PROJECT_SOURCE_DIR}/${layer}/*.cu)
    list(APPEND all ${sources})
  endforeach()
  if(cuda)
    list(FILTER all EXCLUDE REGEX "/without_cuda/")
  else()
    list(FILTER all EXCLUDE REGEX "/cuda/|_cuda[.]cpp$|[.]cu$")
  endif()
  if(cuda STREQUAL "SIMULATED")
    # The only source that is replaced: cuDNN's graphs are computed instead of described to cuDNN.
    list(REMOVE_ITEM all ops/cudnn/frontend_cuda.cpp)
    file(GLOB graphs RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/simulated/cudnn/*.cpp)
    list(APPEND all ${graphs})
  endif()
  set(${out} ${all} PARENT_SCOPE)
endfunction()
if(MINIMA_CUDA STREQUAL "SIMULATED")
  minima_list_sources(MINIMA_SOURCES SIMULATED)
else()
  minima_list_sources(MINIMA_SOURCES ${MINIMA_HAVE_CUDA})
endif()

# Nothing in these layers loops over elements: -O3 would only cost time to build.
set(orchestration ${MINIMA_SOURCES})
list(FILTER orchestration INCLUDE REGEX "^((autograd|io|nn|models|distributions|inference|data|distributed|train)/|tensor/(host_copy|print)[.]cpp$)")
list(FILTER orchestration EXCLUDE REGEX "^(data/(images|transforms)/|distributed/backends/reduce)")  # but for these

# With -D CMAKE_UNITY_BUILD=ON each folder but the operators' is one source, and so are the fronts of ten operators,
# which cuts what they cost to build. CMake's own unity builds would leave out sources that have options. Sources with
# definitions or include folders of their own stay alone.
set(operators 0)
foreach(source IN LISTS MINIMA_SOURCES)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  if(source STREQUAL ops/${name}/${name}.cpp)
    math(EXPR unit "${operators} / 10")
    math(EXPR operators "${operators} + 1")
    set(unit ops/${unit})
  elseif(source MATCHES "^ops/|/cuda/|^tensor/system/|_cuda[.]cpp$|[.]cu$|/(jpeg|png|zstd|gloo_backend|host_copy|print|random_fill|reduce.*)[.]cpp$")
    continue()
  else()
    set(unit ${folder})
  endif()
  string(REPLACE / _ unit ${unit})
  list(APPEND together ${source})
  list(APPEND units ${unit})
  string(APPEND includes_${unit} "#include \"${PROJECT_SOURCE_DIR}/${source}\"\n")
  set(optimised_${unit})
  if(source IN_LIST orchestration)
    set(optimised_${unit} $<$<CONFIG:Release>:-O1>)
  elseif(unit MATCHES "^ops_")
    set(optimised_${unit} $<$<CONFIG:Release>:-O2>)
  endif()
endforeach()
list(REMOVE_DUPLICATES units)
set(MINIMA_UNITS)
foreach(unit IN LISTS units)
  set(source ${PROJECT_BINARY_DIR}/unity/${unit}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "${includes_${unit}}")
  list(APPEND MINIMA_UNITS ${source})
  # g++ takes anonymous namespaces in an included file for a header's.
  set_source_files_properties(${source} PROPERTIES
    COMPILE_OPTIONS "${optimised_${unit}};$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
endforeach()
if(CMAKE_UNITY_BUILD)
  list(REMOVE_ITEM MINIMA_SOURCES ${together})
  list(APPEND MINIMA_SOURCES ${MINIMA_UNITS})
endif()

add_library(minima ${MINIMA_SOURCES})
set_target_properties(minima PROPERTIES UNITY_BUILD OFF)
add_library(minima::minima ALIAS minima)
# A shared library shows what MINIMA_API marks. Tests look inside, so one that is built with them hides nothing.
if(BUILD_SHARED_LIBS AND MINIMA_BUILD_TESTS)
  set(minima_visibility default)
  set(minima_hides OFF)
else()
  set(minima_visibility hidden)
  set(minima_hides ON)
endif()

# minima_configure_library(TARGET): what all forms of the library have in common.
function(minima_configure_library target)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET ${minima_visibility}
    VISIBILITY_INLINES_HIDDEN ${minima_hides}
    POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:${MINIMA_COMPUTE_FLAGS}> $<$<COMPILE_LANGUAGE:CUDA>:${MINIMA_CUDA_FLAGS}>)
  list(TRANSFORM orchestration PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
  # One seed, one sequence: whether the machine has fused multiply-adds must not show in random numbers.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tensor/random/random_fill.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
  target_link_libraries(${target} PRIVATE
    $<BUILD_INTERFACE:minima_flags> $<BUILD_INTERFACE:Eigen3::Eigen> ZLIB::ZLIB Threads::Threads)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(MINIMA_HAVE_ONEDNN)
    target_link_libraries(${target} PRIVATE OneDNN::OneDNN)
    target_compile_definitions(${target} PRIVATE MINIMA_HAVE_ONEDNN)
  endif()
  # Libraries that are linked where they were found, and the sources that call them.
  set(sources_JPEG data/images/jpeg.cpp io/plots/jpeg.cpp)
  set(sources_PNG data/images/png.cpp)
  set(sources_ZSTD io/archives/zstd.cpp)
  set(sources_GLOO distributed/backends/gloo_backend.cpp)
  foreach(name library IN ZIP_LISTS MINIMA_OPTIONAL MINIMA_OPTIONAL_TARGETS)
    if(MINIMA_HAVE_${name})
      target_link_libraries(${target} PRIVATE ${library})
      list(TRANSFORM sources_${name} PREPEND ${PROJECT_SOURCE_DIR}/)
      set_source_files_properties(${sources_${name}} PROPERTIES COMPILE_DEFINITIONS MINIMA_HAVE_${name})
    endif()
  endforeach()
endfunction()
set(MINIMA_OPTIONAL JPEG PNG ZSTD GLOO)
set(MINIMA_OPTIONAL_TARGETS JPEG::JPEG PNG::PNG zstd::libzstd_shared gloo)

minima_configure_library(minima)
set_target_properties(minima PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(CMAKE_UNITY_BUILD)
  # What most sources include.
  target_precompile_headers(minima PRIVATE <minima/ops/op.h> <algorithm> <array> <atomic> <cmath> <condition_variable>
    <filesystem> <fstream> <functional> <iomanip> <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <string>
    <thread> <unordered_map> <variant> <vector>)
endif()
if(MINIMA_CUDA STREQUAL "SIMULATED")
  list(TRANSFORM MINIMA_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  minima_use_simulated_cuda(minima ${sources})
elseif(MINIMA_HAVE_CUDA)
  # Users see the definition, so that their own kernels can be left out where minima has no CUDA.
  target_compile_definitions(minima PUBLIC MINIMA_HAVE_CUDA)
  target_include_directories(minima SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${MINIMA_CUDNN_INCLUDE_DIR})
  if(MINIMA_NCCL_INCLUDE_DIR)
    target_include_directories(minima SYSTEM PRIVATE ${MINIMA_NCCL_INCLUDE_DIR})
  endif()
  list(GET CUDAToolkit_INCLUDE_DIRS 0 toolkit)
  if(CUDAToolkit_CUPTI_INCLUDE_DIR AND NOT EXISTS ${toolkit}/cupti.h)  # some toolkits have it in a folder of its own
    target_include_directories(minima SYSTEM PRIVATE ${CUDAToolkit_CUPTI_INCLUDE_DIR})
  endif()
  target_link_libraries(minima PRIVATE CUDA::cudart_static)
  set_source_files_properties(ops/creation/random_cuda.cu PROPERTIES COMPILE_OPTIONS --fmad=false)
  list(JOIN MINIMA_CUDA_LIBRARY_DIRS ":" library_dirs)
  set_source_files_properties(tensor/cuda/libraries/lazy_library.cpp PROPERTIES
    COMPILE_DEFINITIONS MINIMA_CUDA_LIBRARY_DIRS="${library_dirs}")
  list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
  set_source_files_properties(tensor/cuda/devices.cpp PROPERTIES
    COMPILE_DEFINITIONS MINIMA_CUDA_ARCHITECTURES="${architectures}")
  set_target_properties(minima PROPERTIES CUDA_VISIBILITY_PRESET ${minima_visibility})
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
