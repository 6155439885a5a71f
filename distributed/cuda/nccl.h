#pragma once

// NCCL's header where there is one; the library itself is opened at the first call.

#if __has_include(<nccl.h>)
#define MINIMA_HAVE_NCCL 1
#include <nccl.h>

#include <minima/tensor/cuda/libraries/lazy_library.h>

namespace minima::cuda {
extern LazyLibrary nccl_library;
}
#else
#define MINIMA_HAVE_NCCL 0
#endif
