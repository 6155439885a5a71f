#pragma once

// Hints in front of a loop, in the spelling of either compiler.

/// Iterations are independent, so the compiler may vectorise without a run-time check for aliasing.
#if defined(__clang__)
#define MINIMA_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define MINIMA_IVDEP _Pragma("GCC ivdep")
#endif

/// Not unrolled: unrolling may reorder the loads and spill accumulators to memory.
#if defined(__clang__)
#define MINIMA_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define MINIMA_NO_UNROLL _Pragma("GCC unroll 1")
#endif
