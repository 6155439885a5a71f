# One library from the layer folders, left to right; a new file in one of them is found by itself. What needs CUDA's
# headers says so by its name: *.cu, *_cuda.cpp, and folders cuda/. Folders without_cuda/ are for builds that lack it.

set(MINIMA_LAYERS tensor autograd ops io nn optim amp inference data distributed train profiler)

set(MINIMA_SOURCES)
foreach(layer IN LISTS MINIMA_LAYERS)
  file(GLOB_RECURSE sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/${layer}/*.cpp ${PROJECT_SOURCE_DIR}/${layer}/*.cu)
  if(MINIMA_HAVE_CUDA)
    list(FILTER sources EXCLUDE REGEX "/without_cuda/")
  else()
    list(FILTER sources EXCLUDE REGEX "/cuda/|_cuda[.]cpp$|[.]cu$")
  endif()
  list(APPEND MINIMA_SOURCES ${sources})
endforeach()

# Nothing in these layers loops over elements: -O3 would only cost time to build.
set(orchestration ${MINIMA_SOURCES})
list(FILTER orchestration INCLUDE REGEX "^((autograd|io|nn|inference|data|distributed|train)/|tensor/(host_copy|print)[.]cpp$)")
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
set_target_properties(minima PROPERTIES
  CXX_VISIBILITY_PRESET ${minima_visibility}
  VISIBILITY_INLINES_HIDDEN ${minima_hides}
  POSITION_INDEPENDENT_CODE ON
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(minima PUBLIC cxx_std_20)
if(CMAKE_UNITY_BUILD)
  # What most sources include.
  target_precompile_headers(minima PRIVATE <minima/ops/op.h> <algorithm> <array> <atomic> <cmath> <condition_variable>
    <filesystem> <fstream> <functional> <iomanip> <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <string>
    <thread> <unordered_map> <variant> <vector>)
endif()
target_compile_options(minima PRIVATE
  $<$<COMPILE_LANGUAGE:CXX>:${MINIMA_COMPUTE_FLAGS}> $<$<COMPILE_LANGUAGE:CUDA>:${MINIMA_CUDA_FLAGS}>)
set_source_files_properties(${orchestration} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
# One seed, one sequence: whether the machine has fused multiply-adds must not show in random numbers.
set_source_files_properties(tensor/random/random_fill.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
set_source_files_properties(ops/creation/random_cuda.cu PROPERTIES COMPILE_OPTIONS --fmad=false)
target_link_libraries(minima PRIVATE
  $<BUILD_INTERFACE:minima_flags> $<BUILD_INTERFACE:Eigen3::Eigen> ZLIB::ZLIB Threads::Threads)
if(MINIMA_HAVE_ONEDNN)
  target_link_libraries(minima PRIVATE OneDNN::OneDNN)
  target_compile_definitions(minima PRIVATE MINIMA_HAVE_ONEDNN)
endif()
if(MINIMA_HAVE_JPEG)
  target_link_libraries(minima PRIVATE JPEG::JPEG)
  set_source_files_properties(data/images/jpeg.cpp io/plots/jpeg.cpp PROPERTIES COMPILE_DEFINITIONS MINIMA_HAVE_JPEG)
endif()
if(MINIMA_HAVE_PNG)
  target_link_libraries(minima PRIVATE PNG::PNG)
  set_source_files_properties(data/images/png.cpp PROPERTIES COMPILE_DEFINITIONS MINIMA_HAVE_PNG)
endif()
if(MINIMA_HAVE_ZSTD)
  target_link_libraries(minima PRIVATE zstd::libzstd_shared)
  set_source_files_properties(io/archives/zstd.cpp PROPERTIES COMPILE_DEFINITIONS MINIMA_HAVE_ZSTD)
endif()
if(MINIMA_HAVE_GLOO)
  target_link_libraries(minima PRIVATE gloo)
  set_source_files_properties(distributed/backends/gloo_backend.cpp PROPERTIES COMPILE_DEFINITIONS MINIMA_HAVE_GLOO)
endif()
if(MINIMA_HAVE_CUDA)
  # Users see the definition, so that their own kernels can be left out where minima has no CUDA.
  target_compile_definitions(minima PUBLIC MINIMA_HAVE_CUDA)
  target_include_directories(minima SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${MINIMA_CUDNN_INCLUDE_DIR})
  if(MINIMA_NCCL_INCLUDE_DIR)
    target_include_directories(minima SYSTEM PRIVATE ${MINIMA_NCCL_INCLUDE_DIR})
  endif()
  target_link_libraries(minima PRIVATE CUDA::cudart_static)
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
include(${CMAKE_CURRENT_LIST_DIR}/build_facts.cmake)

# Headers lie beside their sources and are included as <minima/LAYER/…>: one link per layer folder. A link to the whole
# root would be a cycle and show tests and build folders to users.
set(MINIMA_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${MINIMA_INCLUDE_DIR}/minima)
foreach(entry IN LISTS MINIMA_LAYERS ITEMS minima.h)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${MINIMA_INCLUDE_DIR}/minima/${entry} SYMBOLIC)
endforeach()
target_include_directories(minima PUBLIC
  $<BUILD_INTERFACE:${MINIMA_INCLUDE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
