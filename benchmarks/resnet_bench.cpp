// A training step of ResNet-50 under autocast, channels_last, 224 × 224, SGD with momentum: in bfloat16, and in float16
// with the loss scaler; eager and replayed from a CUDA graph. These rows need a GPU. torch_resnet.py runs the same in
// PyTorch, with cuDNN's plans timed as they are here.

#include "examples/resnet/network.h"

#include <minima/tensor/settings.h>
#include <minima/train/captured_step/captured_step.h>

#include <benchmark/benchmark.h>

#include <string>

namespace minima {
namespace {

/// cuDNN's plans are timed while this lives.
class TimedPlans {
 public:
  TimedPlans() : before_(cudnn::is_benchmark()) { cudnn::benchmark(true); }
  TimedPlans(const TimedPlans&) = delete;
  ~TimedPlans() { cudnn::benchmark(before_); }

 private:
  const bool before_;
};

void resnet50_step(benchmark::State& state, DType dtype, std::int64_t batch, bool captured) {
  const TimedPlans timed;
  const Device device = Device::cuda();
  manual_seed(1);
  ResNet network(50);
  network.to(device);
  optim::SGD optimizer(network.parameters(), {.lr = 0.1, .momentum = 0.9, .weight_decay = 1e-4});
  amp::GradScaler scaler({.enabled = dtype == float16});
  const Tensor images = channels_last(randn({batch, 3, 224, 224}, {.device = device}));
  const Tensor labels = randint(0, 1000, {batch}).to(device);
  train::CapturedStep step(
      [&](const Tensor& x, const Tensor& target) {
        optimizer.zero_grad();
        Tensor loss;
        {
          const amp::Autocast guard(device.type, {.dtype = dtype});
          loss = cross_entropy(network(x), target);
        }
        scaler.scale(loss).backward();
        scaler.step(optimizer);
        scaler.update();
        return loss;
      },
      {.enabled = captured});
  step.watch(network);
  step.watch(optimizer);
  constexpr int ahead = 10;
  for (int i = 0; i < ahead; ++i) step(images, labels);  // chooses plans, fills the memory cache, captures the graph
  const Stream stream = current_stream(device);
  stream.synchronize();
  while (state.KeepRunningBatch(ahead)) {
    for (int i = 0; i < ahead; ++i) step(images, labels);
    stream.synchronize();
  }
  state.SetItemsProcessed(state.iterations() * batch);
}

[[maybe_unused]] const bool registered = [] {
  if (cuda::device_count() == 0) return false;
  constexpr std::int64_t batch = 256;
  for (const DType dtype : {bfloat16, float16})
    for (const bool captured : {false, true}) {
      const std::string name = dtype == bfloat16 ? "bf16" : "fp16";
      benchmark::RegisterBenchmark(
          ("cuda_table/resnet50_step_" + name + "/batch:256" + (captured ? "/captured" : "")).c_str(),
          [dtype, captured](benchmark::State& state) { resnet50_step(state, dtype, batch, captured); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
  return true;
}();

}  // namespace
}  // namespace minima
