#include <minima/optim/update_pass.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/slot_state.h>
#include <minima/optim/update/run_updates.h>
#include <minima/optim/update/tensor_update.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <vector>

namespace minima::optim::detail {

namespace {

/// The gradient in the memory order of the parameter; copied only if its strides differ.
Tensor aligned_gradient(const Tensor& parameter, const Tensor& gradient) {
  const Layout wanted = Layout::dense_like(parameter.layout());
  return gradient.strides() == wanted.strides ? gradient : copy_as(gradient, wanted);
}

}  // namespace

UpdatePass::~UpdatePass() {
  if (is_done_) return;
  for (std::size_t i = 0; i < before_.size(); ++i) *cpu_[i].step_count = before_[i];
  for (Optimizer::Slot* slot : fresh_) forget_state(*slot);
}

TensorUpdate* UpdatePass::prepare(Optimizer::Slot& slot, int states) {
  const Tensor gradient = slot.parameter.grad();
  if (!gradient.defined()) return nullptr;
  if (!slot.step_count.defined()) fresh_.push_back(&slot);
  const bool half = is_half(slot.parameter.dtype());
  prepare_state(slot, std::vector<Shape>(static_cast<std::size_t>(states), slot.parameter.shape()));

  Tensor target = slot.parameter;
  if (!target.layout().is_dense()) {
    target = clone(target);
    write_backs_.push_back({slot.parameter, target});
  }
  kept_.push_back(aligned_gradient(slot.parameter, gradient));
  changed_.push_back(target);

  const bool on_cuda = minima::detail::on_cuda(target);
  TensorUpdate& update = (on_cuda ? cuda_ : cpu_).emplace_back();
  update.parameter = half ? slot.master.raw_data() : target.raw_data();
  update.gradient = kept_.back().raw_data();
  for (int s = 0; s < states; ++s) update.state[s] = slot.state[static_cast<std::size_t>(s)].raw_data();
  update.count = target.numel();
  update.dtype = update_dtype(target);
  update.gradient_dtype = gradient.dtype();
  update.device = target.device();
  update.step_count = reinterpret_cast<StepCount*>(slot.step_count.data<double>());
  if (!on_cuda) before_.push_back(*update.step_count);
  if (on_cuda) {
    update.lr = optimizer_.device_lr(slot.group, update.device);
  } else if (scaled_.inverse_scale.defined()) {
    if (cpu_factor_ == 0) cpu_factor_ = scaled_.inverse_scale.item<double>();
    update.gradient_factor = cpu_factor_;
  }
  if (half) {
    update.rounded = target.raw_data();
    update.rounded_dtype = target.dtype();
  }
  return &update;
}

StepControl UpdatePass::control_for(Device device) {
  const auto on_device = [&](const Tensor& x) {
    kept_.push_back(x.device() == device ? x : x.to(device));
    return kept_.back();
  };
  StepControl control;
  if (scaled_.found_inf.defined()) control.found_inf = on_device(scaled_.found_inf).data<float>();
  if (scaled_.inverse_scale.defined()) control.inverse_scale = on_device(scaled_.inverse_scale).data<double>();
  return control;
}

void UpdatePass::run() {
  run_updates_on_cuda(cuda_, [this](Device device) { return control_for(device); });
  run_updates_on_cpu(cpu_);
  is_done_ = true;
  for (const Tensor& tensor : changed_) tensor.impl()->storage->bump_version();
  for (const WriteBack& pair : write_backs_) copy_(pair.parameter, pair.dense);
}

void fill_state(const Optimizer::Slot& slot, int i, double value) {
  fill_(slot.state[static_cast<std::size_t>(i)], value);
}

}  // namespace minima::optim::detail
