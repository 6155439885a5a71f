// A training step of ResNet-50 under autocast, channels_last, 224 × 224, SGD with momentum: in bfloat16, and in float16
// with the loss scaler. These rows need a GPU. torch_resnet.py runs the same in PyTorch.

#include "examples/resnet/network.h"

#include <minima/ops/cudnn/settings.h>

#include <benchmark/benchmark.h>

namespace minima {
namespace {

void resnet50_step(benchmark::State& state, DType dtype, std::int64_t batch) {
  const Device device = Device::cuda();
  manual_seed(1);
  cudnn::benchmark(true);  // as in torch_resnet.py
  ResNet network(50);
  network.to(device);
  optim::SGD optimizer(network.parameters(), {.lr = 0.1, .momentum = 0.9, .weight_decay = 1e-4});
  amp::GradScaler scaler({.enabled = dtype == float16});
  const Tensor x = channels_last(randn({batch, 3, 224, 224}, {.device = device}));
  const Tensor target = randint(0, 1000, {batch}).to(device);
  const auto step = [&] {
    optimizer.zero_grad();
    Tensor loss;
    {
      const amp::Autocast guard(device.type, {.dtype = dtype});
      loss = cross_entropy(network(x), target);
    }
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
  };
  constexpr int ahead = 10;
  for (int i = 0; i < ahead; ++i) step();  // chooses plans, fills the memory cache
  const Stream stream = current_stream(device);
  stream.synchronize();
  while (state.KeepRunningBatch(ahead)) {
    for (int i = 0; i < ahead; ++i) step();
    stream.synchronize();
  }
  cudnn::benchmark(false);
  state.SetItemsProcessed(state.iterations() * batch);
}

[[maybe_unused]] const bool registered = [] {
  if (cuda::device_count() == 0) return false;
  constexpr std::int64_t batch = 256;
  const auto row = [](const char* name, DType dtype) {
    benchmark::RegisterBenchmark(name, [dtype](benchmark::State& state) { resnet50_step(state, dtype, batch); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  row("cuda_table/resnet50_step_bf16/batch:256", bfloat16);
  row("cuda_table/resnet50_step_fp16/batch:256", float16);
  return true;
}();

}  // namespace
}  // namespace minima
