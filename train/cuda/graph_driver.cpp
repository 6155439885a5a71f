#include <minima/train/captured_step/graph_driver.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
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

class CudaGraph final : public GraphDriver::Graph {
 public:
  CudaGraph(cudaGraphExec_t graph, Device device) : graph_(graph), device_(device) {}
  ~CudaGraph() override {
    // A replay may still be running.
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

/// Makes `after` wait for all work submitted to `before`.
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
    if (!thread.capture_stream) thread.capture_stream = Stream::create(device);
    follow(*thread.capture_stream, current_stream(device));
    thread.guard.emplace(*thread.capture_stream);
  }
  void leave(Device device) noexcept override {
    thread.guard.reset();
    try {
      follow(current_stream(device), *thread.capture_stream);
    } catch (const Error&) {
      // A lost device fails the next call too.
    }
  }

  void begin(Device device, int pool) override {
    gpu_allocator(device, "CapturedStep").memory().begin_capture(memory_of(device, *thread.capture_stream), pool);
    try {
      MINIMA_CUDA_CHECK(cudaStreamBeginCapture(handle(), cudaStreamCaptureModeThreadLocal));
    } catch (...) {
      gpu_allocator(device, "CapturedStep").memory().end_capture(memory_of(device, *thread.capture_stream));
      throw;
    }
  }

  std::unique_ptr<Graph> end(Device device) override {
    cudaGraph_t captured = nullptr;
    const cudaError_t status = cudaStreamEndCapture(handle(), &captured);
    gpu_allocator(device, "CapturedStep").memory().end_capture(memory_of(device, *thread.capture_stream));
    if (status != cudaSuccess || !captured) {
      static_cast<void>(cudaGetLastError());
      throw CaptureError(str("the captured step contains work that cannot be captured: ", cudaGetErrorString(status)));
    }
    cudaGraphExec_t graph = nullptr;
    const cudaError_t instantiated = cudaGraphInstantiate(&graph, captured, 0);
    cuda::keep_failure(cudaGraphDestroy(captured), "cudaGraphDestroy");
    cuda::check(instantiated, "cudaGraphInstantiate");
    return std::make_unique<CudaGraph>(graph, device);
  }

  void abandon(Device device) noexcept override {
    cudaGraph_t captured = nullptr;
    static_cast<void>(cudaStreamEndCapture(handle(), &captured));
    if (captured) static_cast<void>(cudaGraphDestroy(captured));
    static_cast<void>(cudaGetLastError());  // a broken capture leaves the device usable
    gpu_allocator(device, "CapturedStep").memory().end_capture(memory_of(device, *thread.capture_stream));
  }

  void release_pool(Device device, int pool) noexcept override {
    gpu_allocator(device, "CapturedStep").memory().release_pool(pool);
  }

 private:
  struct Thread {
    std::optional<Stream> capture_stream;
    std::optional<StreamGuard> guard;
  };
  static thread_local Thread thread;
  static cudaStream_t handle() { return thread.capture_stream->state()->handle; }
};

thread_local CudaGraphs::Thread CudaGraphs::thread;

}  // namespace

GraphDriver& cuda_graphs() {
  static CudaGraphs driver;
  return driver;
}

}  // namespace minima::train
