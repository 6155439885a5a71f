// A training step of GPT-2 124M (Radford et al. 2019): models::GPT2, batch 64 of 1024 tokens, bfloat16
// autocast, AdamW, gradient clipping; eager and replayed from a CUDA graph. Tokens are as frequent as words of a text
// (Zipf's law): the gradient of the embedding sums long runs of the frequent ones. With autotune products with GELU and
// with sums of bias gradients run only where they are faster than kernels that follow. These rows need a GPU.

#include <minima/minima.h>
#include <minima/models/language/gpt2.h>
#include <minima/ops/product/gemm/usage.h>
#include <minima/tensor/settings.h>
#include <minima/train/captured_step/captured_step.h>

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

namespace minima {
namespace {

const models::GPT2Options gpt2{.vocabulary = 50304, .dropout = 0};

/// Tokens of which number k has a probability in proportion to 1 / (k + 1).
Tensor zipf_tokens(const Shape& shape, std::int64_t vocabulary) {
  const Tensor rank = exp(rand(shape) * std::log(static_cast<double>(vocabulary)));
  return clamp(rank.to(int64) - 1, 0, vocabulary - 1);
}

struct TimedProducts {
  explicit TimedProducts(bool on) { autotune(on); }
  TimedProducts(const TimedProducts&) = delete;
  ~TimedProducts() { autotune(false); }
};

/// Describes what cuBLASLt made of the products' epilogues since `before`.
void count_epilogues(benchmark::State& state, const cublas::Usage& before) {
  const cublas::Usage now = cublas::usage();
  state.counters["fused"] = static_cast<double>(now.served - before.served);
  state.counters["refused"] = static_cast<double>(now.refused - before.refused);
  state.counters["slower"] = static_cast<double>(now.slower - before.slower);
  if (now.refused > before.refused) state.SetLabel("refused " + now.refusal);
}

void gpt2_step(benchmark::State& state, std::int64_t batch, bool captured, bool timed) {
  const TimedProducts products(timed);
  const cublas::Usage before = cublas::usage();
  const Device device = Device::cuda();
  manual_seed(1);
  models::GPT2 net(gpt2);
  net.to(device);
  optim::AdamW optimizer(net.parameters(), {.lr = 6e-4, .beta2 = 0.95, .weight_decay = 0.1});
  const Tensor text = zipf_tokens({batch, gpt2.positions}, 50257).to(device);
  const Tensor next = zipf_tokens({batch, gpt2.positions}, 50257).to(device);
  train::CapturedStep step(
      [&](const Tensor& x, const Tensor& y) {
        optimizer.zero_grad();
        Tensor loss;
        {
          const amp::Autocast guard(device.type);
          loss = net.loss(x, y).mean();
        }
        loss.backward();
        optim::clip_grad_norm_(net.parameters(), 1.0);
        optimizer.step();
        return loss;
      },
      {.enabled = captured});
  step.watch(net);
  step.watch(optimizer);
  constexpr int ahead = 5;
  for (int i = 0; i < ahead; ++i) step(text, next);  // chooses plans, fills the memory cache, captures the graph
  synchronize(device);
  reset_peak(device);
  while (state.KeepRunningBatch(ahead)) {
    for (int i = 0; i < ahead; ++i) step(text, next);
    synchronize(device);
  }
  state.SetItemsProcessed(state.iterations() * batch * gpt2.positions);
  state.counters["peak_GiB"] = static_cast<double>(memory_stats(device).peak_allocated) / (1 << 30);
  count_epilogues(state, before);
}

[[maybe_unused]] const bool registered = [] {
  if (cuda::device_count() == 0) return false;
  const auto row = [](const std::string& suffix, bool captured, bool timed) {
    benchmark::RegisterBenchmark(("cuda_table/gpt2_124m_step_bf16/batch:64" + suffix).c_str(),
                                 [captured, timed](benchmark::State& state) { gpt2_step(state, 64, captured, timed); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  row("", false, false);
  row("/captured", true, false);
  row("/autotune", false, true);
  return true;
}();

}  // namespace
}  // namespace minima
