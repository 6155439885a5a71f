#include "simulated/tests/cudnn/graphs.h"

#include <minima/ops/convolution/images.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/handles.h>

#include <cudnn.h>

#include <set>

namespace minima::calls_test {
namespace {

using detail::ConvGraph;

/// y = x · 3, a convolution.
class SimulatedCudnn : public CudnnOnSimulatedGpus {
 protected:
  OnGpu x{full({1, 8, 2, 2}, 2.0)}, weight{reshape(eye(8) * 3, {8, 8, 1, 1})},
      y{float32, Layout::contiguous({1, 8, 2, 2})};
  ConvGraph conv{.x = x.shown, .weight = weight.shown, .y = y.shown};
  std::vector<void*> addresses() const { return {x.address(), weight.address(), y.address()}; }
  float first() const { return y.values()[0][0][0][0].item<float>(); }
};

TEST_F(SimulatedCudnn, RunsLateAndInOrder) {
  std::set<float> seen;
  const auto graph = built(conv);
  float* pinned = nullptr;
  MINIMA_CUDA_CHECK(cudaHostAlloc(reinterpret_cast<void**>(&pinned), 4, cudaHostAllocPortable));
  const Stream side = Stream::create(Device::cuda(0));
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    simulated::reseed(seed);
    MINIMA_CUDA_CHECK(cudaMemset(y.address(), 0, 128));
    MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
    {
      const StreamGuard guard(side);
      graph->run(0, addresses(), nullptr);
    }
    cudaMemcpyAsync(pinned, y.address(), 4, cudaMemcpyDeviceToHost, nullptr);  // planted: waits for another stream
    MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
    seen.insert(*pinned);
    EXPECT_EQ(first(), 6);
  }
  EXPECT_EQ(seen, (std::set<float>{0, 6}));
  MINIMA_CUDA_CHECK(cudaFreeHost(pinned));
}

TEST_F(SimulatedCudnn, ACaptureRecordsIt) {
  const auto graph = built(conv);
  const Stream side = Stream::create(Device::cuda(0));
  const StreamGuard guard(side);
  cudaStream_t const stream = detail::current_stream_state(0)->handle;
  MINIMA_CUDA_CHECK(cudaMemset(y.address(), 0, 128));
  MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
  MINIMA_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  graph->run(0, addresses(), nullptr);
  cudaGraph_t captured = nullptr;
  cudaGraphExec_t executable = nullptr;
  MINIMA_CUDA_CHECK(cudaStreamEndCapture(stream, &captured));
  EXPECT_EQ(first(), 0);
  MINIMA_CUDA_CHECK(cudaGraphInstantiate(&executable, captured, 0));
  MINIMA_CUDA_CHECK(cudaGraphLaunch(executable, stream));
  EXPECT_EQ(first(), 6);
}

TEST_F(SimulatedCudnn, MemoryMayNotBeFreedUnderIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto graph = built(conv);
  const auto free_early = [&] {
    const Stream side = Stream::create(Device::cuda(0));
    const StreamGuard guard(side);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      simulated::reseed(seed);
      void* result = nullptr;
      MINIMA_CUDA_CHECK(cudaMallocAsync(&result, 128, nullptr));
      MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
      graph->run(0, {x.address(), weight.address(), result}, nullptr);
      MINIMA_CUDA_CHECK(cudaFreeAsync(result, nullptr));  // planted: the work is on another stream
      MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
    }
  };
  EXPECT_DEATH(free_early(), "implicit_gemm|tf32_tensor_cores");
}

TEST_F(SimulatedCudnn, BadAddressesAreErrors) {
  const auto graph = built(conv);
  std::vector<void*> all = addresses();
  all[0] = static_cast<char*>(all[0]) + 4;
  EXPECT_THROW(graph->run(0, all, nullptr), Error) << "not aligned";
  all[0] = nullptr;
  EXPECT_THROW(graph->run(0, all, nullptr), Error);
  EXPECT_THROW(graph->run(0, {x.address()}, nullptr), Error);
  ConvGraph padded = conv;  // row-major half types are turned into channels_last in the workspace
  for (detail::GraphTensor* t : {&padded.x, &padded.weight, &padded.y}) t->dtype = bfloat16;
  const auto half = built(padded);
  EXPECT_GT(half->workspace_bytes(0), 0u);
  EXPECT_THROW(half->run(0, addresses(), nullptr), Error);
}

TEST_F(SimulatedCudnn, AResultThatIsReadIsNan) {
  ConvGraph in_place = conv;
  run(*built(in_place), {x.address(), weight.address(), x.address()});
  EXPECT_TRUE(std::isnan(x.values()[0][0][0][0].item<float>()));
}

TEST_F(SimulatedCudnn, PlansFailAsPlanned) {
  std::string why;
  const auto graph = detail::build_graph(conv, {}, no_limit, why);
  simulated::fail_call("prepare implicit_gemm", 1, CUDNN_STATUS_NOT_SUPPORTED);
  conv.tf32 = false;
  const auto exact = detail::build_graph(conv, {}, no_limit, why);
  EXPECT_FALSE(exact->prepare(0));
  EXPECT_TRUE(exact->prepare(1));
  simulated::fail_call("direct", 1, CUDNN_STATUS_EXECUTION_FAILED);
  EXPECT_THROW(exact->run(1, addresses(), nullptr), Error);
  run(*exact, addresses(), 1);
  EXPECT_EQ(first(), 6);
}

TEST_F(SimulatedCudnn, AHandleIsOfOneDevice) {
  const auto graph = built(conv);
  cudnnHandle_t const handle = cuda::cudnn_handle();
  const Stream other = Stream::create(Device::cuda(1));
  {
    const StreamGuard guard(other);
    EXPECT_EQ(cudnnSetStream(handle, detail::current_stream_state(1)->handle), CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH);
    char words[100];
    cudnnGetLastErrorString(words, sizeof words);
    EXPECT_STREQ(words, "the stream is not one of the handle's device");
  }
  EXPECT_NE(cudnnDestroy(nullptr), CUDNN_STATUS_SUCCESS);
}

}  // namespace
}  // namespace minima::calls_test
