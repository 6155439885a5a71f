
#include <minima/ops/ops.h>
#include <minima/tensor/settings.h>

#include "tests/support/compare.h"
#include "tests/support/gpu_test.h"
#include "tests/support/simulated_gpus.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

// Products of half types as large as a training's, whose long sums cuBLASLt cuts into parts. Simulated GPUs get few
// rows and columns.

namespace minima::gpu_products_test {
namespace {

struct Sizes {
  std::int64_t m, k, n;
};

std::vector<Sizes> sizes() {
  if (test::simulates_gpus()) return {{16, 768, 24}, {16, 8192, 8}};
  return {{8192, 768, 3072}, {8192, 3072, 768}, {768, 65536, 3072}, {128, 16384, 128}};
}

/// The largest difference from the product of the same numbers in float32, relative to what is allowed: the rounding of
/// the result, float32 sums of k terms, and `parts` epsilons of Σ|a||b|.
double excess(const Sizes& size, DType dtype, double parts) {
  const Device device = Device::cuda();
  RandomGenerator generator(3);
  const Tensor a = randn({size.m, size.k}, {.device = device}, &generator).to(dtype);
  const Tensor b = randn({size.k, size.n}, {.device = device}, &generator).to(dtype);
  const Tensor wide_a = a.to(float32), wide_b = b.to(float32);
  const Tensor exact = matmul(wide_a, wide_b), magnitude = matmul(abs(wide_a), abs(wide_b));
  const double eps = test::epsilon_of(dtype), sums = 4 * 0x1p-23 * std::sqrt(static_cast<double>(size.k));
  const Tensor allowed = abs(exact) * eps + magnitude * (sums + parts * eps);
  return max(abs(matmul(a, b).to(float32) - exact) / allowed).item<double>();
}

class GpuProducts : public test::GpuTest {
 protected:
  void TearDown() override { cublas::allow_reduced_precision_reduction(true); }
};

TEST_F(GpuProducts, OfTrainingSizeAreThoseOfFloat32) {
  for (const Sizes& size : sizes())
    for (const DType dtype : {float16, bfloat16}) {
      EXPECT_LE(excess(size, dtype, 0.5), 1) << name(dtype) << " " << size.m << "x" << size.k << "x" << size.n;
    }
}

TEST_F(GpuProducts, KeepTheirPartsInFloat32OnRequest) {
  cublas::allow_reduced_precision_reduction(false);
  for (const Sizes& size : sizes())
    for (const DType dtype : {float16, bfloat16}) {
      EXPECT_LE(excess(size, dtype, 0), 1) << name(dtype) << " " << size.m << "x" << size.k << "x" << size.n;
    }
}

}  // namespace
}  // namespace minima::gpu_products_test
