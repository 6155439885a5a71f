# Flags of the project's own targets, the same for g++ and clang; whoever links minima sees none of them. nvcc hands its
# share to the compiler of the host part, without -Wpedantic, which the code that it generates does not keep.

add_library(minima_flags INTERFACE)
target_compile_options(minima_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic $<$<BOOL:${MINIMA_WERROR}>:-Werror>>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra $<$<BOOL:${MINIMA_WERROR}>:--Werror=all-warnings>>)
# g++ 12 takes the operands that its own AVX-512 intrinsics leave undefined for uninitialised variables (GCC bug 105593),
# wherever they are inlined: into Eigen's products here.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(minima_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-uninitialized> $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
endif()
# A loop over elements says that it may be vectorised, whatever it calls; that clang then does not (because it calls the C
# library, say, or in instrumented code) is no fault of the source. Neither is the temporary buffer, deprecated by C++17,
# that libstdc++ 12 takes in std::stable_sort.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(minima_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-pass-failed> $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()

set(sanitizer_address -fsanitize=address,undefined -fno-sanitize-recover=undefined)
set(sanitizer_thread -fsanitize=thread)
set(sanitizer_fuzz ${sanitizer_address} -fsanitize=fuzzer-no-link)  # clang's libFuzzer
if(MINIMA_SANITIZE)
  # g++ loses track of what is initialised in instrumented code, as its manual says of -fsanitize.
  target_compile_options(minima_flags INTERFACE ${sanitizer_${MINIMA_SANITIZE}} -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(minima_flags INTERFACE ${sanitizer_${MINIMA_SANITIZE}})
endif()

# How the library computes. C++20 mode turns the contraction of a * b + c off in g++, and loops with selects vectorise
# only without trapping math; -ffast-math is never used. The last two make thread-local state and calls inside a shared
# library as cheap as in a static one.
set(MINIMA_COMPUTE_FLAGS -ffp-contract=fast -fno-math-errno -fno-trapping-math
  -fno-semantic-interposition -ftls-model=initial-exec)

include(CheckCXXCompilerFlag)
if(MINIMA_NATIVE)
  check_cxx_compiler_flag(-march=native MINIMA_KNOWS_NATIVE)
  if(MINIMA_KNOWS_NATIVE)
    list(APPEND MINIMA_COMPUTE_FLAGS -march=native)
  else()
    list(APPEND MINIMA_COMPUTE_FLAGS -mcpu=native)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND MINIMA_COMPUTE_FLAGS -march=${MINIMA_BASELINE})
endif()
# Compilers use 256 bits of a processor's 512 by default: with all of them exp, log, sin or tanh of many numbers are 1.5 to
# 1.8 times as fast (an Intel Xeon at 2.5 GHz).
check_cxx_compiler_flag(-mprefer-vector-width=512 MINIMA_KNOWS_VECTOR_WIDTH)
if(MINIMA_KNOWS_VECTOR_WIDTH)
  list(APPEND MINIMA_COMPUTE_FLAGS -mprefer-vector-width=512)
endif()

# Kernels take constexpr functions of plain C++ as they are; nothing of this machine's processor goes into their files.
# Templates for all dtypes compare unsigned values with zero, which nvcc finds pointless (186).
set(MINIMA_CUDA_FLAGS --expt-relaxed-constexpr --diag-suppress=186 -Xcompiler=-fno-semantic-interposition,-ftls-model=initial-exec)
