#include "simulated/machine/time_model.h"

#include "simulated/machine/kernel_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace simulated::time_model_test {
namespace {

Cost product(double tiles) {
  return {.kind = WorkKind::product, .arithmetic = Arithmetic::half, .flops = 1e9 * tiles, .blocks = tiles};
}
Cost kernel(double bytes, double blocks, unsigned threads) {
  return {.kind = WorkKind::kernel, .bytes_read = bytes, .blocks = blocks, .threads = threads};
}
double seconds(const Cost& cost) { return seconds_of(h200, cost); }

TEST(TimeModel, ProductsTakeTheirOperationsAtTheRateThatIsReached) {
  EXPECT_NEAR(seconds(product(132)), 132e9 / 790e12, 1e-12);
  Cost single = product(132);
  single.arithmetic = Arithmetic::float32;
  EXPECT_NEAR(seconds(single) / seconds(product(132)), 989.4 / 67, 1e-9);
}

TEST(TimeModel, ATileBeyondAWaveCostsAnother) {
  EXPECT_NEAR(seconds(product(133)) / seconds(product(132)), 2, 1e-9);
  EXPECT_NEAR(seconds(product(264)) / seconds(product(132)), 2, 1e-9);
  EXPECT_NEAR(seconds(product(12)) / seconds(product(132)), 1, 1e-9) << "12 tiles leave 120 multiprocessors idle";
  EXPECT_NEAR(waves_of(h200, product(133)).filled, 133.0 / 264, 1e-12);
}

TEST(TimeModel, LargeOperandsTakeTheirBytesAtACopysBandwidth) {
  Cost packed = kernel(4.3e9, 132 * 8 * 100, 256);
  packed.in_flight = 64;
  EXPECT_NEAR(seconds(packed), 1e-3, 1e-6);
}

TEST(TimeModel, FewLoadsInFlightAreSlowerByLittlesLaw) {
  const double of_a_thread = 4 / 600e-9, of_a_cached_one = 4 / 200e-9;
  EXPECT_NEAR(seconds(kernel(4e6, 1, 1)), 4e6 / of_a_cached_one, 1e-9) << "one thread";
  EXPECT_NEAR(seconds(kernel(4e8, 1, 1)), 4e8 / of_a_thread, 1e-6) << "beyond the L2 cache";
  EXPECT_NEAR(seconds(kernel(4e6, 1, 1024)), 4e6 / (1024 * of_a_cached_one), 1e-9) << "one block";
  const double places = 132 * 2048;
  Cost full = kernel(4.3e9, 132 * 8, 256);
  EXPECT_NEAR(seconds(full), 4.3e9 / (places * of_a_thread), 1e-9) << "1.8 TB/s, not 4.3";
  full.in_flight = 16;
  EXPECT_NEAR(seconds(full), 1e-3, 1e-6);
}

TEST(TimeModel, SectorsTakeTheL2CachesTime) {
  Cost wasteful = kernel(4.3e9, 132 * 8, 256);
  wasteful.in_flight = 64;
  wasteful.sectors = 8;
  EXPECT_NEAR(seconds(wasteful), 8 * 4.3e9 / (5120 * 1.98e9), 1e-6) << "each sector holds one wanted word";
}

TEST(TimeModel, SchedulersIssueAnInstructionPerClock) {
  Cost busy = kernel(1e6, 132 * 8, 256);
  busy.issue_slots = 132 * 4 * 32 * 1.98e9;
  EXPECT_NEAR(seconds(busy), 1, 1e-6);
  busy.blocks = 33;
  EXPECT_NEAR(seconds(busy), 4, 1e-6) << "99 multiprocessors have no block";
}

TEST(TimeModel, SharedMemoryLimitsWhatIsResident) {
  Cost cost = kernel(1e9, 1e4, 256);
  EXPECT_EQ(resident_blocks(h200, cost), 8);
  cost.shared_bytes = 100 << 10;
  EXPECT_EQ(resident_blocks(h200, cost), 2);
  EXPECT_EQ(resident_blocks(l4, kernel(1e9, 1e4, 32)), 24);
}

TEST(TimeModel, RegistersLimitWhatIsResident) {
  Cost cost = kernel(1e9, 1e4, 256);
  cost.registers = 32;
  EXPECT_EQ(resident_blocks(h200, cost), 8);
  cost.registers = 33;
  EXPECT_EQ(resident_blocks(h200, cost), 6) << "a warp gets 40 for each of its threads";
  cost.registers = 255;
  EXPECT_EQ(resident_blocks(h200, cost), 1);
}

TEST(TimeModel, LinksBoundCopies) {
  const Cost upload{.kind = WorkKind::copy, .bytes_written = 64e9, .link_bytes = 64e9};
  EXPECT_NEAR(seconds(upload), 1, 1e-9);
  const Cost collective{.kind = WorkKind::collective, .bytes_read = 1e9, .link_bytes = 450e9};
  EXPECT_NEAR(seconds(collective), 1, 1e-9);
}

TEST(TimeModel, MarksCostNothing) { EXPECT_EQ(seconds({}), 0); }

TEST(KernelCounts, RefuseWhatTheyDoNotUnderstand) {
  for (const char* const text : {"softmax 4", "softmax 4 0 1", "softmax 4 1 0.5", "softmax four 1 1"}) {
    std::istringstream stream(text);
    EXPECT_THROW(add_kernel_counts(stream), std::invalid_argument) << text;
  }
  std::istringstream comments("# a kernel a line\n\n");
  EXPECT_NO_THROW(add_kernel_counts(comments));
}

TEST(KernelCounts, AreThoseOfAnInstanceOrOfItsKernel) {
  EXPECT_EQ(key_of_kernel("void minima::detail::scan<minima::BFloat16, minima::Pair<float> >(minima::Call<int>, long)"),
            "scan<BFloat16,Pair<float>>");
  EXPECT_EQ(key_of_kernel("minima::(anonymous namespace)::count_kernel(unsigned int const*)"), "count_kernel");
  std::istringstream text("a_test 4 1 1\na_test<float> 16 2 1.5 40 1024 0.5 0.25 7 32  # an instance");
  add_kernel_counts(text);
  const KernelCounts instance = counts_of("a_test<float>");
  EXPECT_EQ(instance.load_bytes * instance.loads_in_flight, 32);
  EXPECT_EQ(instance.registers, 40);
  EXPECT_EQ(instance.thread_bytes, 32);
  EXPECT_EQ(counts_of("a_test<double>").load_bytes, 4);
  EXPECT_TRUE(counts_of("a_test<double>").counted);
  EXPECT_FALSE(counts_of("another").counted);
}

/// Operations per clock and multiprocessor: 2 per FP32 core; of tensor cores with sums in float32, dense.
double tensor_operations(const GpuKind& kind) {
  if (kind.major == 10) return 8192;
  if (kind.major == 9) return 4096;
  return kind.minor == 0 ? 2048 : std::string(kind.key) == "L4" ? 1024 : 512;
}

// A figure that was copied wrongly does not agree with the others.
TEST(GpuKinds, AgreeWithThemselves) {
  for (const GpuKind& kind : gpu_kinds()) {
    SCOPED_TRACE(kind.key);
    const double by_bus = 2e3 * kind.memory_clock_khz * kind.memory_bus_bits / 8;
    EXPECT_NEAR(by_bus / kind.bandwidth, 1, 0.03);
    const double cores = kind.major == 8 && kind.minor == 0 ? 64 : 128;
    const double by_cores = 2e3 * cores * kind.multiprocessors * kind.clock_khz;
    EXPECT_NEAR(by_cores / kind.peak_float32, 1, 0.08);
    const double by_tensor_cores = 1e3 * tensor_operations(kind) * kind.multiprocessors * kind.clock_khz;
    EXPECT_NEAR(by_tensor_cores / kind.peak_bfloat16, 1, 0.09) << "Hopper's tensor cores boost to 1.83 GHz only";
    EXPECT_LT(kind.shared_per_block, kind.shared_per_multiprocessor);
    EXPECT_LT(kind.peak_tf32, kind.peak_bfloat16);
    EXPECT_LT(kind.peer_bandwidth, kind.bandwidth);
  }
}

}  // namespace
}  // namespace simulated::time_model_test
