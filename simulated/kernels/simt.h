#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

// CUDA kernels on the CPU: every thread of a block is a fiber, and blocks run one after the other. cuda.h has what a
// kernel may use. In builds with the thread sanitizer every block is an OS thread, and only barriers and fences order
// accesses, so the sanitizer finds races.

namespace simt {

struct Index {
  unsigned x = 1, y = 1, z = 1;
};

/// A barrier's position in the source.
struct Site {
  const char* file;
  int line;
};

/// What a GPU would not run as intended: a divergent barrier, a misaligned access, an index that a kernel refused.
class Fault : public std::runtime_error {
 public:
  Fault(cudaError_t error, const std::string& text) : std::runtime_error(text), error_(error) {}
  cudaError_t error() const { return error_; }

 private:
  cudaError_t error_;
};

/// 0 runs threads and blocks in order; any other number shuffles both, and again after every barrier. A deterministic
/// kernel must return the same bits for all seeds.
void set_seed(std::uint64_t seed);
/// How often each kernel has run in this process.
std::map<std::string, std::int64_t> runs();

/// Runs body() once for each thread of each block. Throws Fault.
void run(const char* kernel, Index grid, Index block, std::size_t shared_bytes, const std::function<void()>& body);

// --- for cuda.h: the running thread ---

/// Where it is. Kernels look at it all the time.
struct Place {
  const Index *thread, *block, *block_size, *grid_size;
};
extern constinit thread_local Place running_place;

inline const Index& thread_index() { return *running_place.thread; }
inline const Index& block_index() { return *running_place.block; }
inline const Index& block_size() { return *running_place.block_size; }
inline const Index& grid_size() { return *running_place.grid_size; }
void* shared_memory();

void block_barrier(Site site);
/// The number of threads of the block whose `flag` is not 0.
int block_count(int flag, Site site);
/// Waits for the lanes of `mask`, each of which contributes a value, and returns that of lane `source`, which must be
/// one of them.
std::uint64_t warp_exchange(unsigned mask, std::uint64_t value, unsigned source, Site site);
/// Waits for the lanes of `mask` and returns those whose `flag` is not 0.
unsigned warp_ballot(unsigned mask, int flag, Site site);
/// Waits for the lanes of `mask`; afterwards each sees what the others wrote before.
void warp_barrier(unsigned mask, Site site);
unsigned lane_index();
void fence();
[[noreturn]] void fail(const char* message, cudaError_t error = cudaErrorLaunchFailure);
/// Fails, as a GPU does, for a vector load or store at a misaligned address.
inline void expect_aligned(const void* address, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0)
    fail("a pack of elements at an address that is not aligned for it", cudaErrorMisalignedAddress);
}

}  // namespace simt
