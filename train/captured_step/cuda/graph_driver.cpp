#include <minima/train/captured_step/graph_driver.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/handles.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/device/caching_memory.h>
#include <minima/tensor/memory/device/gpu_memory.h>

#include <memory>
#include <optional>

namespace minima::train {

namespace {

using minima::detail::gpu_allocator;
using minima::detail::OwnStream;
using minima::detail::run_aside;

class CudaGraph final : public GraphDriver::Graph {
 public:
  CudaGraph(cudaGraphExec_t graph, Device device) : graph_(graph), device_(device) {}
  ~CudaGraph() override {
    // Replays follow one another, also on different streams. A graph is leaked rather than destroyed under one.
    if (last_ && !minima::detail::drain(*last_->state())) return;
    cuda::keep_failure(cudaGraphExecDestroy(graph_), "cudaGraphExecDestroy");
  }
  void replay() override {
    const cuda::DeviceGuard guard(device_.index);
    last_ = current_stream(device_);
    MINIMA_CUDA_CHECK(cudaGraphLaunch(graph_, last_->state()->handle));
  }

 private:
  cudaGraphExec_t graph_;
  Device device_;
  std::optional<Stream> last_;  ///< of the last replay
};

device_memory::StreamMemory& memory_of(Device device, Stream stream) {
  return gpu_allocator(device, "CapturedStep").memory().stream(stream.state());
}

class CudaGraphs final : public GraphDriver {
 public:
  bool can_capture(Device device) override { return device.is_cuda(); }

  void enter(Device device) override {
    std::optional<OwnStream>& stream = thread.streams[device.index];
    if (!stream) stream.emplace(device);
    const Stream caller = current_stream(device);
    (*stream)->wait(caller);
    run_aside(*caller.state(), (*stream)->state());
    thread.caller = caller.state();
    thread.guard.emplace(**stream);
  }
  void leave(Device device) noexcept override {
    thread.guard.reset();
    minima::detail::follow(Stream(thread.caller), stream_of(device));
    run_aside(*thread.caller, nullptr);
  }

  void begin(Device device, int pool) override {
    run_aside(*thread.caller, nullptr);                // nothing runs until the capture ends
    cuda::free_workspace(*stream_of(device).state());  // the graph has its own
    gpu_allocator(device, "CapturedStep").memory().begin_capture(memory_of(device, stream_of(device)), pool);
    const cudaError_t status = cudaStreamBeginCapture(handle(device), cudaStreamCaptureModeThreadLocal);
    if (status == cudaSuccess) return;
    end_memory(device);
    release_pool(device, pool);
    cuda::check(status, "cudaStreamBeginCapture");
  }

  std::unique_ptr<Graph> end(Device device) override {
    cudaGraph_t captured = nullptr;
    const cudaError_t status = cudaStreamEndCapture(handle(device), &captured);
    if (status == cudaSuccess && captured) {
      end_memory(device);
    } else {
      abandon(device);
      throw CaptureError(str("the captured step contains work that cannot be captured: ", cudaGetErrorString(status)));
    }
    cudaGraphExec_t graph = nullptr;
    const cudaError_t instantiated = cudaGraphInstantiate(&graph, captured, 0);
    const cudaError_t destroyed = cudaGraphDestroy(captured);
    cuda::check(instantiated, "cudaGraphInstantiate");
    cuda::keep_failure(destroyed, "cudaGraphDestroy");
    return std::make_unique<CudaGraph>(graph, device);
  }

  void abandon(Device device) noexcept override {
    cudaGraph_t captured = nullptr;
    static_cast<void>(cudaStreamEndCapture(handle(device), &captured));
    if (captured) static_cast<void>(cudaGraphDestroy(captured));
    static_cast<void>(cudaGetLastError());  // a broken capture leaves the device usable
    end_memory(device);
  }

  void release_pool(Device device, int pool) noexcept override {
    gpu_allocator(device, "CapturedStep").memory().release_pool(pool);
  }

 private:
  struct Thread {
    std::optional<OwnStream> streams[minima::detail::max_devices];  ///< to capture on, by device
    std::optional<StreamGuard> guard;
    minima::detail::StreamState* caller = nullptr;  ///< whose work runs aside
  };
  static thread_local Thread thread;
  static const Stream& stream_of(Device device) { return **thread.streams[device.index]; }
  static void end_memory(Device device) {
    gpu_allocator(device, "CapturedStep").memory().end_capture(memory_of(device, stream_of(device)));
  }
  static cudaStream_t handle(Device device) { return stream_of(device).state()->handle; }
};

thread_local CudaGraphs::Thread CudaGraphs::thread;

}  // namespace

GraphDriver& cuda_graphs() {
  static CudaGraphs driver;
  return driver;
}

}  // namespace minima::train
