#include "simulated/cudnn/graphs.h"
#include "simulated/tests/cudnn/graphs.h"

#include <minima/ops/attention/attention.h>
#include <minima/ops/cudnn/usage.h>
#include <minima/tensor/settings.h>

#include <cudnn.h>

#include <functional>
#include <thread>

// cuDNN compiles attention and some convolutions for a second or more. Where batches, lengths or image sizes vary, it
// is to compile a kernel for all of them, not one for each.

namespace minima::kernel_cache_test {
namespace {

const Device gpu = Device::cuda(0);

class CudnnKernels : public CudnnOnSimulatedGpus {
 protected:
  void TearDown() override { cudnn::benchmark(false); }
};

/// Kernels that the engine compiles during body().
std::int64_t compiled(const std::string& engine, const std::function<void()>& body) {
  const std::int64_t before = simulated::calls("compile " + engine);
  body();
  return simulated::calls("compile " + engine) - before;
}

/// Attention of [batch, 2, length, 8] is the CPU's. Each test has a scale of its own, and with it a family of graphs.
void attend(std::int64_t batch, std::int64_t length, double scale, bool trains = false) {
  RandomGenerator generator(5);
  const Tensor x = randn({batch, 2, length, 8}, {}, &generator).to(float16);
  const auto result = [&](Device device) {
    const Tensor leaf = x.detach().to(device).requires_grad(trains);
    const Tensor y = scaled_dot_product_attention(leaf, leaf, leaf, {.causal = true, .scale = scale});
    if (!trains) return y.to(Device::cpu());
    sum(y.to(float32)).backward();
    return leaf.grad().to(Device::cpu());
  };
  EXPECT_TRUE(is_close(result(gpu).to(float32), result(Device::cpu()).to(float32), 0.02)) << batch << " " << length;
}

TEST_F(CudnnKernels, AreCompiledOnceForAllLengthsAndBatches) {
  const auto compiles = [](std::int64_t batch, std::int64_t length) {
    return compiled("flash_attention", [&] { attend(batch, length, 0.11); });
  };
  EXPECT_EQ(compiles(2, 9), 1) << "for this shape only: others may never come";
  EXPECT_EQ(compiles(2, 17), 1) << "for all shapes";
  for (const std::int64_t length : {5, 16, 30}) EXPECT_EQ(compiles(2, length), 0) << length;
  EXPECT_EQ(compiles(7, 9), 0);
  EXPECT_EQ(compiles(2, 9), 0);
}

TEST_F(CudnnKernels, OfTheGradientAreCompiledForEachLength) {
  for (const std::int64_t length : {4, 6, 8})
    EXPECT_EQ(compiled("flash_attention_backward", [&] { attend(1, length, 0.12, true); }), 1) << length;
}

TEST_F(CudnnKernels, OfOtherFamiliesAreNotShared) {
  for (const double scale : {0.13, 0.14})
    EXPECT_EQ(compiled("flash_attention", [&] { attend(1, 4, scale), attend(1, 5, scale), attend(1, 6, scale); }), 2);
}

/// The next graph of the family tries again.
TEST_F(CudnnKernels, ThatServeOneShapeAreCompiledWhereOthersAreRefused) {
  attend(1, 4, 0.15);
  simulated::fail_call("share flash_attention", 1, CUDNN_STATUS_NOT_SUPPORTED);
  const std::int64_t refused = cudnn::usage().refused;
  EXPECT_EQ(compiled("flash_attention", [] { attend(1, 5, 0.15); }), 1);
  EXPECT_EQ(cudnn::usage().refused, refused);
  EXPECT_EQ(compiled("flash_attention", [] { attend(1, 6, 0.15), attend(1, 7, 0.15); }), 1);
}

TEST_F(CudnnKernels, AreCompiledByOneOfManyThreads) {
  attend(1, 3, 0.16);
  EXPECT_EQ(compiled("flash_attention",
                     [] {
                       std::vector<std::thread> threads;
                       for (std::int64_t length = 4; length < 10; ++length)
                         threads.emplace_back([length] { attend(1, length, 0.16); });
                       for (std::thread& thread : threads) thread.join();
                     }),
            1);
}

/// The convolution of [batch, 8, size, size] with weights [8, 8 / groups, 3, 3], and its gradients.
void convolve(std::int64_t batch, std::int64_t size, std::int64_t groups) {
  RandomGenerator generator(5);
  const auto values = [&](const Shape& shape) {
    return channels_last(randn(shape, {}, &generator).to(bfloat16)).to(gpu).requires_grad(true);
  };
  const Tensor x = values({batch, 8, size, size}), weight = values({8, 8 / groups, 3, 3});
  sum(conv2d(x, weight, {}, {.groups = groups})).backward();
}

TEST_F(CudnnKernels, OfDepthwiseConvolutionsServeAllSizes) {
  EXPECT_EQ(compiled("depthwise", [] { convolve(1, 4, 8); }), 3);
  EXPECT_EQ(compiled("depthwise", [] { convolve(1, 5, 8); }), 3);
  EXPECT_EQ(compiled("depthwise", [] { convolve(2, 4, 8), convolve(3, 6, 8); }), 0);
}

TEST_F(CudnnKernels, ThatAreTimedAreCompiledForTheirShapes) {
  cudnn::benchmark(true);
  EXPECT_EQ(compiled("depthwise", [] { convolve(1, 7, 8), convolve(1, 8, 8), convolve(2, 7, 8); }), 9);
}

/// The other convolutions' kernels come with the library.
TEST_F(CudnnKernels, ThatNeedNoCompilationAreNotShared) {
  const std::int64_t before = simulated::calls("share implicit_gemm");
  for (const std::int64_t size : {4, 5, 6}) convolve(1, size, 1);
  EXPECT_EQ(simulated::calls("share implicit_gemm"), before);
}

}  // namespace
}  // namespace minima::kernel_cache_test
