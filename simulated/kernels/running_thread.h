#pragma once

#include "simulated/kernels/simt.h"

#include <driver_types.h>

#include <cstddef>
#include <cstdint>

// cuda.h makes CUDA's names of these functions: they know the running thread of a kernel and synchronise it with
// others.

namespace simulated::simt {

/// A barrier's position in the source.
struct Site {
  const char* file;
  int line;
};

/// The indices of the running thread. Kernels look at them all the time.
struct Place {
  const Index *thread, *block, *block_size, *grid_size;
};
extern constinit thread_local Place running_place;

/// CUDA's threadIdx, blockIdx, blockDim and gridDim.
inline const Index& thread_index() { return *running_place.thread; }
inline const Index& block_index() { return *running_place.block; }
inline const Index& block_size() { return *running_place.block_size; }
inline const Index& grid_size() { return *running_place.grid_size; }
/// The block's dynamic shared memory.
void* shared_memory();

/// Waits for all threads of the block.
void block_barrier(Site site);
/// Waits for all threads of the block and returns how many have a `flag` that is not 0.
int block_count(int flag, Site site);
/// Waits for the lanes of `mask`, each of which contributes a value, and returns that of lane `source`, which must be
/// one of them.
std::uint64_t warp_exchange(unsigned mask, std::uint64_t value, unsigned source, Site site);
/// Waits for the lanes of `mask` and returns those whose `flag` is not 0.
unsigned warp_ballot(unsigned mask, int flag, Site site);
/// Waits for the lanes of `mask`; afterwards each sees what the others wrote before.
void warp_barrier(unsigned mask, Site site);
/// The place of the running thread in its warp.
unsigned lane_index();
/// Other threads see all that was written before a fence once they see what was written after it.
void fence();
/// Ends the launch with this error.
[[noreturn]] void fail(const char* message, cudaError_t error = cudaErrorLaunchFailure);
/// Fails, as a GPU does, for a vector load or store at a misaligned address.
inline void expect_aligned(const void* address, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0)
    fail("a pack of elements at an address that is not aligned for it", cudaErrorMisalignedAddress);
}

}  // namespace simulated::simt
