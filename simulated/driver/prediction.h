#pragma once

// A profiler asks a simulated GPU these, besides CUDA's functions: the clock on which its work begins and ends, and
// what the time model supposes. Only the simulated driver has these functions, so a program can tell by them that
// figures are predictions.

#include <cstddef>

extern "C" {

/// The host's clock: the calls of CUDA so far and the waits for the GPUs, in seconds.
double simulatedSeconds();
/// Returns what a GPU reaches at best: bytes of its memory, and operations of products in float32 and in half types per
/// second, and the seconds between two kernels. 0 if there is no such GPU.
int simulatedRoof(int device, double* bytes, double* float32, double* half, double* gap);

/// From now on `find` tells how large the operands of kernels are: it fills in the block around an address, or returns
/// 0. Called with the machine's lock held. Null ends this. Returns 0 if someone else tells already.
int simulatedExtents(int (*find)(const void* address, const void** start, std::size_t* bytes));

}  // extern "C"
