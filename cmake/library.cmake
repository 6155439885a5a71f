# One library from the layer folders; a new file in one of them is found by itself.

set(MINIMA_LAYERS tensor autograd ops io nn optim amp data distributed train profiler)

set(MINIMA_SOURCES)
foreach(layer IN LISTS MINIMA_LAYERS)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${layer}/*.cpp)
  list(APPEND MINIMA_SOURCES ${sources})
endforeach()

add_library(minima ${MINIMA_SOURCES})
add_library(minima::minima ALIAS minima)
set_target_properties(minima PROPERTIES
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  POSITION_INDEPENDENT_CODE ON
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(minima PUBLIC cxx_std_20)

# C++20 mode turns contraction off in g++; loops with selects vectorise only without trapping math. -ffast-math is
# never used.
target_compile_options(minima PRIVATE -ffp-contract=fast -fno-math-errno -fno-trapping-math
  -fno-semantic-interposition -ftls-model=initial-exec $<$<CONFIG:Release>:-O3>)
if(MINIMA_NATIVE)
  target_compile_options(minima PRIVATE -march=native)
endif()
target_link_libraries(minima PRIVATE $<BUILD_INTERFACE:minima_flags> $<BUILD_INTERFACE:Eigen3::Eigen> ZLIB::ZLIB Threads::Threads)
if(MINIMA_HAVE_ONEDNN)
  target_link_libraries(minima PRIVATE OneDNN::OneDNN)
  target_compile_definitions(minima PRIVATE MINIMA_HAVE_ONEDNN)
endif()

# Headers lie beside their sources and are included as <minima/LAYER/…>: one link per layer folder.
set(MINIMA_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${MINIMA_INCLUDE_DIR}/minima)
foreach(entry IN LISTS MINIMA_LAYERS ITEMS minima.h)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${entry})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${MINIMA_INCLUDE_DIR}/minima/${entry} SYMBOLIC)
  endif()
endforeach()
target_include_directories(minima PUBLIC
  $<BUILD_INTERFACE:${MINIMA_INCLUDE_DIR}> $<INSTALL_INTERFACE:include>)
