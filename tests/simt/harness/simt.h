#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// CUDA kernels on the CPU: every thread of a block is a fiber, and blocks run one after the other. What a kernel may
// use is in cuda.h. Not a model of performance, and not a model of memory but for what thread sanitizer sees: in its
// builds every block is an OS thread and only barriers and fences order what threads do, so races are found for
// certain.

namespace simt {

struct Index {
  unsigned x = 1, y = 1, z = 1;
};

/// Where a barrier stands in the source.
struct Site {
  const char* file;
  int line;
};

/// What no GPU would run as meant: a divergent barrier, a launch out of limits, an index that a kernel refused.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// 0: threads and blocks in order. Any other number shuffles both, and again after every barrier: a kernel whose
/// results are called deterministic must give the same bits for all.
void set_seed(std::uint64_t seed);
/// The multiprocessors of the GPU that host code sees, which decides on grids.
void set_multiprocessors(int count);
int multiprocessors();
/// How often each kernel has been launched by this process.
const std::map<std::string, std::int64_t>& launches();

/// While it lives, launches of this thread are written down instead of run: what a captured graph is on a GPU.
class Recording {
 public:
  Recording();
  ~Recording();
  Recording(const Recording&) = delete;
  void note(std::function<void()> work) { work_.push_back(std::move(work)); }
  std::vector<std::function<void()>> take() { return std::move(work_); }

 private:
  std::vector<std::function<void()>> work_;
  Recording* outer_;
};
/// The innermost one, null for almost all launches.
Recording* recording();

/// Runs body() once for each thread of each block.
void run(const char* kernel, Index grid, Index block, std::size_t shared_bytes, const std::function<void()>& body);

// --- for cuda.h: of the thread that runs now ---

const Index& thread_index();
const Index& block_index();
const Index& block_size();
const Index& grid_size();
void* shared_memory();

void block_barrier(Site site);
/// The number of threads of the block whose `flag` is not 0.
int block_count(int flag, Site site);
/// Waits for the lanes of `mask`, each of which brings a value.
void warp_exchange(unsigned mask, std::uint64_t value, Site site);
/// The same, and what they wrote before is seen by all of them afterwards.
void warp_barrier(unsigned mask, Site site);
/// What a lane brought to the last exchange.
std::uint64_t brought_by(unsigned lane);
unsigned lane_index();
void fence();
[[noreturn]] void fail(const char* message);
/// Fails where a GPU would: at an address that several elements cannot be loaded from or stored to at once.
inline void expect_aligned(const void* address, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0)
    fail("a pack of elements at an address that is not aligned for it");
}

}  // namespace simt
