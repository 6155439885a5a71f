#pragma once

// NCCL's header, if there is one. The library is loaded at the first call.

#if __has_include(<nccl.h>)
#define MINIMA_HAVE_NCCL 1
#include <nccl.h>  // IWYU pragma: export
#else
#define MINIMA_HAVE_NCCL 0
#endif
