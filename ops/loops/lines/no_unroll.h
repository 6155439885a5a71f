#pragma once

/// Before a loop: it stays one. Unrolled, its loads may be put into another order, and accumulators into memory.
#if defined(__clang__)
#define MINIMA_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define MINIMA_NO_UNROLL _Pragma("GCC unroll 1")
#endif
