// The tables in docs/checkpointing.md: a transformer of 48 narrow blocks, plain, checkpointed, and under memory
// budgets.
//   memory_table [cpu|cuda]

#include "tests/support/simulated_memory.h"

#include <minima/minima.h>
#include <minima/models/language/gpt2.h>
#include <minima/train/memory_budget/memory_budget.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>

using namespace minima;

namespace {

const models::GPT2Options shape{
    .vocabulary = 96, .positions = 64, .width = 64, .layers = 48, .heads = 4, .dropout = 0.1};
constexpr std::int64_t batch = 8;

using Run = Function<Tensor(const nn::Sequential&, const Tensor&)>;

/// A network and its optimizer. `run` runs the blocks.
struct Trial {
  models::GPT2 net;
  nn::Sequential blocks;
  optim::AdamW optimizer;
  Tensor text, next;
  Run run;
  bool amp;
  Device device;

  Trial(Run how, bool with_amp, Device where)
      : net(make(where)),
        blocks(blocks_of(net)),
        optimizer(net.parameters(), {.lr = 1e-3}),
        text(randint(0, 96, {batch, shape.positions}, {.dtype = int64}).to(where)),
        next(randint(0, 96, {batch, shape.positions}, {.dtype = int64}).to(where)),
        run(std::move(how)),
        amp(with_amp),
        device(where) {}
  static models::GPT2 make(Device where) {
    manual_seed(1);
    models::GPT2 net(shape);
    net.to(where);
    return net;
  }
  static nn::Sequential blocks_of(const models::GPT2& net) {
    nn::Sequential blocks;
    for (const nn::AnyModule& block : net.transformer.h) blocks.push_back(block);
    return blocks;
  }

  Tensor loss() {
    const amp::Autocast guard(device.type, {.enabled = amp});
    const models::GPT2Decoder& below = net.transformer;
    const Tensor h = dropout(below.wte(text) + below.wpe.weight, shape.dropout, net.is_training());
    return linear_token_loss(below.ln_f(run(blocks, h)), net.lm_head.weight, {}, next).mean();
  }
  void step() {
    optimizer.zero_grad();
    loss().backward();
    optimizer.step();
  }
  std::vector<Tensor> gradients() {
    manual_seed(2);
    optimizer.zero_grad();
    loss().backward();
    std::vector<Tensor> result;
    for (const Tensor& p : net.parameters()) result.push_back(p.grad() + 0.0);
    return result;
  }

  double now() const {
    if (device.is_cpu()) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  struct Measured {
    std::int64_t resident, peak;  ///< before a step, and within one
    double seconds;               ///< median: of the processor on the CPU, so that other programs count little
  };
  Measured measure() {
    Measured result{0, 0, 0};
    std::vector<double> times;
    for (int i = 0; i < 8; ++i) {
      synchronize(device);
      reset_peak(device);
      if (i >= 3) result.resident = std::max(result.resident, memory_stats(device).allocated);
      const double start = now();
      step();
      synchronize(device);
      if (i < 3) continue;
      times.push_back(now() - start);
      result.peak = std::max(result.peak, memory_stats(device).peak_allocated);
    }
    std::sort(times.begin(), times.end());
    result.seconds = times[times.size() / 2];
    return result;
  }
};

Tensor plain(const nn::Sequential& blocks, const Tensor& x) { return nn::Sequential(blocks)(x); }

Run each(const CheckpointOptions& options) {
  return [options](const nn::Sequential& blocks, const Tensor& x) {
    Tensor h = x;
    for (const nn::AnyModule& block : blocks) h = checkpoint(options, block, h);
    return h;
  };
}

double mib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!identical(a[i], b[i])) return false;
  return true;
}

void checkpoint_table(Device device, bool amp) {
  test::SimulatedMemory simulated;
  SecondMemory* const second = device.is_cuda() ? nullptr : &simulated;
  const struct {
    const char* name;
    Run run;
  } rows[] = {
      {"plain", plain},
      {"7 segments (√48)", [](const nn::Sequential& b, const Tensor& x) { return nn::checkpoint_sequential(b, 7, x); }},
      {"a segment per block", each({})},
      {"a segment per block, products kept", each({.policy = keep_products})},
      {"a segment per block, inputs offloaded", each({.offload_inputs = true, .memory = second})},
  };
  std::printf("\n| %s, dropout 0.1, %s | peak activations, MiB | relative | step time, relative | gradients |\n",
              device.is_cuda() ? "CUDA" : "CPU", amp ? "bfloat16 autocast" : "float32");
  std::printf("| --- | ---: | ---: | ---: | --- |\n");
  std::vector<Tensor> expected;
  double base_bytes = 0, base_seconds = 0;
  for (const auto& row : rows) {
    Trial trial(row.run, amp, device);
    const std::vector<Tensor> gradients = trial.gradients();
    if (expected.empty()) expected = gradients;
    const bool equal = same(gradients, expected);
    const Trial::Measured measured = trial.measure();
    const double bytes = mib(measured.peak - measured.resident);
    if (base_bytes == 0) base_bytes = bytes, base_seconds = measured.seconds;
    std::printf("| %s | %.2f | 1/%.2f | %.2f | %s |\n", row.name, bytes, base_bytes / bytes,
                measured.seconds / base_seconds, equal ? "bitwise equal" : "DIFFERENT");
    std::fflush(stdout);
  }
}

void budget_table(Device device) {
  std::int64_t plain_peak = 0, smallest = 0;
  double plain_seconds = 0;
  {
    Trial trial(plain, false, device);
    const Trial::Measured measured = trial.measure();
    plain_peak = measured.peak;
    plain_seconds = measured.seconds;
  }
  {
    Trial trial(plain, false, device);
    const train::MemoryBudget budget(trial.net, 2 * plain_peak);
    for (int i = 0; i < 3; ++i) trial.step();
    smallest = budget.report().smallest;
  }
  std::printf("\nWithout a budget the peak is %.2f MiB; the smallest feasible budget is %.2f MiB.\n\n", mib(plain_peak),
              mib(smallest));
  std::printf(
      "| budget, MiB | predicted peak | actual peak | over the budget | step time, relative | plan | evictions |\n");
  std::printf("| ---: | ---: | ---: | ---: | ---: | --- | ---: |\n");
  for (int i = 0; i < 6; ++i) {
    Trial trial(plain, false, device);
    const std::int64_t bytes = smallest + (plain_peak - smallest) * i / 5;
    const train::MemoryBudget budget(trial.net, bytes);
    const Trial::Measured measured = trial.measure();
    const train::BudgetReport report = budget.report();
    const std::string text = report.text();
    std::printf("| %.2f | %.2f | %.2f | %.2f%% | %.2f | %s | %lld |\n", mib(bytes), mib(report.predicted_peak),
                mib(measured.peak),
                100 * std::max(0.0, static_cast<double>(measured.peak) / static_cast<double>(bytes) - 1),
                measured.seconds / plain_seconds, text.substr(text.rfind("blocks: ") + 8).c_str(),
                static_cast<long long>(report.evictions));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Device device = parse_device(argc > 1 ? argv[1] : "cpu");
  checkpoint_table(device, false);
  checkpoint_table(device, true);
  budget_table(device);
  return 0;
}
