#pragma once

#include "simulated/machine/report.h"
#include "simulated/plans.h"
#include "simulated/simulation.h"

#include <minima/ops/cudnn/graph.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/stream.h>

#include <cuda_runtime_api.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace minima {

inline constexpr std::size_t no_limit = std::numeric_limits<std::int64_t>::max();

/// Memory of the first simulated GPU, filled with NaN, which cuDNN's graphs take addresses of.
class GpuMemory {
 public:
  explicit GpuMemory(std::size_t bytes) {
    MINIMA_CUDA_CHECK(cudaMalloc(&data_, bytes + 64));
    MINIMA_CUDA_CHECK(cudaMemset(data_, 0xff, bytes + 64));
  }
  ~GpuMemory() {
    if (data_) cudaFree(data_);
  }
  GpuMemory(const GpuMemory&) = delete;
  void* at(std::size_t offset = 0) const { return static_cast<char*>(data_) + offset; }

 private:
  void* data_ = nullptr;
};

/// A tensor of a graph on the GPU, in any layout.
class OnGpu {
 public:
  OnGpu(DType dtype, const Layout& layout)
      : shown(detail::graph_tensor(dtype, layout)), layout_(layout), memory_(std::make_shared<GpuMemory>(bytes())) {}
  OnGpu(const Tensor& values, const Layout& layout) : OnGpu(values.dtype(), layout) {
    const Tensor host = zeros({span()}, {.dtype = shown.dtype});
    copy_(as_strided(host, layout_), values);
    MINIMA_CUDA_CHECK(cudaMemcpy(address(), host.raw_data(), bytes(), cudaMemcpyHostToDevice));
  }
  explicit OnGpu(const Tensor& values) : OnGpu(values, Layout::contiguous(values.shape())) {}

  void* address() const { return memory_->at(); }
  /// After all work.
  Tensor values() const {
    const Tensor host = empty({span()}, {.dtype = shown.dtype});
    MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
    MINIMA_CUDA_CHECK(cudaMemcpy(host.raw_data(), address(), bytes(), cudaMemcpyDeviceToHost));
    return clone(as_strided(host, layout_));
  }

  detail::GraphTensor shown;

 private:
  std::int64_t span() const {
    std::int64_t last = 0;
    for (int d = 0; d < layout_.rank(); ++d) last += (layout_.shape[d] - 1) * layout_.strides[d];
    return last + 1;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(span()) * size_of(shown.dtype); }

  Layout layout_;
  std::shared_ptr<GpuMemory> memory_;
};

class CudnnOnSimulatedGpus : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("MINIMA_SIMULATED_GPUS", "2xH100", 1); }
  ~CudnnOnSimulatedGpus() override { simulated::forget_plans(); }

 private:
  DeviceGuard guard_{Device::cuda(0)};
};

/// Builds the graph and its first plan.
template <class G>
std::unique_ptr<detail::CudnnGraph> built(const G& graph, std::size_t limit = no_limit) {
  std::string why;
  auto result = detail::build_graph(graph, {}, limit, why);
  EXPECT_TRUE(result) << why;
  EXPECT_TRUE(result && result->prepare(0));
  return result;
}

/// The reason of a refusal; empty if there was none.
template <class G>
std::string refusal_of(const G& graph) {
  std::string why;
  const auto result = detail::build_graph(graph, {}, no_limit, why);
  EXPECT_EQ(result == nullptr, !why.empty());
  return why;
}

/// Runs a plan of the graph on the current stream.
inline void run(const detail::CudnnGraph& graph, const std::vector<void*>& addresses, int plan = 0) {
  const GpuMemory workspace(graph.workspace_bytes(plan));
  graph.run(plan, addresses, workspace.at());
  MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
}

inline testing::AssertionResult is_close(const Tensor& got, const Tensor& expected, double tolerance) {
  const Closeness close = allclose(got, expected, {.rtol = tolerance, .atol = tolerance});
  if (close) return testing::AssertionSuccess();
  return testing::AssertionFailure() << close.message;
}

}  // namespace minima
