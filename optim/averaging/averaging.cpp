#include <minima/optim/averaging/averaging.h>

#include <minima/autograd/mode.h>
#include <minima/io/counter.h>
#include <minima/io/state.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/optim/averaging/average_rule.h>
#include <minima/optim/borrow_state.h>
#include <minima/optim/slot_state.h>
#include <minima/optim/update/parts.h>
#include <minima/optim/update/run_updates.h>
#include <minima/optim/update/tensor_update.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::optim {

Averaged::Averaged(const std::vector<Tensor>& parameters) : parameters_(parameters) {
  NoGrad guard;
  for (const Tensor& parameter : parameters_) {
    if (!parameter.defined() || !is_floating(parameter.dtype()))
      throw DTypeError("Averaged: parameters must be floating");
    PurposeGuard purpose(Purpose::optimizer_state);
    Tensor average = empty(Layout::dense_like(parameter.layout()),
                           {.dtype = detail::update_dtype(parameter), .device = parameter.device()});
    copy_(average, parameter);
    averages_.push_back(average);
  }
}

void Averaged::move(double fraction) {
  NoGrad guard;
  detail::expect_listed("Averaged", parameters_);
  std::vector<Tensor> kept;
  std::vector<detail::TensorUpdate> on_cpu, on_gpu;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& average = averages_[i];
    const Tensor parameter = parameters_[i].detach();
    if (average.device() != parameter.device()) average = average.to(parameter.device());
    const bool fits = parameter.dtype() == average.dtype() && parameter.strides() == average.strides();
    kept.push_back(fits ? parameter : copy_as(parameter.to(average.dtype()), average.layout()));
    const bool has_kernel = minima::detail::on_cuda(average);
    detail::TensorUpdate& update = (has_kernel ? on_gpu : on_cpu).emplace_back();
    update.parameter = average.raw_data();
    update.gradient = kept.back().raw_data();
    update.dtype = update.gradient_dtype = average.dtype();
    update.count = average.numel();
    update.device = average.device();
    detail::set_rule(update, rules::Average{fraction});
    if (has_kernel) {
      // Kernels count steps; this count is not used.
      kept.push_back(minima::detail::zeroed({2}, {.dtype = DType::float64, .device = average.device()}));
      update.step_count = reinterpret_cast<detail::StepCount*>(kept.back().data<double>());
    }
  }
  detail::run_updates_on_cuda(on_gpu, [](Device) { return detail::StepControl(); });
  detail::run_updates_on_cpu(on_cpu);
  for (const Tensor& average : averages_) average.impl()->storage->bump_version();
}

void Averaged::copy_to_parameters() const {
  NoGrad guard;
  detail::expect_listed("Averaged", parameters_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) copy_(parameters_[i], averages_[i]);
}

State Averaged::state_dict() const {
  NoGrad guard;
  State state;
  state.set_integer("updates", updates_);
  for (std::size_t i = 0; i < averages_.size(); ++i) state.add(str("average.", i), detail::for_state(averages_[i]));
  return state;
}

void Averaged::load_state_dict(const State& state) {
  NoGrad guard;
  const std::int64_t updates = minima::detail::counter(state, "updates");
  for (std::size_t i = 0; i < averages_.size(); ++i)
    if (const Tensor source = state.tensor(str("average.", i)); source.shape() != averages_[i].shape())
      throw ValueError(
          str("Averaged: average ", i, " of the state is ", source, ", but the parameter is ", parameters_[i]));
  for (std::size_t i = 0; i < averages_.size(); ++i) copy_(averages_[i], state.tensor(str("average.", i)));
  updates_ = updates;
}

Ema::Ema(const std::vector<Tensor>& parameters, const EmaOptions& options) : Averaged(parameters), options_(options) {
  if (!(options.decay >= 0 && options.decay <= 1))
    throw ValueError(str("Ema: decay must be in [0, 1], got ", options.decay));
}

namespace {

/// Replays would repeat the weight of the update that was captured.
void refuse_captured(const char* what, const std::vector<Tensor>& averages) {
  if (!averages.empty() && minima::detail::is_captured(averages.front().device()))
    throw CaptureError(str(what,
                           " inside a captured step: its weight differs from update to update; call update() "
                           "after the step"));
}

}  // namespace

void Ema::update() {
  if (options_.warmup) refuse_captured("Ema::update with warmup", averages());
  ++updates_;
  const auto t = static_cast<double>(updates_);
  move(1 - (options_.warmup ? std::min(options_.decay, (1 + t) / (10 + t)) : options_.decay));
}

void Swa::update() {
  refuse_captured("Swa::update", averages());
  move(1 / static_cast<double>(++updates_));
}

UseAverage::UseAverage(const Averaged& averaged) : averaged_(averaged) {
  NoGrad guard;
  for (const Tensor& parameter : averaged.parameters()) kept_.push_back(clone(parameter.detach()));
  averaged.copy_to_parameters();
}

UseAverage::~UseAverage() {
  NoGrad guard;
  for (std::size_t i = 0; i < kept_.size(); ++i) copy_(averaged_.parameters()[i], kept_[i]);
}

}  // namespace minima::optim
