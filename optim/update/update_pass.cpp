#include <minima/optim/update/update_pass.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/update/slot_state.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cstring>

namespace minima::optim::detail {

namespace {

/// The gradient in the memory order of the parameter; copied only if its strides differ.
Tensor aligned_gradient(const Tensor& parameter, const Tensor& gradient) {
  const Layout wanted = Layout::dense_like(parameter.layout());
  return gradient.strides() == wanted.strides ? gradient : copy_as(gradient, wanted);
}

bool can_share_launch(const TensorUpdate& a, const TensorUpdate& b) {
  return a.run_on_cuda == b.run_on_cuda && a.dtype == b.dtype && a.gradient_dtype == b.gradient_dtype &&
         a.device == b.device && a.lr == b.lr && std::memcmp(a.rule, b.rule, sizeof a.rule) == 0;
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

void run_updates_on_cpu(const std::vector<TensorUpdate>& updates) {
  constexpr double nanoseconds = 0.6;  // memory traffic of about 20 bytes an element
  for_elements(updates, nanoseconds, [](const TensorUpdate& update, std::int64_t first, std::int64_t last) {
    update.run_on_cpu(update, first, last);
  });
}

void run_updates_on_cuda(const std::vector<TensorUpdate>& updates, const Function<StepControl(Device)>& control_for) {
  std::vector<const TensorUpdate*> left;
  for (const TensorUpdate& update : updates) left.push_back(&update);
  while (!left.empty()) {
    const TensorUpdate& like = *left.front();
    if (!like.run_on_cuda) throw DeviceError("optimizer: its rule has no CUDA kernel; keep the parameters on the CPU");
    const auto rest = std::stable_partition(
        left.begin(), left.end(), [&](const TensorUpdate* update) { return can_share_launch(*update, like); });
    like.run_on_cuda(left.data(), static_cast<std::size_t>(rest - left.begin()), control_for(like.device));
    left.erase(left.begin(), rest);
  }
}

void fill_state(const Optimizer::Slot& slot, int i, double value) {
  fill_(slot.state[static_cast<std::size_t>(i)], value);
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
