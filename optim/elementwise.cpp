#include <minima/optim/elementwise.h>

#include <minima/ops/copy/copy.h>
#include <minima/optim/slot_state.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cstring>

namespace minima::optim::detail {

namespace {

/// The gradient in the parameter's own order of memory; a copy only where it lies differently.
Tensor aligned_gradient(const Tensor& parameter, const Tensor& gradient) {
  const Layout wanted = Layout::dense_like(parameter.layout());
  return gradient.strides() == wanted.strides ? gradient : copy_as(gradient, wanted);
}

}  // namespace

Step::~Step() {
  if (is_done_) return;
  for (std::size_t i = 0; i < before_.size(); ++i) *runs_[i].progress = before_[i];
  for (Optimizer::Slot* slot : fresh_) forget_state(*slot);
}

bool Step::add(Optimizer::Slot& slot, int states) {
  const Tensor gradient = slot.parameter.grad();
  if (!gradient.defined()) return false;
  if (!slot.progress.defined()) fresh_.push_back(&slot);
  const bool half = is_half(slot.parameter.dtype());
  is_first_ = prepare_state(slot, std::vector<Shape>(static_cast<std::size_t>(states), slot.parameter.shape()));

  Tensor target = slot.parameter;
  if (!target.layout().is_dense()) {
    target = clone(target);
    write_backs_.push_back({slot.parameter, target});
  }
  kept_.push_back(aligned_gradient(slot.parameter, gradient));
  changed_.push_back(target);

  last_on_cuda_ = minima::detail::on_cuda(target);
  Run& run = (last_on_cuda_ ? cuda_runs_ : runs_).emplace_back();
  last_ = &run;
  run.parameter = half ? slot.master.raw_data() : target.raw_data();
  run.gradient = kept_.back().raw_data();
  for (int s = 0; s < states; ++s) run.state[s] = slot.state[static_cast<std::size_t>(s)].raw_data();
  run.count = target.numel();
  run.dtype = update_dtype(target);
  run.gradient_dtype = gradient.dtype();
  run.device = target.device();
  run.progress = reinterpret_cast<Progress*>(slot.progress.data<double>());
  if (!last_on_cuda_) before_.push_back(*run.progress);
  if (last_on_cuda_) {
    run.lr = optimizer_.device_lr(slot.group, run.device);
  } else if (scaled_.inverse_scale.defined()) {
    if (cpu_factor_ == 0) cpu_factor_ = scaled_.inverse_scale.item<double>();
    run.gradient_factor = cpu_factor_;
  }
  if (half) {
    run.rounded = target.raw_data();
    run.rounded_dtype = target.dtype();
  }
  return true;
}

Control Step::control_for(Device device) {
  const auto there = [&](const Tensor& x) {
    kept_.push_back(x.device() == device ? x : x.to(device));
    return kept_.back();
  };
  Control control;
  if (scaled_.found_inf.defined()) control.found_inf = there(scaled_.found_inf).data<float>();
  if (scaled_.inverse_scale.defined()) control.inverse_scale = there(scaled_.inverse_scale).data<double>();
  return control;
}

/// Those with the same rule, numbers and dtypes go together.
void Step::run_on_cuda() {
  const auto alike = [](const Run& a, const Run& b) {
    return a.update_all_cuda == b.update_all_cuda && a.dtype == b.dtype && a.gradient_dtype == b.gradient_dtype &&
           a.device == b.device && a.lr == b.lr && std::memcmp(a.rule, b.rule, sizeof a.rule) == 0;
  };
  std::vector<const Run*> left;
  for (const Run& run : cuda_runs_) left.push_back(&run);
  while (!left.empty()) {
    const Run& like = *left.front();
    if (!like.update_all_cuda) throw DeviceError("optimizer: this one has no CUDA kernel for its update");
    const auto rest =
        std::stable_partition(left.begin(), left.end(), [&](const Run* run) { return alike(*run, like); });
    like.update_all_cuda(left.data(), static_cast<std::size_t>(rest - left.begin()), control_for(like.device));
    left.erase(left.begin(), rest);
  }
}

void Step::run() {
  run_on_cuda();
  constexpr double nanoseconds = 0.6;  // memory traffic of about 20 bytes an element
  for_elements(runs_, nanoseconds,
               [](const Run& run, std::int64_t first, std::int64_t last) { run.update(run, first, last); });
  is_done_ = true;
  for (const Tensor& tensor : changed_) tensor.impl()->storage->bump_version();
  for (const WriteBack& pair : write_backs_) copy_(pair.parameter, pair.dense);
}

void widen(const void* from, DType dtype, float* to, std::int64_t count) {
  if (dtype == DType::float16)
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<const Float16*>(from)[i];
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<const BFloat16*>(from)[i];
}

void narrow(const float* from, void* to, DType dtype, std::int64_t count) {
  if (dtype == DType::float16)
    for (std::int64_t i = 0; i < count; ++i) static_cast<Float16*>(to)[i] = Float16(from[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) static_cast<BFloat16*>(to)[i] = BFloat16(from[i]);
}

}  // namespace minima::optim::detail
