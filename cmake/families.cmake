# The library's sources. They are found by themselves in the layers' folders, left to right; what needs CUDA's headers says
# so by its name: *.cu, *_cuda.cpp, and folders cuda/. Folders without_cuda/ are for builds that lack it.
#
# A family is a target of its own, minima_FAMILY, and minima consists of all families. A program of this project may link
# some of them instead, and is then built without the rest.

set(MINIMA_LAYERS tensor autograd ops io nn models onnx distributions optim amp inference data distributed train profiler)

# The family `core` has what a first training needs: examples/quickstart links nothing else. Any other source belongs to
# the family of its layer.
set(MINIMA_CORE  # regular expressions
  "tensor/.*" "autograd/(observe/)?[^/]*"
  "ops/([^/]*|(autocast|copy|core|cudnn|loops)/.*|creation/(creation|random).*)"
  "ops/convolution/(conv|geometry|onednn_plan|patches).*"
  "ops/dropout/dropout.*" "ops/index/(embedding(_c|[.])|gather|index|nonzero|places|put_rows|scatter[.]|select).*"
  "ops/loss/(cross_entropy|reduced).*"
  "ops/norm/(batch_norm|channel_).*"
  "ops/pointwise/(activation_[12]_cuda|arithmetic|common_activations|comparison|exponential).*"
  "ops/pooling/(adaptive_max_pool|avg_pool|max_pool|max_unpool|pool_axis).*"
  "ops/product/(linear|matmul|gemm/(blas_|engine|epilogue|gemm|matrices|one_thread|packed_block|usage)).*"
  "ops/reduce/(extreme|reduce|softmax|statistics|sum|work).*"
  "ops/view/(copy_slices|interleave|join|pad|parts|slice[.]|split|view).*" "simulated/cudnn/.*"
  "io/((files|text)/)?[^/]*" "io/archives/(gzip|inflate|zstd).*" "io/tensors/safetensors.*"
  "io/plots/(image_grid|line_plot|png_writer|svg|ticks)[.].*"
  "nn/module/.*" "nn/containers/sequential.*" "nn/init/((default_)?init|defer|skip)[.].*" "nn/save[.].*"
  "nn/layers/(conv|conv_padding|linear|pooling)[.].*" "nn/norm/(batch|conv)_norm.*" "nn/parametrize/stand_in[.].*"
  "optim/((schedules|update)/)?[^/]*" "optim/elementwise/(adam_and_sgd|rules_cuda)[.].*"
  "data/((collate|loader|sampling|cuda|without_cuda)/)?[^/]*" "data/datasets/(fashion_mnist|idx|mnist)[.].*"
  "train/(class_batch|metrics|progress)[.].*")
set(MINIMA_FAMILIES core)
foreach(layer IN LISTS MINIMA_LAYERS)
  if(NOT layer MATCHES "^tensor$")
    list(APPEND MINIMA_FAMILIES ${layer})
  endif()
endforeach()

# minima_list_sources(OUT CUDA): the sources of a library with CUDA (ON), without (OFF) or on SIMULATED GPUs, relative to the
# project.
function(minima_list_sources out cuda)
  set(all)
  foreach(layer IN LISTS MINIMA_LAYERS)
    file(GLOB_RECURSE sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
      ${PROJECT_SOURCE_DIR}/${layer}/*.cpp ${PROJECT_SOURCE_DIR}/${layer}/*.cu)
    list(APPEND all ${sources})
  endforeach()
  list(FILTER all EXCLUDE REGEX "/core_alone/")  # for programs that link the core alone
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

# minima_choose_family(OUT SOURCE)
function(minima_choose_family out source)
  string(REGEX REPLACE "/.*" "" family ${source})
  foreach(pattern IN LISTS MINIMA_CORE)
    if(source MATCHES "^${pattern}$")
      set(family core)
    endif()
  endforeach()
  set(${out} ${family} PARENT_SCOPE)
endfunction()

# minima_optimisation(OUT SOURCE): nothing in these layers loops over elements, so that -O3 would only cost time to build.
# A first build saves more with -O1.
function(minima_optimisation out source)
  set(level "")
  if(source MATCHES "^((autograd|io|nn|models|onnx|distributions|inference|data|distributed|train)/|tensor/(host_copy|print)[.]cpp$)"
     AND NOT source MATCHES "^(data/(images|transforms)/|distributed/backends/reduce)")  # but for these
    set(level $<$<CONFIG:Release>:-O2>)
    if(MINIMA_FIRST_BUILD OR source MATCHES "^(onnx|io/onnx)/")  # saves a third of what protobuf's messages cost
      set(level $<$<CONFIG:Release>:-O1>)
    endif()
  endif()
  set(${out} "${level}" PARENT_SCOPE)
endfunction()

# minima_configure_unit(FILE): the options of a unit, for all targets of the folder that calls it.
function(minima_configure_unit file)
  string(REGEX MATCH "/unity/([^/]+)/([^/]+)[.]cpp$" matched ${file})
  get_property(options GLOBAL PROPERTY MINIMA_UNIT_OPTIONS_${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
  # g++ takes anonymous namespaces in an included file for a header's.
  set_source_files_properties(${file} PROPERTIES
    COMPILE_OPTIONS "${options};$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
endfunction()

# minima_join(OUT FAMILY SOURCE…): what is compiled of a family. With MINIMA_UNITY each folder is one source, or two in ops/:
# the fronts of operators, which have no loops over elements (tests/structure/families_test.cpp names one that has), and the
# rest. That halves what they cost to build. CMake's own unity builds would leave out sources that have options. Sources with
# definitions or include folders of their own stay alone, and so do those that take long.
function(minima_join out family)
  set(alone "/cuda/|^simulated/|^tensor/system/|_cuda[.]cpp$|[.]cu$"
    "^data/images/(jpeg|png)_decoder[.]|^io/plots/jpeg_writer[.]|/zstd[.]|^io/onnx/onnx_(read|write)[.]|^data/tokenizers/unicode[.]|/gloo_backend[.]|^tensor/(host_copy|print|random/random_fill|memory/device/[a-z_]+)[.]|/backends/reduce"
    "^ops/(pointwise/|.*(/kernels/|onednn|_cpu[.]|_eigen[.]|/engine[.]))")
  set(loops "^ops/(complex|core|loops|product/gemm|special)/"
    "^ops/.*/(adaptive_max_pool|attention_products|attention_tiles|boxes|channel_[a-z]+|counts|creation|distance|loss|pad|patches|random|recurrent_steps|regions|segments|taps)[.]")
  list(JOIN alone "|" alone)
  list(JOIN loops "|" loops)
  set(compiled)
  set(units)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    string(REPLACE / _ unit ${folder})
    minima_optimisation(options ${source})
    if(NOT MINIMA_UNITY OR source MATCHES "${alone}")
      set(unit "")
    elseif(source MATCHES "^ops/" AND NOT source MATCHES "${loops}")
      string(APPEND unit _fronts)
      set(options $<$<CONFIG:Release>:-O2>)
    endif()
    if(unit STREQUAL "")
      list(APPEND compiled ${source})
    else()
      list(APPEND units ${unit})
      list(APPEND sources_${unit} ${source})
      set(options_${unit} ${options})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES units)
  foreach(unit IN LISTS units)
    set(file ${PROJECT_BINARY_DIR}/unity/${family}/${unit}.cpp)
    list(TRANSFORM sources_${unit} REPLACE "(.+)" "#include \"${PROJECT_SOURCE_DIR}/\\1\"" OUTPUT_VARIABLE includes)
    list(JOIN includes "\n" includes)
    file(CONFIGURE OUTPUT ${file} CONTENT "${includes}\n")
    set_property(GLOBAL PROPERTY MINIMA_UNIT_${family}_${unit} ${sources_${unit}})
    set_property(GLOBAL PROPERTY MINIMA_UNIT_OPTIONS_${family}_${unit} ${options_${unit}})
    minima_configure_unit(${file})
    list(APPEND compiled ${file})
  endforeach()
  set(${out} ${compiled} PARENT_SCOPE)
endfunction()

# minima_sources_in(OUT COMPILED): the sources that a compiled file consists of.
function(minima_sources_in out compiled)
  set(sources ${compiled})
  if(compiled MATCHES "/unity/([^/]+)/([^/]+)[.]cpp$")
    get_property(sources GLOBAL PROPERTY MINIMA_UNIT_${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
  endif()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
