#include <minima/profiler/advice/workbench.h>

#include <minima/ops/copy/copy.h>
#include <minima/profiler/profile.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

Workbench::Workbench(nn::ModuleBase& network, const Function<void(const Batch&)>& step, const Batch& batch,
                     const AdviceOptions& options)
    : network_(network), step_(step), batch_(batch), options_(options) {
  const std::vector<Tensor> parameters = network.parameters();
  device_ = parameters.empty() ? batch.front().device() : parameters.front().device();
}

double Workbench::samples(const Batch& batch) {
  return batch.front().rank() > 0 ? static_cast<double>(std::max<std::int64_t>(batch.front().size(0), 1)) : 1;
}

const Report& Workbench::report() {
  if (!report_) {
    const bool times_gpu = device_.is_cuda() && !options_.stopwatch.seconds;
    Profile profile({.skip = 2, .steps = 3, .gpu = times_gpu});
    profile.watch(network_);
    do step();
    while (profile.step());
    if (times_gpu) {
      report_ = profile.report();
      return *report_;
    }
    Roof roof = device_.is_cuda() ? options_.stopwatch.gpu : options_.roof;
    if (roof.flops_per_second <= 0) roof = options_.roof;
    if (roof.flops_per_second <= 0) roof = machine_roof();
    report_ = profile.report(roof);
  }
  return *report_;
}

const std::vector<SurveyedCall>& Workbench::calls() {
  if (!calls_) {
    Survey survey(network_);
    step();
    calls_ = survey.calls();
  }
  return *calls_;
}

double Workbench::share(bool (*of)(const std::string& op)) {
  const bool is_measured = !options_.stopwatch.seconds;
  double part = 0, all = 0;
  for (const Row& row : report().rows) {
    const double seconds = is_measured ? row.seconds : row.roof_seconds;
    all += seconds;
    if (of(row.op)) part += seconds;
  }
  if (is_measured) all = std::max(all, report().seconds);
  return all > 0 ? part / all : 0;
}

double Workbench::seconds(const Function<void()>& call, Device device) const {
  if (options_.stopwatch.seconds) return options_.stopwatch.seconds(call, device);
  using Clock = std::chrono::steady_clock;
  if (device.is_cuda()) synchronize(device);
  const Clock::time_point start = Clock::now();
  call();
  if (device.is_cuda()) synchronize(device);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Comparison Workbench::compare(const Function<void()>& before, const Function<void()>& after, double more_work) const {
  if (!options_.stopwatch.is_exact)
    return compare_in_turns(before, after, [this](const Function<void()>& call) { return seconds(call); },
                            {.seconds = options_.seconds, .more_work = more_work});
  Comparison result{.before = seconds(before), .after = seconds(after) / more_work};
  result.is_clear = std::abs(result.gain() - 1) > 1e-3;
  return result;
}

void Workbench::fill(Trial& trial, const Comparison& comparison) const {
  trial.before = comparison.before / samples(batch_);
  trial.after = comparison.after / samples(batch_);
  trial.spread = comparison.spread;
  trial.is_clear = comparison.is_clear;
  trial.is_advised = trial.is_clear && trial.gain() >= options_.min_gain;
}

void Workbench::attempt(Trial trial, const Function<void()>& unchanged, const Function<void()>& changed) {
  try {
    fill(trial, compare(unchanged, changed));
  } catch (const Error& error) {
    unchanged();
    trial.note = str("fails: ", error.what());
  }
  add(std::move(trial));
}

SavedState::SavedState(nn::ModuleBase& network) {
  for (const Tensor& x : network.parameters())
    values_.push_back({x, x.detach(), clone(x.detach()), x.grad().defined() ? clone(x.grad().detach()) : Tensor()});
  for (const Tensor& x : network.buffers()) values_.push_back({x, x.detach(), clone(x.detach()), Tensor()});
}

SavedState::~SavedState() {
  const NoGrad guard;
  for (const Value& value : values_) {
    if (value.tensor.requires_grad()) value.tensor.set_grad(Tensor());
    value.tensor.set_data(value.memory);
    copy_(value.tensor, value.saved);
    if (value.grad.defined()) value.tensor.set_grad(value.grad);
  }
}

bool is_convolution(const std::string& op) { return op.starts_with("conv"); }

bool is_product(const std::string& op) {
  if (is_convolution(op)) return true;
  for (const char* name : {"linear", "matmul", "bmm", "feed_forward", "attention", "lstm", "gru", "rnn", "recurrent"})
    if (op.starts_with(name)) return true;
  return false;
}

}  // namespace minima::profiler
