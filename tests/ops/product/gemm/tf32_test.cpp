
#include <minima/ops/ops.h>
#include <minima/tensor/settings.h>

#include "tests/support/gpu_test.h"

#include <gtest/gtest.h>

// Products and convolutions have a switch each, as in PyTorch.

namespace minima::tf32_test {
namespace {

/// Both off again at the end of a test.
struct Off {
  ~Off() { allow_tf32(false), cudnn::allow_tf32(false); }
};

TEST(Tf32, IsAllowedApart) {
  const Off off;
  EXPECT_FALSE(allows_tf32());
  EXPECT_FALSE(cudnn::allows_tf32());
  allow_tf32(true);
  EXPECT_FALSE(cudnn::allows_tf32());
  cudnn::allow_tf32(true), allow_tf32(false);
  EXPECT_TRUE(cudnn::allows_tf32());
  EXPECT_FALSE(allows_tf32());
}

class GpuTf32 : public test::GpuTest {};

/// TF32 has 10 bits of mantissa, which round these factors to 1. CUBLAS_COMPUTE_32F_FAST_TF32 permits that and does not
/// force it.
TEST_F(GpuTf32, ProductsFollowTheirOwnSwitch) {
  const Off off;
  const Tensor x = full({64, 64}, 1 + 0x1p-12, {.device = Device::cuda()});
  const auto product = [&] { return matmul(x, x).to(Device::cpu()).data<float>()[0]; };
  const float exact = product();
  EXPECT_GT(exact, 64.02f);
  cudnn::allow_tf32(true);
  EXPECT_EQ(product(), exact);
  allow_tf32(true);
  const float allowed = product();
  EXPECT_GE(allowed, 64.0f);
  EXPECT_LE(allowed, exact);
}

TEST_F(GpuTf32, ConvolutionsDoNotFollowTheProducts) {
  const Off off;
  const Tensor x = full({1, 8, 6, 6}, 1 + 0x1p-12, {.device = Device::cuda()});
  const Tensor weight = full({8, 8, 3, 3}, 1 + 0x1p-12, {.device = Device::cuda()});
  allow_tf32(true);
  EXPECT_GT(conv2d(x, weight).to(Device::cpu()).data<float>()[0], 72.02f);
}

}  // namespace
}  // namespace minima::tf32_test
