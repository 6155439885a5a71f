#include "simulated/cudnn/graphs.h"
#include "simulated/tests/cudnn/graphs.h"

#include <minima/ops/attention/attention.h>
#include <minima/ops/cudnn/usage.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/system/system_info.h>
#include <minima/tensor/threads/parallel.h>

#include <cudnn.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

// The operators that use cuDNN, with their results compared with the CPU's and the engines that ran counted.

namespace minima::operators_test {
namespace {

const Device gpu = Device::cuda(0);

class CudnnOperators : public CudnnOnSimulatedGpus {
 protected:
  void TearDown() override {
    cudnn::benchmark(false);
    cudnn::workspace_limit(limit_);
    deterministic(false);
  }

 private:
  std::size_t limit_ = cudnn::workspace_limit();
};

/// How often a function was called, or an engine ran, during body().
template <class Body>
std::int64_t count(const std::string& name, Body&& body) {
  const std::int64_t before = simulated::calls(name);
  body();
  return simulated::calls(name) - before;
}

struct Conv {
  Shape x, weight;
  Conv2dOptions options{};
  bool last = true;
  DType dtype = bfloat16;
};

/// y and the gradients of x, weight and bias.
std::vector<Tensor> convolve(const Conv& c, Device device) {
  RandomGenerator generator(5);
  const auto values = [&](const Shape& shape) {
    const Tensor t = randn(shape, {}, &generator).to(c.dtype);
    const Tensor ordered = shape.rank() == 4 && c.last ? channels_last(t) : t;
    return ordered.to(device).requires_grad(true);
  };
  const Tensor x = values(c.x), weight = values(c.weight), bias = values({c.weight[0]});
  const Tensor y = conv2d(x, weight, bias, c.options);
  sum(y * y).backward();
  std::vector<Tensor> results;
  for (const Tensor& t : {y.detach(), x.grad(), weight.grad(), bias.grad()})
    results.push_back(t.to(Device::cpu()).to(float32));
  return results;
}

void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(is_close(got[i], expected[i], tolerance)) << "result " << i;
}

TEST_F(CudnnOperators, ConvolutionsAreTheCpus) {
  const Conv all[] = {{{2, 8, 7, 6}, {8, 8, 3, 3}, {.padding = 1}},
                      {{1, 16, 5, 5}, {8, 16, 1, 1}, {.stride = 2}, true, float16},
                      {{3, 4, 9, 8}, {6, 2, 3, 2}, {.dilation = 2, .groups = 2}, false, float32},
                      {{2, 8, 6, 6}, {8, 1, 3, 3}, {.groups = 8}, true, float32},
                      {{2, 3, 9, 9}, {4, 3, 3, 3}, {.stride = 2, .padding = 1}},
                      {{1, 3, 4, 4}, {1, 3, 4, 4}, {}, false, bfloat16}};
  const std::int64_t refused = cudnn::usage().refused;
  for (const Conv& c : all) {
    const double tolerance = c.dtype == float32 ? 1e-4 : 0.06;
    EXPECT_EQ(
        count("cudnnBackendExecute", [&] { expect_same(convolve(c, gpu), convolve(c, Device::cpu()), tolerance); }), 3)
        << str(c.x, " ", c.weight);
  }
  EXPECT_EQ(cudnn::usage().refused, refused) << cudnn::usage().refusal;
}

/// Volumes, in both orders and with padded channels.
TEST_F(CudnnOperators, ConvolutionsOfVolumesAreTheCpus) {
  struct Volume {
    Shape x, weight;
    Conv3dOptions options;
    bool last;
    DType dtype;
  };
  const Volume all[] = {{{2, 8, 4, 5, 6}, {8, 8, 3, 3, 3}, {.padding = {1, 0, 1}}, true, bfloat16},
                        {{1, 3, 4, 5, 6}, {4, 3, 2, 3, 1}, {.stride = {2, 1, 2}}, true, float16},
                        {{2, 4, 5, 4, 5}, {6, 2, 2, 3, 2}, {.dilation = {2, 1, 1}, .groups = 2}, false, float32}};
  const std::int64_t refused = cudnn::usage().refused;
  for (const Volume& v : all) {
    const auto step = [&](Device device) {
      RandomGenerator generator(5);
      const auto values = [&](const Shape& shape) {
        const Tensor t = randn(shape, {}, &generator).to(v.dtype);
        return (shape.rank() == 5 && v.last ? channels_last(t) : t).to(device).requires_grad(true);
      };
      const Tensor x = values(v.x), weight = values(v.weight), bias = values({v.weight[0]});
      const Tensor y = conv3d(x, weight, bias, v.options);
      sum(y * y).backward();
      std::vector<Tensor> results;
      for (const Tensor& t : {y.detach(), x.grad(), weight.grad(), bias.grad()})
        results.push_back(t.to(Device::cpu()).to(float32));
      return results;
    };
    const double tolerance = v.dtype == float32 ? 1e-4 : 0.06;
    EXPECT_EQ(count("cudnnBackendExecute", [&] { expect_same(step(gpu), step(Device::cpu()), tolerance); }), 3)
        << str(v.x, " ", v.weight);
  }
  EXPECT_EQ(cudnn::usage().refused, refused) << cudnn::usage().refusal;
}

/// A stem's three channels do not send it to a slow engine, whatever the batch.
TEST_F(CudnnOperators, ChannelsArePaddedOutsideOfTheWorkspace) {
  cudnn::workspace_limit(0);
  const Conv stem{{4, 3, 11, 11}, {8, 3, 7, 7}, {.stride = 2, .padding = 3}};
  EXPECT_EQ(count("direct", [&] { expect_same(convolve(stem, gpu), convolve(stem, Device::cpu()), 0.06); }), 0);
}

TEST_F(CudnnOperators, PlansAreKeptByTheirGraphs) {
  const auto prepared = [](const Conv& c) { return count("cudnnBackendFinalize", [&] { convolve(c, gpu); }); };
  Conv c{{2, 8, 5, 7}, {16, 8, 3, 3}};
  EXPECT_EQ(prepared(c), 3);
  EXPECT_EQ(prepared(c), 0);
  c.options.padding = 1;
  EXPECT_EQ(prepared(c), 3);
  c.last = false;
  EXPECT_EQ(prepared(c), 3);
  cudnn::workspace_limit(std::size_t{1} << 20);
  EXPECT_EQ(prepared(c), 3);
}

TEST_F(CudnnOperators, ThePlanUsedLongestAgoIsEvicted) {
  const auto prepared = [](std::int64_t size) {
    return count("cudnnBackendFinalize",
                 [&] { conv2d(ones({1, 1, 1, size}, {.device = gpu}), ones({1, 1, 1, 1}, {.device = gpu}), {}); });
  };
  EXPECT_EQ(prepared(1), 1);
  EXPECT_EQ(prepared(2), 1);
  for (std::int64_t size = 3; size <= 1024; ++size) prepared(size);
  EXPECT_EQ(prepared(1), 0);
  EXPECT_EQ(prepared(1025), 1);
  EXPECT_EQ(prepared(1), 0);
  EXPECT_EQ(prepared(2), 1);
}

const Conv float_conv{{6, 4, 9, 9}, {4, 4, 3, 3}, {}, true, float32};

TEST_F(CudnnOperators, TheFastestPlanIsKept) {
  for (const char* engine : {"implicit_gemm", "split_k"}) simulated::set_seconds(engine, 1e-3);
  const std::vector<Tensor> expected = convolve(float_conv, Device::cpu());
  EXPECT_EQ(count("direct", [&] { expect_same(convolve(float_conv, gpu), expected, 1e-4); }), 0);
  cudnn::benchmark(true);
  EXPECT_GT(count("cudaEventElapsedTime", [&] { expect_same(convolve(float_conv, gpu), expected, 1e-4); }), 0);
  simulated::set_seconds("direct", 1);  // timed once
  EXPECT_EQ(
      count("cudaEventElapsedTime",
            [&] { EXPECT_EQ(count("direct", [&] { expect_same(convolve(float_conv, gpu), expected, 1e-4); }), 3); }),
      0);
}

/// Only one engine computes another layout without a copy of it in the workspace.
TEST_F(CudnnOperators, PlansAboveTheWorkspaceLimitAreExcluded) {
  const Conv c{{2, 8, 7, 5}, {8, 8, 3, 3}, {}, false};
  const std::vector<Tensor> expected = convolve(c, Device::cpu());
  EXPECT_EQ(count("direct", [&] { expect_same(convolve(c, gpu), expected, 0.06); }), 0);
  cudnn::workspace_limit(0);
  EXPECT_EQ(count("direct", [&] { expect_same(convolve(c, gpu), expected, 0.06); }), 3);
}

TEST_F(CudnnOperators, DeterministicStepsTimeNothingAndRepeat) {
  deterministic(true);
  cudnn::benchmark(true);
  std::vector<Tensor> first;
  EXPECT_EQ(count("cudaEventElapsedTime", [&] { first = convolve(float_conv, gpu); }), 0);
  for (int call = 0; call < 3; ++call) {
    const std::vector<Tensor> again = convolve(float_conv, gpu);
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(identical(again[i], first[i])) << i;
  }
}

TEST_F(CudnnOperators, TheNextPlanIsTakenWhereOneCannotBeBuilt) {
  const Conv c{{2, 8, 6, 4}, {8, 8, 3, 3}};
  simulated::fail_call("prepare implicit_gemm", 1, CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(count("direct", [&] { expect_same(convolve(c, gpu), convolve(c, Device::cpu()), 0.06); }), 1);
}

TEST_F(CudnnOperators, APlanThatFailsWhileItIsTimedIsNotKept) {
  const Conv c{{2, 8, 9, 5}, {8, 8, 3, 3}};
  const std::vector<Tensor> expected = convolve(c, Device::cpu());
  cudnn::benchmark(true);
  simulated::set_seconds("direct", 1e-3);
  simulated::fail_call("implicit_gemm", 1, CUDNN_STATUS_EXECUTION_FAILED);  // of the forward pass
  expect_same(convolve(c, gpu), expected, 0.06);
  EXPECT_EQ(count("direct", [&] { expect_same(convolve(c, gpu), expected, 0.06); }), 1);
}

TEST_F(CudnnOperators, RefusalsAreCountedAndNamed) {
  const Conv c{{2, 8, 6, 3}, {8, 8, 3, 3}, {}, true, float32};
  const std::vector<Tensor> expected = convolve(c, Device::cpu());
  const cudnn::Usage before = cudnn::usage();
  for (const char* engine : {"prepare implicit_gemm", "prepare direct"})
    simulated::fail_call(engine, 1, CUDNN_STATUS_NOT_SUPPORTED);
  expect_same(convolve(c, gpu), expected, 1e-4);
  expect_same(convolve(c, gpu), expected, 1e-4);
  const cudnn::Usage after = cudnn::usage();
  EXPECT_EQ(after.refused - before.refused, 1);
  EXPECT_EQ(after.planned - before.planned, 2);
  EXPECT_EQ(after.refusal,
            "conv2d of float32 x [2, 8, 6, 3] and weight [8, 8, 3, 3]: cuDNN could build none of its plans");
}

TEST_F(CudnnOperators, WithoutAHandleMinimasKernelsCompute) {
  const Conv c{{2, 8, 3, 6}, {8, 8, 3, 3}};
  const std::int64_t refused = cudnn::usage().refused;
  for (int call = 1; call <= 3; ++call) simulated::fail_call("cudnnCreate", call, CUDNN_STATUS_NOT_INITIALIZED);
  std::thread([&] {  // has no handle yet
    RandomGenerator generator(5);
    EXPECT_EQ(count("cudnnBackendExecute", [&] { convolve(c, gpu); }), 0);
  })
      .join();
  EXPECT_GT(cudnn::usage().refused, refused);
}

TEST_F(CudnnOperators, FailuresOfAnEngineAreErrors) {
  const Conv c{{2, 8, 8, 3}, {8, 8, 3, 3}};
  simulated::fail_call("implicit_gemm", 1, CUDNN_STATUS_EXECUTION_FAILED);
  EXPECT_THROW(convolve(c, gpu), Error);
  expect_same(convolve(c, gpu), convolve(c, Device::cpu()), 0.06);
}

[[noreturn]] void exit_after_broken_engine() {
  const Conv c{{2, 8, 8, 2}, {8, 8, 1, 1}};
  convolve(c, gpu);
  simulated::fail_call("cudnnBackendExecute", 1, cudaErrorIllegalAddress);
  try {
    convolve(c, gpu);
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
  }
  std::exit(cuda::is_broken());
}

/// cuDNN's runtime is not minima's.
TEST_F(CudnnOperators, AnErrorThatEndsAllWorkInCudnnIsNoticed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_after_broken_engine(), ::testing::ExitedWithCode(1), "illegal memory access");
}

[[noreturn]] void exit_without_cudnn() {
  const Conv c{{2, 8, 8, 2}, {8, 8, 1, 1}};
  const Tensor warm = ones({4}, {.device = gpu}) * 2;
  const std::vector<Tensor> expected = convolve(c, Device::cpu());
  matmul(ones({8, 8}, {.device = gpu}), ones({8, 8}, {.device = gpu}));  // opens the driver and cuBLASLt
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NOFILE, &none);
  try {
    const std::vector<Tensor> got = convolve(c, gpu);
    std::fputs(cudnn::usage().refusal.c_str(), stderr);
    std::exit(is_close(got[0], expected[0], 0.06) ? 0 : 2);
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
    std::exit(3);
  }
}

TEST_F(CudnnOperators, AMachineWithoutCudnnComputesByMinimasKernels) {
  if (!build_info().sanitizer.empty()) GTEST_SKIP() << "sanitizers open files to look at memory";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_without_cudnn(), ::testing::ExitedWithCode(0), "cuDNN could not be opened");
}

TEST_F(CudnnOperators, ThreadsChooseEachPlanOnce) {
  std::vector<std::thread> threads;
  EXPECT_EQ(count("cudnnBackendFinalize",
                  [&] {
                    for (int t = 0; t < 8; ++t)
                      threads.emplace_back([t] { convolve({{2, 8, 4 + t % 2, 5}, {8, 8, 2, 2}}, gpu); });
                    for (std::thread& thread : threads) thread.join();
                  }),
            6);
}

/// A plan takes up to seconds to build.
TEST_F(CudnnOperators, APlanIsBuiltWhileOtherThreadsCompute) {
  const Conv known{{2, 8, 4, 9}, {8, 8, 2, 2}}, fresh{{2, 8, 9, 4}, {8, 8, 2, 2}};
  convolve(known, gpu);
  std::promise<void> computed;
  std::atomic<bool> builds = false, waited_in_vain = false;
  simulated::set_prepare_hook([&, done = computed.get_future().share()] {
    builds = true;
    builds.notify_all();
    if (done.wait_for(std::chrono::seconds(10)) != std::future_status::ready) waited_in_vain = true;
  });
  std::thread builder([&] { convolve(fresh, gpu); });
  builds.wait(false);
  convolve(known, gpu);
  computed.set_value();
  builder.join();
  simulated::set_prepare_hook({});
  EXPECT_FALSE(waited_in_vain);
}

}  // namespace
}  // namespace minima::operators_test
