#include "tests/simt/device/device.h"
#include "tests/support/compare.h"

#include <minima/ops/creation/creation.h>

#include <gtest/gtest.h>

#include <functional>

// Random numbers on CUDA equal those of the CPU bit for bit.

namespace minima {
namespace {

using test::OnCpu;

void expect_same(const std::function<Tensor(RandomGenerator&)>& draw) {
  RandomGenerator here(7), there(7);
  const Tensor on_cuda = draw(here);
  const OnCpu guard;
  const Tensor on_cpu = draw(there);
  const test::Comparison comparison = test::compare_bitwise(on_cuda, on_cpu);
  EXPECT_TRUE(comparison) << comparison.message;
  EXPECT_EQ(here.state().offset, there.state().offset);
}

const std::vector<std::int64_t> counts{1, 2, 3, 4, 5, 1023, 1024, 5001};

TEST(RandomOnCuda, UniformNumbersAreThoseOfTheCpu) {
  for (const DType dtype : {float16, bfloat16, float32, float64})
    for (const std::int64_t n : counts) {
      expect_same([&](RandomGenerator& g) { return rand({n}, {.dtype = dtype}, &g); });
      expect_same([&](RandomGenerator& g) {
        const Tensor x = empty({n}, {.dtype = dtype});
        uniform_(x, -3, 0.1, &g);
        return x;
      });
    }
}

TEST(RandomOnCuda, NormalNumbersAreThoseOfTheCpu) {
  for (const DType dtype : {float16, bfloat16, float32, float64})
    for (const std::int64_t n : counts)
      expect_same([&](RandomGenerator& g) { return randn({n}, {.dtype = dtype}, &g); });
}

TEST(RandomOnCuda, IntegersAndCoinsAreThoseOfTheCpu) {
  for (const DType dtype : {uint8, int8, int32, int64, float32, float64, bfloat16})
    for (const std::int64_t n : counts) {
      expect_same([&](RandomGenerator& g) { return randint(0, 100, {n}, {.dtype = dtype}, &g); });
      expect_same([&](RandomGenerator& g) {
        const Tensor x = empty({n}, {.dtype = dtype});
        bernoulli_(x, 0.3, &g);
        return x;
      });
    }
}

}  // namespace
}  // namespace minima
