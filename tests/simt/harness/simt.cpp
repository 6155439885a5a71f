#include "tests/simt/harness/simt.h"

#include "tests/simt/harness/block.h"

#include <sched.h>
#include <algorithm>
#include <numeric>
#include <thread>

#if defined(SIMT_UNDER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace simt {

namespace {

std::uint64_t seed_of_launches = 0;
int multiprocessor_count = 4;
/// Initialised on first use, since tests may launch kernels before main().
std::map<std::string, std::int64_t>& counts() {
  static std::map<std::string, std::int64_t> of_kernels;
  return of_kernels;
}

#if defined(SIMT_UNDER_TSAN)
// The object that all fences synchronise on.
char fence_of_device;
#endif

void check_limits(const Launch& launch) {
  const auto fault = [&](const std::string& what) { throw Fault(std::string(launch.kernel) + ": " + what); };
  const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  if (threads == 0 || threads > 1024)
    fault("a block of " + std::to_string(threads) + " threads; 1 to 1024 are possible");
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0) fault("an empty grid");
  if (launch.grid.x > 0x7fffffffu || launch.grid.y > 65535 || launch.grid.z > 65535) fault("a grid that is too large");
  if (launch.shared_bytes > 48 * 1024)
    fault(std::to_string(launch.shared_bytes) + " bytes of shared memory, 48 KiB are there");
}

Index block_at(const Launch& launch, std::size_t i) {
  return {static_cast<unsigned>(i % launch.grid.x), static_cast<unsigned>(i / launch.grid.x % launch.grid.y),
          static_cast<unsigned>(i / launch.grid.x / launch.grid.y)};
}

std::vector<std::size_t> order_of_blocks(const Launch& launch) {
  std::vector<std::size_t> order(std::size_t{launch.grid.x} * launch.grid.y * launch.grid.z);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (launch.seed != 0) {
    std::mt19937_64 random(launch.seed);
    std::shuffle(order.begin(), order.end(), random);
  }
  return order;
}

std::string run_in_turn(const Launch& launch, const std::vector<std::size_t>& order) {
  static thread_local FiberPool pool;
  for (const std::size_t i : order) {
    std::string fault = Block(launch, block_at(launch, i), launch.seed + i, pool).run();
    if (!fault.empty()) return fault;
  }
  return {};
}

/// One OS thread per block, all created before the first runs, so that only the kernel's fences order the blocks'
/// memory accesses. Blocks still run one at a time.
std::string run_on_threads(const Launch& launch, const std::vector<std::size_t>& order) {
  std::vector<std::string> faults(order.size());
  std::vector<std::thread> threads;
  std::size_t turn = 0;
  bool go = false;
  for (std::size_t n = 0; n < order.size(); ++n)
    threads.emplace_back([&, n] {
      while (!__atomic_load_n(&go, __ATOMIC_RELAXED) || __atomic_load_n(&turn, __ATOMIC_RELAXED) != n) sched_yield();
      FiberPool pool;
      faults[n] = Block(launch, block_at(launch, order[n]), launch.seed + order[n], pool).run();
      __atomic_store_n(&turn, n + 1, __ATOMIC_RELAXED);
    });
  __atomic_store_n(&go, true, __ATOMIC_RELAXED);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& fault : faults)
    if (!fault.empty()) return fault;
  return {};
}

}  // namespace

void set_seed(std::uint64_t seed) { seed_of_launches = seed; }
void set_multiprocessors(int count) { multiprocessor_count = count; }
int multiprocessors() { return multiprocessor_count; }
const std::map<std::string, std::int64_t>& launches() { return counts(); }

namespace {
thread_local Recording* innermost = nullptr;
}

Recording::Recording() : outer_(innermost) { innermost = this; }
Recording::~Recording() { innermost = outer_; }
Recording* recording() { return innermost; }

void run(const char* kernel, Index grid, Index block, std::size_t shared_bytes, const std::function<void()>& body) {
  const Launch launch{kernel, grid, block, shared_bytes, &body, seed_of_launches};
  check_limits(launch);
  ++counts()[kernel];
  const std::vector<std::size_t> order = order_of_blocks(launch);
  const std::string fault = under_tsan ? run_on_threads(launch, order) : run_in_turn(launch, order);
  if (!fault.empty()) throw Fault(fault);
}

const Index& thread_index() { return current_block().current().index; }
const Index& block_index() { return current_block().index(); }
const Index& block_size() { return current_block().launch().block; }
const Index& grid_size() { return current_block().launch().grid; }
void* shared_memory() { return current_block().shared(); }

int block_count(int flag, Site site) {
  Block& block = current_block();
  Lane& lane = block.current();
  lane.brought = flag != 0;
#if defined(SIMT_UNDER_TSAN)
  __tsan_release(&block);
#endif
  block.wait(LaneState::at_block_barrier, site);
#if defined(SIMT_UNDER_TSAN)
  __tsan_acquire(&block);
#endif
  return lane.count;
}

void block_barrier(Site site) { block_count(0, site); }

void warp_exchange(unsigned mask, std::uint64_t value, Site site) {
  Block& block = current_block();
  Lane& lane = block.current();
  if (!(mask >> lane_index() & 1u))
    block.fail(std::string(block.launch().kernel) + ": a thread is not in the mask it waits with");
  lane.mask = mask;
  lane.brought = value;
  block.wait(LaneState::at_warp_barrier, site);
}

void warp_barrier(unsigned mask, Site site) {
#if defined(SIMT_UNDER_TSAN)
  Block& block = current_block();
  void* const warp = &block.current() - lane_index();
  __tsan_release(warp);
#endif
  warp_exchange(mask, 0, site);
#if defined(SIMT_UNDER_TSAN)
  __tsan_acquire(warp);
#endif
}

std::uint64_t brought_by(unsigned lane) {
  Block& block = current_block();
  const Lane& self = block.current();
  if (!(self.received_mask >> lane & 1u))
    block.fail(std::string(block.launch().kernel) + ": a shuffle reads lane " + std::to_string(lane) +
               ", which does not take part");
  return block.received(lane);
}

unsigned lane_index() {
  Block& block = current_block();
  return block.number(block.current()) % warp_size;
}

void fence() {
#if defined(SIMT_UNDER_TSAN)
  __tsan_release(&fence_of_device);
  __tsan_acquire(&fence_of_device);
#endif
}

void fail(const char* message) { current_block().fail(std::string(current_block().launch().kernel) + ": " + message); }

}  // namespace simt
