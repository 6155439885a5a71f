#include "simulated/kernels/simt.h"

#include "simulated/kernels/fiber_block.h"

#include <sched.h>
#include <algorithm>
#include <bit>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#if defined(SIMT_UNDER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace simulated::simt {

namespace {

std::uint64_t seed_of_launches = 0;

/// Made at the first use, since kernels may run before main().
struct Runs {
  std::mutex mutex;
  std::map<std::string, std::int64_t> of_kernels;
};
Runs& all_runs() {
  static auto* const result = new Runs;
  return *result;
}

#if defined(SIMT_UNDER_TSAN)
// The object that all fences synchronise on.
char fence_of_device;
#endif

Index block_at(const FiberLaunch& launch, std::size_t i) {
  return {static_cast<unsigned>(i % launch.grid.x), static_cast<unsigned>(i / launch.grid.x % launch.grid.y),
          static_cast<unsigned>(i / launch.grid.x / launch.grid.y)};
}

std::vector<std::size_t> order_of_blocks(const FiberLaunch& launch) {
  std::vector<std::size_t> order(std::size_t{launch.grid.x} * launch.grid.y * launch.grid.z);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (launch.seed != 0) {
    std::mt19937_64 random(launch.seed);
    std::shuffle(order.begin(), order.end(), random);
  }
  return order;
}

BlockFault run_in_turn(const FiberLaunch& launch, const std::vector<std::size_t>& order) {
  static thread_local FiberPool pool;
  for (const std::size_t i : order) {
    BlockFault fault = FiberBlock(launch, block_at(launch, i), launch.seed + i, pool).run();
    if (!fault.text.empty()) return fault;
  }
  return {};
}

/// One OS thread per block, all created before the first runs, so that only the kernel's fences order the blocks'
/// memory accesses. Blocks still run one at a time.
BlockFault run_on_threads(const FiberLaunch& launch, const std::vector<std::size_t>& order) {
  std::vector<BlockFault> faults(order.size());
  std::vector<std::thread> threads;
  std::size_t turn = 0;
  bool go = false;
  for (std::size_t n = 0; n < order.size(); ++n)
    threads.emplace_back([&, n] {
      while (!__atomic_load_n(&go, __ATOMIC_RELAXED) || __atomic_load_n(&turn, __ATOMIC_RELAXED) != n) sched_yield();
      FiberPool pool;
      faults[n] = FiberBlock(launch, block_at(launch, order[n]), launch.seed + order[n], pool).run();
      __atomic_store_n(&turn, n + 1, __ATOMIC_RELAXED);
    });
  __atomic_store_n(&go, true, __ATOMIC_RELAXED);
  for (std::thread& thread : threads) thread.join();
  for (const BlockFault& fault : faults)
    if (!fault.text.empty()) return fault;
  return {};
}

}  // namespace

void set_seed(std::uint64_t seed) { seed_of_launches = seed; }
std::map<std::string, std::int64_t> runs() {
  const std::lock_guard lock(all_runs().mutex);
  return all_runs().of_kernels;
}

void run(const char* kernel, Index grid, Index block, std::size_t shared_bytes, const std::function<void()>& body) {
  const FiberLaunch launch{kernel, grid, block, shared_bytes, &body, seed_of_launches};
  {
    const std::lock_guard lock(all_runs().mutex);
    ++all_runs().of_kernels[kernel];
  }
  const std::vector<std::size_t> order = order_of_blocks(launch);
  const BlockFault fault = under_tsan ? run_on_threads(launch, order) : run_in_turn(launch, order);
  if (!fault.text.empty()) throw KernelFault(fault.error, fault.text);
}

void* shared_memory() { return current_block().shared(); }

int block_count(int flag, Site site) {
  FiberBlock& block = current_block();
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

namespace {

/// Waits, and returns what the lanes of the warp brought.
const WarpWords& exchanged(unsigned mask, std::uint64_t value, Site site) {
  FiberBlock& block = current_block();
  Lane& lane = block.current();
  if (!(mask >> block.number(lane) % warp_size & 1u))
    block.fail(std::string(block.launch().kernel) + ": a thread is not in the mask it waits with");
  lane.mask = mask;
  lane.brought = value;
  block.wait(LaneState::at_warp_barrier, site);
  return block.received();
}

[[noreturn]] void refuse_lane(unsigned lane) {
  FiberBlock& block = current_block();
  block.fail(std::string(block.launch().kernel) + ": a shuffle reads lane " + std::to_string(lane) +
             ", which does not take part");
}

}  // namespace

std::uint64_t warp_exchange(unsigned mask, std::uint64_t value, unsigned source, Site site) {
  const WarpWords& words = exchanged(mask, value, site);
  if (!(current_block().current().received_mask >> source & 1u)) refuse_lane(source);
  return words[source];
}

unsigned warp_ballot(unsigned mask, int flag, Site site) {
  const WarpWords& words = exchanged(mask, flag != 0, site);
  if (const unsigned absent = mask & ~current_block().current().received_mask)
    refuse_lane(static_cast<unsigned>(std::countr_zero(absent)));
  unsigned result = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) result |= static_cast<unsigned>(words[lane] != 0) << lane;
  return result & mask;
}

void warp_barrier(unsigned mask, Site site) {
#if defined(SIMT_UNDER_TSAN)
  FiberBlock& block = current_block();
  void* const warp = &block.current() - lane_index();
  __tsan_release(warp);
#endif
  exchanged(mask, 0, site);
#if defined(SIMT_UNDER_TSAN)
  __tsan_acquire(warp);
#endif
}

unsigned lane_index() {
  FiberBlock& block = current_block();
  return block.number(block.current()) % warp_size;
}

void fence() {
#if defined(SIMT_UNDER_TSAN)
  __tsan_release(&fence_of_device);
  __tsan_acquire(&fence_of_device);
#endif
}

void fail(const char* message, cudaError_t error) {
  current_block().fail(std::string(current_block().launch().kernel) + ": " + message, error);
}

}  // namespace simulated::simt
