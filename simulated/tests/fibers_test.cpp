#include "simulated/kernels/fiber_executor.h"
#include "simulated/machine/schedule.h"
#include "simulated/tests/faulty_kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

// Kernels as fibers: correct ones run, and each planted fault is reported.

namespace simulated::fibers_test {
namespace {

constexpr unsigned threads = 64;

template <class Kernel, class... Arguments>
void start(const char* name, unsigned blocks, std::size_t shared_bytes, Kernel kernel, Arguments... arguments) {
  fiber_executor().run(name, {dim3(blocks), dim3(threads), shared_bytes}, [=] { kernel(arguments...); });
}

/// The result of a kernel that writes one number per thread.
template <class Kernel>
std::vector<int> run(const char* name, Kernel kernel, std::uint64_t seed) {
  std::vector<int> in(threads), out(threads, -1);
  std::iota(in.begin(), in.end(), 1);
  simt::set_seed(seed);
  start(name, 1, threads * sizeof(int), kernel, static_cast<const int*>(in.data()), out.data());
  simt::set_seed(0);
  return out;
}

DeviceFault fault_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const DeviceFault& fault) {
    return fault;
  }
  return {cudaSuccess, "no fault"};
}

TEST(Fibers, RunsABlockWithBarriers) {
  const std::vector<int> out = run("reverse", reverse_kernel<true>, 0);
  for (unsigned i = 0; i < threads; ++i) EXPECT_EQ(out[i], static_cast<int>(threads - i));
  EXPECT_EQ(run("reverse", reverse_kernel<true>, 1), out);
  EXPECT_EQ(run("reverse", reverse_kernel<true>, 2), out);
}

TEST(Fibers, RunsWarpShuffles) {
  const std::vector<int> out = run("warp_sum", warp_sum_kernel, 3);
  for (unsigned i = 0; i < threads; ++i) EXPECT_EQ(out[i], i < 32 ? 32 * 33 / 2 : 32 * 32 + 32 * 33 / 2) << i;
}

TEST(Fibers, CarriesResultsFromBlockToBlock) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    unsigned counter = 0;
    std::vector<int> partial(5), total(1);
    simt::set_seed(seed);
    start("last_block", 5, 0, last_block_kernel<true>, partial.data(), &counter, total.data());
    simt::set_seed(0);
    EXPECT_EQ(total[0], 0 + 1 + 2 + 3 + 4);
  }
}

TEST(Fibers, CountTheKernelsThatRan) {
  const std::int64_t before = simt::runs()["reverse"];
  run("reverse", reverse_kernel<true>, 0);
  EXPECT_EQ(simt::runs()["reverse"], before + 1);
}

// Kernels are hidden symbols, and templates' names have arguments.
TEST(Fibers, KnowTheNameOfAKernel) {
  EXPECT_EQ(name_of_kernel(reinterpret_cast<const void*>(&reverse_kernel<true>)), "reverse_kernel");
  EXPECT_EQ(name_of_kernel(reinterpret_cast<const void*>(&warp_sum_kernel)), "warp_sum_kernel");
}

TEST(FiberFaults, ReportsABarrierInABranch) {
  EXPECT_EQ(
      fault_of([] { run("branch", branch_kernel, 0); }).text,
      "divergent barrier in branch: thread 0 of block 0 waits at faulty_kernels.h:" + std::to_string(branch_line) +
          ", thread 1 of block 0 at faulty_kernels.h:" + std::to_string(branch_line + 1));
}

TEST(FiberFaults, ReportsABarrierThatSomeThreadsNeverReach) {
  EXPECT_EQ(fault_of([] { run("early_exit", early_exit_kernel, 0); }).text,
            "divergent barrier in early_exit: thread 0 of block 0 waits at faulty_kernels.h:" +
                std::to_string(early_exit_line) + ", thread 60 of block 0 has ended");
}

TEST(FiberFaults, ReportsAWarpThatWaitsForALaneThatNeverComes) {
  EXPECT_NE(
      fault_of([] { run("lost_lane", lost_lane_kernel, 0); }).text.find("divergent barrier in lost_lane: thread "),
      std::string::npos);
}

TEST(FiberFaults, AreErrorsOfTheLaunch) {
  const DeviceFault refused = fault_of([] { run("refuse", refuse_kernel, 0); });
  EXPECT_EQ(refused.text, "refuse: index out of range");
  EXPECT_EQ(refused.error, cudaErrorLaunchFailure);
  const DeviceFault misaligned = fault_of([] { run("misaligned", misaligned_kernel, 0); });
  EXPECT_EQ(misaligned.text, "misaligned: a pack of elements at an address that is not aligned for it");
  EXPECT_EQ(misaligned.error, cudaErrorMisalignedAddress);
}

#if defined(SIMT_UNDER_TSAN)

// The thread sanitizer ends a process with a race with exit code 66.

void run_without_barrier() {
  run("reverse", reverse_kernel<false>, 0);
  std::exit(0);
}

void run_without_fence() {
  unsigned counter = 0;
  std::vector<int> partial(3), total(1);
  start("last_block", 3, 0, last_block_kernel<false>, partial.data(), &counter, total.data());
  std::exit(0);
}

TEST(FiberFaults, ThreadSanitizerFindsAMissingBarrier) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(run_without_barrier(), testing::ExitedWithCode(66), "data race");
}

TEST(FiberFaults, ThreadSanitizerFindsAMissingFence) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(run_without_fence(), testing::ExitedWithCode(66), "data race");
}

#else

TEST(FiberFaults, TwoOrdersOfThreadsShowAMissingBarrier) {
  EXPECT_NE(run("reverse", reverse_kernel<false>, 1), run("reverse", reverse_kernel<false>, 2));
}

#endif

#if defined(__SANITIZE_ADDRESS__)

TEST(FiberFaults, AddressSanitizerFindsAnOverrunOfSharedMemory) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(run("overrun", overrun_kernel<true>, 0), "buffer-overflow|insufficient space");
  EXPECT_DEATH(run("overrun", overrun_kernel<false>, 0), "heap-buffer-overflow");
}

#endif

}  // namespace
}  // namespace simulated::fibers_test
