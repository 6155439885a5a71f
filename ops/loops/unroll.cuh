#pragma once

// Before a loop with constant bounds: nvcc repeats its body, so that arrays indexed by it stay in registers and its
// loads are issued together.
#ifdef __CUDACC__
#define MINIMA_UNROLL _Pragma("unroll")
#else
#define MINIMA_UNROLL
#endif
