#include <minima/tensor/settings.h>
#include <minima/ops/cudnn/usage.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

// However a GPU's libraries are told to choose their algorithms, the results are the CPU's.

namespace minima::settings_test {
namespace {

/// The defaults again at the end of a test.
struct GpuChoices : testing::Test {
  std::size_t limit = cudnn::workspace_limit();
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  }
  void TearDown() override {
    cudnn::benchmark(false);
    cudnn::workspace_limit(limit);
    autotune(false);
    deterministic(false);
  }
};

/// The result of a convolution and a product, and their gradients, on the CPU.
std::vector<Tensor> results_on(Device device) {
  RandomGenerator generator(5);
  const Tensor x = randn({4, 8, 15, 15}, {}, &generator).to(device).requires_grad(true);
  const Tensor weight = randn({16, 8, 3, 3}, {}, &generator).to(device).requires_grad(true);
  const Tensor matrix = randn({16, 32}, {}, &generator).to(device).requires_grad(true);
  const Tensor y = matmul(mean(conv2d(x, weight, {}, {.stride = 2, .padding = 1}), {2, 3}), matrix);
  sum(y * y).backward();
  std::vector<Tensor> results;
  for (const Tensor& t : {y.detach(), x.grad(), weight.grad(), matrix.grad()}) results.push_back(t.to(Device::cpu()));
  return results;
}

TEST_F(GpuChoices, DoNotChangeWhatIsComputed) {
  const std::vector<Tensor> expected = results_on(Device::cpu());
  const cudnn::Usage before = cudnn::usage();
  const std::pair<const char*, std::function<void()>> choices[] = {
      {"heuristics", [] {}},
      {"benchmark", [] { cudnn::benchmark(true); }},
      {"no workspace", [] { cudnn::workspace_limit(0); }},
      {"autotune", [] { autotune(true); }},
      {"deterministic", [] { deterministic(true); }},
  };
  for (const auto& [name, choose] : choices) {
    choose();
    for (int call = 0; call < 2; ++call) {  // the second one uses what the first chose
      const std::vector<Tensor> got = results_on(Device::cuda());
      for (std::size_t i = 0; i < got.size(); ++i) {
        const Closeness close = allclose(got[i], expected[i], {.rtol = 1e-4, .atol = 1e-4});
        EXPECT_TRUE(close) << name << ", call " << call << ", result " << i << ": " << close.message;
      }
    }
    TearDown();
  }
  const cudnn::Usage after = cudnn::usage();
  if (after.refusal.find("built without") != std::string::npos) return;
  EXPECT_GT(after.planned, before.planned);
  EXPECT_EQ(after.refused, before.refused) << after.refusal;
}

TEST_F(GpuChoices, DeterministicStepsRepeatBitwise) {
  deterministic(true);
  cudnn::benchmark(true);
  const std::vector<Tensor> first = results_on(Device::cuda());
  for (int call = 0; call < 3; ++call) {
    const std::vector<Tensor> again = results_on(Device::cuda());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(identical(again[i], first[i])) << "result " << i;
  }
}

}  // namespace
}  // namespace minima::settings_test
