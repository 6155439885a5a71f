#include "tests/support/compare.h"
#include "tests/support/gpu_test.h"

#include <minima/ops/creation/random.h>

#include <gtest/gtest.h>

#include <functional>

// Random numbers on a GPU equal those of the CPU bit for bit.

namespace minima::gpu_random_test {
namespace {

class GpuRandom : public test::GpuTest {};

void expect_same(const std::function<Tensor(Device, RandomGenerator&)>& draw) {
  RandomGenerator here(7), there(7);
  const Tensor on_gpu = draw(Device::cuda(), here), on_cpu = draw(Device::cpu(), there);
  EXPECT_TRUE(on_gpu.device().is_cuda());
  const test::Comparison comparison = test::compare_bitwise(on_gpu, on_cpu);
  EXPECT_TRUE(comparison) << comparison.message;
  EXPECT_EQ(here.state().offset, there.state().offset);
}

const std::vector<std::int64_t> counts{1, 2, 3, 4, 5, 1023, 1024, 5001};

TEST_F(GpuRandom, UniformNumbersAreThoseOfTheCpu) {
  for (const DType dtype : {float16, bfloat16, float32, float64})
    for (const std::int64_t n : counts) {
      expect_same([&](Device device, RandomGenerator& g) { return rand({n}, {.dtype = dtype, .device = device}, &g); });
      expect_same([&](Device device, RandomGenerator& g) {
        const Tensor x = empty({n}, {.dtype = dtype, .device = device});
        uniform_(x, -3, 0.1, &g);
        return x;
      });
    }
}

TEST_F(GpuRandom, NormalNumbersAreThoseOfTheCpu) {
  for (const DType dtype : {float16, bfloat16, float32, float64})
    for (const std::int64_t n : counts)
      expect_same(
          [&](Device device, RandomGenerator& g) { return randn({n}, {.dtype = dtype, .device = device}, &g); });
}

TEST_F(GpuRandom, IntegersAndCoinsAreThoseOfTheCpu) {
  for (const DType dtype : {uint8, int8, int32, int64, float32, float64, bfloat16})
    for (const std::int64_t n : counts) {
      expect_same([&](Device device, RandomGenerator& g) {
        return randint(0, 100, {n}, {.dtype = dtype, .device = device}, &g);
      });
      expect_same([&](Device device, RandomGenerator& g) {
        const Tensor x = empty({n}, {.dtype = dtype, .device = device});
        bernoulli_(x, 0.3, &g);
        return x;
      });
    }
}

}  // namespace
}  // namespace minima::gpu_random_test
