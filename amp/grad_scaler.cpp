#include <minima/amp/grad_scaler.h>

#include <minima/amp/scale_update.h>
#include <minima/autograd/mode.h>
#include <minima/io/counter.h>
#include <minima/io/state.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/step_result.h>
#include <minima/optim/update/gradients.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::amp {

GradScaler::GradScaler(const GradScalerOptions& options) : options_(options), first_scale_(options.init_scale) {
  const auto expect = [](bool holds, const char* what, double value) {
    if (!holds) throw ValueError(str("GradScaler: ", what, ", got ", value));
  };
  expect(options.init_scale > 0 && std::isfinite(options.init_scale), "init_scale must be positive and finite",
         options.init_scale);
  expect(options.growth_factor > 1 && std::isfinite(options.growth_factor), "growth_factor must be above 1 and finite",
         options.growth_factor);
  expect(options.backoff_factor > 0 && options.backoff_factor < 1, "backoff_factor must be in (0, 1)",
         options.backoff_factor);
  minima::detail::check_count("GradScaler", "growth_interval", options.growth_interval, 1, INT32_MAX);
}

/// Creates scale and counters on the device of the first loss or gradient.
void GradScaler::start(Device device) {
  if (scale_.defined()) return;
  const Tensor scale = full({}, first_scale_, {.device = device});
  tracker_ = full({}, first_tracker_, {.dtype = DType::int32, .device = device});
  inverse_ =
      full({}, static_cast<double>(static_cast<float>(1 / first_scale_)), {.dtype = DType::float64, .device = device});
  scale_ = scale;  // last, because scale_ marks that all three exist
}

Tensor GradScaler::scale(const Tensor& loss) {
  if (!options_.enabled) return loss;
  if (!loss.defined() || !is_floating(loss.dtype())) throw ValueError("GradScaler: the loss must be floating");
  {
    NoGrad guard;
    start(loss.device());
  }
  const Tensor wide = is_half(loss.dtype()) ? loss.to(DType::float32) : loss;
  // A copy, because update() changes the scale in place and a backward may still use it.
  return wide * (scale_.device() == loss.device() ? clone(scale_) : scale_.to(loss.device())).to(wide.dtype());
}

GradScaler::OptimizerState& GradScaler::state_of(const optim::Optimizer& optimizer) {
  for (OptimizerState& state : optimizers_)
    if (state.optimizer == &optimizer) return state;
  OptimizerState& state = optimizers_.emplace_back();
  state.optimizer = &optimizer;
  return state;
}

/// Checks the gradients for infinities and NaN; with `unscale` divides them by the scale in the same pass.
void GradScaler::check(OptimizerState& state, optim::Optimizer& optimizer, bool unscale) {
  const std::vector<Tensor> gradients = optim::detail::gradients_of(optimizer.parameters());
  if (gradients.empty())
    throw ValueError("GradScaler: no parameter of the optimizer has a gradient; call scale(loss).backward() first");
  if (unscale)
    for (const Tensor& gradient : gradients)
      if (gradient.dtype() == DType::float16)
        throw ValueError(str("GradScaler: cannot unscale float16 gradients (", gradient,
                             ") without losing the small ones; "
                             "keep parameters float32 under Autocast, or call step() without unscale()"));
  start(gradients.front().device());
  state.found_inf = minima::detail::zeroed({}, {.device = gradients.front().device()});
  if (unscale) optim::detail::scale(gradients, inverse_, state.found_inf);
  else optim::detail::find_non_finite(gradients, state.found_inf);
  optim::detail::share_found_inf(optimizer.parameters(), state.found_inf);
}

void GradScaler::unscale(optim::Optimizer& optimizer) {
  if (!options_.enabled) return;
  NoGrad guard;
  OptimizerState& state = state_of(optimizer);
  if (state.stage == Stage::unscaled)
    throw ValueError(
        "GradScaler: the gradients of this optimizer are already unscaled; call unscale once between updates");
  if (state.stage == Stage::stepped) throw ValueError("GradScaler: unscale was called after step; call update() first");
  check(state, optimizer, true);
  state.stage = Stage::unscaled;
}

optim::StepResult GradScaler::step(optim::Optimizer& optimizer, const optim::ScaledStep& also) {
  if (!options_.enabled) {
    optim::ScaledStep plain = also;
    plain.check = true;
    return optimizer.step(plain);
  }
  NoGrad guard;
  OptimizerState& state = state_of(optimizer);
  if (state.stage == Stage::stepped)
    throw ValueError("GradScaler: this optimizer has already taken its step; call update() before the next one");
  const bool is_scaled = state.stage == Stage::ready;
  if (is_scaled) check(state, optimizer, false);
  // A step that `also` skips says nothing about the scale: state.found_inf stays as it is.
  optim::ScaledStep scaled{.found_inf = state.found_inf, .inverse_scale = is_scaled ? inverse_ : Tensor()};
  if (also.found_inf.defined())
    scaled.found_inf = maximum(scaled.found_inf, also.found_inf.to(scaled.found_inf.device()));
  if (also.inverse_scale.defined()) {
    const Tensor& factor = also.inverse_scale;
    scaled.inverse_scale = is_scaled ? inverse_ * factor.to(inverse_.device()) : factor;
  }
  const optim::StepResult result = optimizer.step(scaled);
  state.stage = Stage::stepped;  // not reached if the step runs out of memory
  return result;
}

void GradScaler::update() {
  if (!options_.enabled) return;
  NoGrad guard;
  std::vector<Tensor> found;
  for (const OptimizerState& state : optimizers_)
    if (state.found_inf.defined()) found.push_back(state.found_inf.to(scale_.device()));
  optimizers_.clear();
  if (found.empty()) throw ValueError("GradScaler: update was called without a step or unscale before it");
  const detail::ScaleUpdate update{options_.growth_factor, options_.backoff_factor,
                                   static_cast<std::int32_t>(options_.growth_interval)};
  float* const scale = scale_.data<float>();
  std::int32_t* const tracker = tracker_.data<std::int32_t>();
  double* const inverse = inverse_.data<double>();
  if (!minima::detail::on_cuda(scale_)) {
    update(*scale, *tracker, *inverse,
           std::any_of(found.begin(), found.end(), [](const Tensor& x) { return x.item<float>() != 0; }));
  } else if constexpr (minima::detail::has_cuda_kernels) {
    while (found.size() > detail::max_found_inf) {  // the kernel takes at most that many addresses
      found[0] = maximum(found[0], found.back());
      found.pop_back();
    }
    detail::FoundInf addresses{};
    for (const Tensor& x : found) addresses.of[addresses.count++] = x.data<float>();
    const DeviceGuard on_its_gpu(found.front().device());  // launches go to the thread's current GPU
    detail::update_scale_cuda(update, scale, tracker, inverse, addresses);
  }
}

void GradScaler::update(double new_scale) {
  if (!(new_scale > 0) || !std::isfinite(new_scale))
    throw ValueError(str("GradScaler: the scale must be positive and finite, got ", new_scale));
  if (!options_.enabled) return;
  NoGrad guard;
  optimizers_.clear();
  first_scale_ = new_scale;
  if (!scale_.defined()) return;
  fill_(scale_, new_scale);
  fill_(inverse_, static_cast<double>(static_cast<float>(1 / new_scale)));
}

double GradScaler::get_scale() const {
  if (!options_.enabled) return 1;
  return scale_.defined() ? scale_.item<double>() : first_scale_;
}

std::int64_t GradScaler::growth_tracker() const {
  return tracker_.defined() ? tracker_.item<std::int64_t>() : first_tracker_;
}

State GradScaler::state_dict() const {
  State state;
  if (!options_.enabled) return state;
  state.set_number("scale", get_scale());
  state.set_number("growth_factor", options_.growth_factor);
  state.set_number("backoff_factor", options_.backoff_factor);
  state.set_integer("growth_interval", options_.growth_interval);
  state.set_integer("_growth_tracker", growth_tracker());
  return state;
}

void GradScaler::load_state_dict(const State& state) {
  if (!options_.enabled) return;
  if (state.empty()) throw ValueError("GradScaler: the state is empty; was it saved by a disabled scaler?");
  GradScalerOptions loaded = options_;
  loaded.init_scale = state.number("scale");
  loaded.growth_factor = state.number("growth_factor");
  loaded.backoff_factor = state.number("backoff_factor");
  loaded.growth_interval = state.integer("growth_interval");
  const std::int64_t tracker =
      minima::detail::counter(state, "_growth_tracker", std::numeric_limits<std::int32_t>::max() - 1);
  const GradScaler valid(loaded);  // throws for invalid values
  loaded.init_scale = options_.init_scale;
  options_ = loaded;
  first_scale_ = valid.first_scale_;
  first_tracker_ = tracker;
  optimizers_.clear();
  const Device device = scale_.defined() ? scale_.device() : Device::cpu();
  const bool is_started = scale_.defined();
  scale_ = tracker_ = inverse_ = {};
  if (is_started) start(device);
}

}  // namespace minima::amp
