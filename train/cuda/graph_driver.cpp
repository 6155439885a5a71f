#include <minima/train/captured_step/graph_driver.h>

#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/memory/device/gpu_memory.h>

#include <optional>

namespace minima::train {

namespace {

using minima::detail::gpu_allocator;

class CudaGraph final : public GraphDriver::Graph {
 public:
  CudaGraph(cudaGraphExec_t graph, Device device) : graph_(graph), device_(device) {}
  ~CudaGraph() override {
    // The device may still be replaying it.
    cuda::keep_failure(cudaStreamSynchronize(minima::detail::current_stream_state(device_.index)->handle),
                       "cudaStreamSynchronize");
    cuda::keep_failure(cudaGraphExecDestroy(graph_), "cudaGraphExecDestroy");
  }
  void replay() override {
    MINIMA_CUDA_CHECK(cudaGraphLaunch(graph_, minima::detail::current_stream_state(device_.index)->handle));
  }

 private:
  cudaGraphExec_t graph_;
  Device device_;
};

/// Puts `after` behind everything that `before` has been given.
void follow(Stream after, Stream before) {
  Event reached;
  reached.record(before);
  after.wait(reached);
}

device_memory::StreamMemory& memory_of(Device device, Stream stream) {
  return gpu_allocator(device, "CapturedStep").memory().stream(stream.state());
}

class CudaGraphs final : public GraphDriver {
 public:
  bool can_capture(Device device) override { return device.is_cuda(); }

  void enter(Device device) override {
    if (!thread.side) thread.side = Stream::create(device);
    follow(*thread.side, current_stream(device));
    thread.guard.emplace(*thread.side);
  }
  void leave(Device device) noexcept override {
    thread.guard.reset();
    try {
      follow(current_stream(device), *thread.side);
    } catch (const Error&) {
      // A device that is lost says so at the next call.
    }
  }

  void begin(Device device, int pool) override {
    gpu_allocator(device, "CapturedStep").memory().begin_capture(memory_of(device, *thread.side), pool);
    try {
      MINIMA_CUDA_CHECK(cudaStreamBeginCapture(handle(), cudaStreamCaptureModeThreadLocal));
    } catch (...) {
      gpu_allocator(device, "CapturedStep").memory().end_capture(memory_of(device, *thread.side));
      throw;
    }
  }

  std::unique_ptr<Graph> end(Device device) override {
    cudaGraph_t noted = nullptr;
    const cudaError_t status = cudaStreamEndCapture(handle(), &noted);
    gpu_allocator(device, "CapturedStep").memory().end_capture(memory_of(device, *thread.side));
    if (status != cudaSuccess || !noted) {
      static_cast<void>(cudaGetLastError());
      throw CaptureError(str("a captured step did what cannot be captured: ", cudaGetErrorString(status)));
    }
    cudaGraphExec_t graph = nullptr;
    const cudaError_t made = cudaGraphInstantiate(&graph, noted, 0);
    cuda::keep_failure(cudaGraphDestroy(noted), "cudaGraphDestroy");
    cuda::check(made, "cudaGraphInstantiate");
    return std::make_unique<CudaGraph>(graph, device);
  }

  void abandon(Device device) noexcept override {
    cudaGraph_t noted = nullptr;
    static_cast<void>(cudaStreamEndCapture(handle(), &noted));
    if (noted) static_cast<void>(cudaGraphDestroy(noted));
    static_cast<void>(cudaGetLastError());  // a broken capture is no failure of the device
    gpu_allocator(device, "CapturedStep").memory().end_capture(memory_of(device, *thread.side));
  }

  void release_pool(Device device, int pool) noexcept override {
    gpu_allocator(device, "CapturedStep").memory().release_pool(pool);
  }

 private:
  struct Thread {
    std::optional<Stream> side;
    std::optional<StreamGuard> guard;
  };
  static thread_local Thread thread;
  static cudaStream_t handle() { return thread.side->state()->handle; }
};

thread_local CudaGraphs::Thread CudaGraphs::thread;

}  // namespace

GraphDriver& cuda_graphs() {
  static CudaGraphs driver;
  return driver;
}

}  // namespace minima::train
