#include <minima/optim/optimizer.h>

#include <minima/autograd/mode.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/optim/grouped.h>
#include <minima/optim/update/gradients.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/memory/cpu/with_memory.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <unordered_set>
#include <vector>

namespace minima::optim {

void detail::expect(bool holds, const char* what, double value) {
  if (!holds) throw ValueError(str("optimizer: ", what, ", got ", value));
}

void Optimizer::zero_grad() const {
  for (const Slot& slot : slots_) slot.parameter.zero_grad();
}

std::vector<Tensor> Optimizer::parameters() const {
  std::vector<Tensor> all;
  all.reserve(slots_.size());
  for (const Slot& slot : slots_) all.push_back(slot.parameter);
  return all;
}

std::vector<Tensor> Optimizer::parameters(std::size_t group) const {
  std::vector<Tensor> some;
  for (const Slot& slot : slots_)
    if (slot.group == group) some.push_back(slot.parameter);
  return some;
}

void Optimizer::set_name(const Tensor& tensor, const std::string& name) {
  for (Slot& slot : slots_)
    if (slot.parameter.is_same(tensor)) slot.name = name;
}

void Optimizer::set_lr(double lr) {
  for (std::size_t g = 0; g < group_count_; ++g) set_lr(lr, g);
}

double Optimizer::momentum(std::size_t) const { return 0; }
void Optimizer::set_momentum(double, std::size_t) {}

Shape Optimizer::state_shape(const Slot& slot, const char*) const { return slot.parameter.shape(); }

StepResult Optimizer::step() { return step(ScaledStep{.found_inf = {}, .inverse_scale = {}, .check = true}); }

StepResult Optimizer::step(const ScaledStep& given) {
  NoGrad guard;
  if (const detail::GradientReader reader = detail::gradient_reader()) [[unlikely]]
    reader("the optimizer's step", parameters(), false);
  detail::expect_gradients(type_name().c_str(), parameters());
  ScaledStep scaled = given;
  if (given.check && non_finite_ != NonFinite::ignore) {
    const std::vector<Tensor> gradients = detail::gradients_of(parameters());
    if (gradients.empty()) return {};
    const Tensor found = minima::detail::zeroed({}, {.device = gradients.front().device()});
    detail::find_non_finite(gradients, found);
    detail::share_found_inf(parameters(), found);
    if (non_finite_ == NonFinite::raise && found.item<float>() != 0) raise_non_finite();
    scaled.found_inf = given.found_inf.defined() ? maximum(found, given.found_inf.to(found.device())) : found;
  }
  StepResult result{scaled.found_inf};
  // Kernels read found-inf themselves; CPU updates must know it first.
  const auto is_on_cpu = [](const Tensor& x) { return !minima::detail::on_cuda(x); };
  if (scaled.found_inf.defined() &&
      (is_on_cpu(scaled.found_inf) ||
       std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) { return is_on_cpu(slot.parameter); })) &&
      result.skipped())
    return result;
  const auto changes = [&] {
    std::uint64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.parameter.version();
    return sum;
  };
  const std::uint64_t before = changes();
  try {
    try {
      update(max_grad_norm_ < 0 ? scaled : clipped(scaled, result));
    } catch (const std::bad_alloc&) {
      minima::detail::throw_out_of_memory("an optimizer's step");
    }
  } catch (Error& error) {
    if (changes() != before)
      error.add_note("the step is incomplete: some parameters are updated, others are not; reload a checkpoint");
    throw;
  }
  return result;
}

void Optimizer::max_grad_norm(double norm) {
  if (!(norm >= 0)) throw ValueError(str("optimizer: max_grad_norm must not be negative, got ", norm));
  max_grad_norm_ = std::isinf(norm) ? -1 : norm;
}

/// The same step with a factor that clips, too.
ScaledStep Optimizer::clipped(const ScaledStep& scaled, StepResult& result) const {
  const Tensor total = detail::power_sum_of(parameters(), 2);
  if (!total.defined()) return scaled;
  const Tensor norm = sqrt(total);
  const Tensor scale = scaled.inverse_scale.defined() ? scaled.inverse_scale.to(norm.device()) : Tensor();
  result.grad_norm = scale.defined() ? norm * scale : norm;
  const Tensor factor = clamp(max_grad_norm_ / (result.grad_norm + 1e-6), 0, 1);  // NaN stays NaN
  return {.found_inf = scaled.found_inf, .inverse_scale = scale.defined() ? factor * scale : factor};
}

void Optimizer::raise_non_finite() const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Tensor gradient = slots_[i].parameter.grad();
    if (!gradient.defined()) continue;
    const Tensor found = minima::detail::zeroed({}, {.device = gradient.device()});
    detail::find_non_finite({gradient}, found);
    if (found.item<float>() == 0) continue;
    const std::string name = slots_[i].name.empty() ? "" : " (" + slots_[i].name + ")";
    throw ValueError(
        str("optimizer: the gradient of parameter ", i, name, ", ", gradient, ", has NaN or infinities; ",
            "run forward and backward under DetectAnomaly to find the operator, or lower the learning rate"));
  }
  throw ValueError("optimizer: a gradient has NaN or infinities");
}

bool Optimizer::settle(const ScaledStep& scaled) const {
  if (StepResult{scaled.found_inf}.skipped()) return false;
  if (scaled.inverse_scale.defined()) detail::scale(detail::gradients_of(parameters()), scaled.inverse_scale, {});
  return true;
}

namespace {

/// A captured change would reset the learning rate at every replay.
void refuse_change(Device device) {
  if (minima::detail::is_captured(device))
    throw CaptureError("the learning rate was changed inside a captured step; change it in CapturedStep::on_replay");
}

}  // namespace

const double* Optimizer::device_lr(std::size_t group, Device device) {
  for (DeviceLr& lr : device_lrs_)
    if (lr.group == group && lr.value.device() == device) {
      if (lr.held != this->lr(group)) {
        refuse_change(device);
        fill_(lr.value, lr.held = this->lr(group));
      }
      return lr.value.data<double>();
    }
  const double now = lr(group);
  device_lrs_.push_back({group, full({}, now, {.dtype = DType::float64, .device = device}), now});
  return device_lrs_.back().value.data<double>();
}

void Optimizer::upload_lr() {
  NoGrad guard;
  for (const DeviceLr& lr : device_lrs_) device_lr(lr.group, lr.value.device());
}

void Optimizer::add_slots(const std::vector<Tensor>& parameters) {
  if (parameters.empty()) throw ValueError("optimizer: the group has no parameters");
  std::unordered_set<const TensorImpl*> known;
  for (const Slot& slot : slots_) known.insert(slot.parameter.impl());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& parameter = parameters[i];
    if (!parameter.defined()) throw ValueError(str("optimizer: parameter ", i, " is undefined"));
    if (!is_floating(parameter.dtype()))
      throw DTypeError(str("optimizer: parameter ", i, " is ", parameter, "; only floating tensors can be optimized"));
    if (!parameter.is_leaf())
      throw ValueError(str("optimizer: parameter ", i, " (", parameter,
                           ") is the result of an operator; only leaves can ", "be optimized"));
    if (!known.insert(parameter.impl()).second)
      throw ValueError(str("optimizer: parameter ", i, " (", parameter, ") occurs twice"));
  }
  for (const Tensor& parameter : parameters) {
    Slot& slot = slots_.emplace_back();
    slot.parameter = parameter;
    slot.group = group_count_;
  }
  ++group_count_;
}

}  // namespace minima::optim
