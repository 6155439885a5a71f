#include <ATen/cuda/CUDAGraph.h>

#include <c10/util/Exception.h>

#include <minima/tensor/random/generator.h>
#include <minima/train/captured_step/graph_driver.h>

#include <atomic>

namespace at::cuda {

namespace {

/// minima leaves the numbers of pools below 1000 to programs.
int next_pool() {
  static std::atomic<int> count{1};
  return count++;
}

}  // namespace

struct CUDAGraph::State {
  minima::train::GraphDriver& driver = minima::train::cuda_graphs();
  minima::Device device = minima::Device::cuda(c10::cuda::current_device());
  int pool = next_pool();
  std::unique_ptr<minima::train::GraphDriver::Graph> graph = nullptr;
  bool is_capturing = false;
  minima::RandomGenerator::Position random{};

  ~State() {
    if (is_capturing) {
      driver.abandon(device);
      driver.leave(device);
    }
    graph.reset();
    driver.release_pool(device, pool);
  }
};

CUDAGraph::CUDAGraph() = default;
CUDAGraph::~CUDAGraph() = default;

void CUDAGraph::capture_begin() {
  TORCH_CHECK(is_available(), "CUDAGraph: No CUDA GPUs are available");
  TORCH_CHECK(!state_, "CUDAGraph: this graph is captured already; call reset() first");
  state_ = std::make_unique<State>();
  state_->random = minima::default_generator().state();
  state_->driver.enter(state_->device);
  state_->is_capturing = true;
  state_->driver.begin(state_->device, state_->pool);
}

void CUDAGraph::capture_end() {
  TORCH_CHECK(state_ && state_->is_capturing, "CUDAGraph: capture_end without capture_begin");
  TORCH_CHECK(state_->random.offset == minima::default_generator().state().offset,
              "CUDAGraph: the captured work drew random numbers, which would be the same in each replay; use minima's "
              "train::CapturedStep");
  state_->graph = state_->driver.end(state_->device);
  state_->is_capturing = false;
  state_->driver.leave(state_->device);
}

void CUDAGraph::replay() {
  TORCH_CHECK(state_ && state_->graph, "CUDAGraph: replay before a capture");
  state_->graph->replay();
}

void CUDAGraph::reset() { state_.reset(); }

}  // namespace at::cuda
