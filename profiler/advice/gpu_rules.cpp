#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/profiler/advice/rules.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/pinned.h>
#include <minima/train/captured_step/captured_step.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Rules about GPUs: graphs, copies to them, and whether to use one.

namespace minima::profiler::detail {

namespace {

/// x there. A prediction has no values to copy.
Tensor on_device(const Tensor& x, Device there, bool has_values) {
  return has_values ? x.detach().to(there) : zeros(x.shape(), {.dtype = x.dtype(), .device = there});
}

/// The time at the roof of all operators that the profile has seen, in a step.
double roof_seconds(const Report& report, const Roof& roof) {
  double sum = 0;
  for (const Row& row : report.rows) {
    const auto calls = static_cast<double>(std::max<std::int64_t>(row.calls, 1));
    sum += calls * std::max(roof.seconds(row.flops / calls, row.bytes / calls), roof.call_seconds);
  }
  return sum / static_cast<double>(std::max<std::int64_t>(report.steps, 1));
}

}  // namespace

void try_captured_step(Workbench& bench) {
  if (bench.device().is_cpu()) return;
  Trial trial{.rule = "captured step",
              .change = "train::CapturedStep step([&](const Tensor& x, const Tensor& y) { … });"};
  const Function<double(const Function<void()>&)>& busy = bench.options().stopwatch.busy;
  if (busy) trial.promised = bench.seconds([&] { bench.step(); }) / busy([&] { bench.step(); });
  train::CapturedStep captured([&bench](const std::vector<Tensor>& inputs) {
    bench.step(inputs);
    return std::vector<Tensor>();
  });
  captured.watch(bench.network());
  const Function<void()> replay = [&] { captured.call(bench.batch()); };
  for (int i = 0; i < 5; ++i) bench.seconds(replay);  // warms up and captures
  if (captured.counts().replayed == 0) {
    trial.note = "fails: " + captured.reason();
    return bench.add(std::move(trial));
  }
  bench.attempt(std::move(trial), replay);
}

void try_pinned_memory(Workbench& bench) {
  if (bench.device().is_cpu()) return;
  const NoGrad guard;
  Batch changed = bench.batch();
  double pageable = 0, pinned = 0;
  for (Tensor& x : changed) {
    if (x.device().is_cuda() || is_pinned(x)) continue;
    const Tensor source = x, copy = empty_pinned(x.layout(), x.dtype());
    copy_(copy, source);
    pageable += bench.seconds([&] { static_cast<void>(source.to(bench.device())); });
    pinned += bench.seconds([&] { static_cast<void>(copy.to(bench.device())); });
    x = copy;
  }
  if (pageable <= 0) return;
  const EnableGrad recording;
  const double step = bench.seconds([&] { bench.step(); });
  bench.attempt({.rule = "pinned memory",
                 .change = "data::DataLoader loader(dataset, {.pin_memory = true});  // or .device = Device::cuda()",
                 .promised = step / std::max(step - pageable + pinned, 1e-9)},
                [&] { bench.step(changed); });
}

void try_placement(Workbench& bench) {
  if (cuda::device_count() == 0) return;
  const Device here = bench.device(), there = here.is_cpu() ? Device::cuda() : Device::cpu();
  const Roof& gpu = bench.options().stopwatch.gpu;
  const double now = bench.seconds([&] { bench.step(); }, here);
  Trial trial{
      .rule = "placement",
      .change = here.is_cpu() ? "network.to(Device::cuda());  // and the batches" : "network.to(Device::cpu());"};
  Roof roof = here.is_cpu() ? gpu : bench.options().roof;
  if (roof.flops_per_second <= 0 && here.is_cuda()) roof = machine_roof();
  if (roof.flops_per_second > 0) trial.promised = now / roof_seconds(bench.report(), roof);
  const SavedState state(bench.network());
  const bool is_exact = bench.options().stopwatch.is_exact;
  Batch other;
  for (const Tensor& x : bench.batch()) other.push_back(on_device(x, there, !is_exact));
  OtherValues values;
  for (const Tensor& x : bench.network().parameters()) values.add(x, on_device(x, there, !is_exact));
  for (const Tensor& x : bench.network().buffers()) values.add(x, on_device(x, there, !is_exact));
  const Function<void()> step_here = [&] {
    values.use(false);
    bench.step();
  };
  const Function<void()> step_there = [&] {
    values.use(true);
    bench.step(other);
  };
  try {
    std::vector<double> befores, afters;
    for (int warm = 0; warm < 2; ++warm) bench.seconds(step_here, here), bench.seconds(step_there, there);
    const std::size_t turns = is_exact ? 1 : 12;
    while (afters.size() < turns) {
      befores.push_back(bench.seconds(step_here, here));
      afters.push_back(bench.seconds(step_there, there));
    }
    Comparison comparison = compare_turns(befores, afters);
    if (is_exact) comparison.is_clear = true;
    bench.fill(trial, comparison);
  } catch (const Error& error) {
    trial.note = str("fails: ", error.what());
  }
  bench.add(std::move(trial));
}

}  // namespace minima::profiler::detail
