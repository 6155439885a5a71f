#include "tests/simt/faulty_kernels.cuh"

#include <minima/tensor/cuda/launch.cuh>

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

// The harness itself: correct kernels run, and each planted fault is reported.

namespace minima::cuda {
namespace {

constexpr unsigned threads = 64;

/// The result of a kernel that writes one number per thread.
template <class Kernel>
std::vector<int> run(const char* name, Kernel kernel, std::uint64_t seed, unsigned blocks = 1) {
  std::vector<int> in(threads * blocks), out(threads * blocks, -1);
  std::iota(in.begin(), in.end(), 1);
  simt::set_seed(seed);
  launch(name, {dim3(blocks), dim3(threads), threads * sizeof(int)}, kernel, in.data(), out.data());
  simt::set_seed(0);
  return out;
}

std::string fault_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const simt::Fault& fault) {
    return fault.what();
  }
  return "no fault";
}

TEST(Simt, RunsABlockWithBarriers) {
  const std::vector<int> out = run("reverse", reverse_kernel<true>, 0);
  for (unsigned i = 0; i < threads; ++i) EXPECT_EQ(out[i], static_cast<int>(threads - i));
  EXPECT_EQ(run("reverse", reverse_kernel<true>, 1), out);
  EXPECT_EQ(run("reverse", reverse_kernel<true>, 2), out);
}

TEST(Simt, RunsWarpShuffles) {
  const std::vector<int> out = run("warp_sum", warp_sum_kernel, 3);
  for (unsigned i = 0; i < threads; ++i) EXPECT_EQ(out[i], i < 32 ? 32 * 33 / 2 : 32 * 32 + 32 * 33 / 2) << i;
}

TEST(Simt, CarriesResultsFromBlockToBlock) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    unsigned counter = 0;
    std::vector<int> partial(5), total(1);
    simt::set_seed(seed);
    launch("last_block", {dim3(5), dim3(threads)}, last_block_kernel<true>, partial.data(), &counter, total.data());
    simt::set_seed(0);
    EXPECT_EQ(total[0], 0 + 1 + 2 + 3 + 4);
  }
}

TEST(Simt, CountsLaunches) {
  const auto before = simt::launches().contains("reverse") ? simt::launches().at("reverse") : 0;
  run("reverse", reverse_kernel<true>, 0);
  EXPECT_EQ(simt::launches().at("reverse"), before + 1);
}

TEST(SimtFaults, ReportsABarrierInABranch) {
  EXPECT_EQ(
      fault_of([] { run("branch", branch_kernel, 0); }),
      "divergent barrier in branch: thread 0 of block 0 waits at faulty_kernels.cuh:" + std::to_string(branch_line) +
          ", thread 1 of block 0 at faulty_kernels.cuh:" + std::to_string(branch_line + 1));
}

TEST(SimtFaults, ReportsABarrierThatSomeThreadsNeverReach) {
  EXPECT_EQ(fault_of([] { run("early_exit", early_exit_kernel, 0); }),
            "divergent barrier in early_exit: thread 0 of block 0 waits at faulty_kernels.cuh:" +
                std::to_string(early_exit_line) + ", thread 60 of block 0 has ended");
}

TEST(SimtFaults, ReportsAWarpThatWaitsForALaneThatNeverComes) {
  EXPECT_NE(fault_of([] { run("lost_lane", lost_lane_kernel, 0); }).find("divergent barrier in lost_lane: thread "),
            std::string::npos);
}

TEST(SimtFaults, ReportsRefusedArgumentsAndLimits) {
  EXPECT_EQ(fault_of([] { run("refuse", refuse_kernel, 0); }), "refuse: index out of range");
  EXPECT_EQ(fault_of([] { launch("empty", {dim3(1), dim3(1025)}, empty_kernel); }),
            "empty: a block of 1025 threads; 1 to 1024 are possible");
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
  launch("last_block", {dim3(3), dim3(threads)}, last_block_kernel<false>, partial.data(), &counter, total.data());
  std::exit(0);
}

TEST(SimtFaults, ThreadSanitizerFindsAMissingBarrier) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(run_without_barrier(), testing::ExitedWithCode(66), "data race");
}

TEST(SimtFaults, ThreadSanitizerFindsAMissingFence) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(run_without_fence(), testing::ExitedWithCode(66), "data race");
}

#else

TEST(SimtFaults, TwoOrdersOfThreadsShowAMissingBarrier) {
  EXPECT_NE(run("reverse", reverse_kernel<false>, 1), run("reverse", reverse_kernel<false>, 2));
}

#endif

#if defined(__SANITIZE_ADDRESS__)

TEST(SimtFaults, AddressSanitizerFindsAnOverrunOfSharedMemory) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(run("overrun", overrun_kernel<true>, 0), "buffer-overflow|insufficient space");
  EXPECT_DEATH(run("overrun", overrun_kernel<false>, 0), "heap-buffer-overflow");
}

#endif

}  // namespace
}  // namespace minima::cuda
