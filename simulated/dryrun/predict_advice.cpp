#include "simulated/dryrun/predict_advice.h"

#include "simulated/dryrun/dry_run.h"
#include "simulated/machine/gpu_kind.h"
#include "simulated/simulation.h"

#include <minima/tensor/base/device.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace simulated {

using namespace minima;

namespace {

profiler::Roof roof_of(const std::string& gpu) {
  for (const GpuKind& kind : gpu_kinds())
    if (gpu == kind.key)
      return {.bytes_per_second = kind.bandwidth * kind.achieved_bandwidth,
              .flops_per_second = kind.peak_float32 * kind.achieved_rate,
              .call_seconds = kind.kernel_gap};
  return {};
}

double fastest_on_cpu(const Function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  double fastest = 1e9;
  for (int i = 0; i < 8; ++i) {
    const Clock::time_point start = Clock::now();
    call();
    fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return fastest;
}

}  // namespace

profiler::Advice predict_advice(nn::ModuleBase& network, const Function<void(const std::vector<Tensor>&)>& step,
                                const std::vector<Tensor>& batch, profiler::AdviceOptions options) {
  const Device gpu = Device::cuda();
  DryRun dry(gpu);
  const auto run = [&](const Function<void()>& call) {
    constexpr int warmup = 2;
    const Function<Tensor()> without_loss = [&call] {
      call();
      return Tensor();
    };
    return dry.run(network, without_loss, warmup);
  };
  const auto on_cpu = [given = std::move(options.stopwatch.seconds)](const Function<void()>& call) {
    return given ? given(call, Device::cpu()) : fastest_on_cpu(call);
  };
  options.stopwatch = {
      .seconds = [&](const Function<void()>& call,
                     Device device) { return device.is_cpu() ? on_cpu(call) : 1e-3 * run(call).predicted_ms; },
      .busy = [&](const Function<void()>& call) { return 1e-3 * run(call).gpu_ms; },
      .gpu = roof_of(key_of_gpu(gpu.index)),
      .is_exact = true,
  };
  return profiler::advise(network, step, batch, options);
}

}  // namespace simulated
