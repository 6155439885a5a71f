#include <minima/optim/slot_state.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/zero_memory.h>

#include <cstddef>
#include <vector>

namespace minima::optim::detail {

namespace {

Tensor zeros_for(const Tensor& parameter, const Shape& shape, DType dtype) {
  PurposeGuard purpose(Purpose::optimizer_state);
  const Layout layout = shape == parameter.shape() ? Layout::dense_like(parameter.layout()) : Layout::contiguous(shape);
  Tensor zeros = empty(layout, {.dtype = dtype, .device = parameter.device()});
  minima::detail::zero_memory(zeros);
  return zeros;
}

void move_to_parameter(Optimizer::Slot& slot, DType dtype) {
  const Device device = slot.parameter.device();
  PurposeGuard purpose(Purpose::optimizer_state);
  for (Tensor& state : slot.state)
    if (state.dtype() != dtype || state.device() != device) state = state.to(device, dtype);
  if (slot.step_count.device() != device) slot.step_count = slot.step_count.to(device);
  if (!is_half(slot.parameter.dtype())) slot.master = {};
  else if (slot.master.defined() && slot.master.device() != device) slot.master = slot.master.to(device);
}

void complete(Optimizer::Slot& slot, const std::vector<Shape>& shapes, DType dtype) {
  for (std::size_t s = slot.state.size(); s < shapes.size(); ++s)
    slot.state.push_back(zeros_for(slot.parameter, shapes[s], dtype));
  if (!is_half(slot.parameter.dtype()) || slot.master.defined()) return;
  const Tensor master = zeros_for(slot.parameter, slot.parameter.shape(), dtype);
  copy_(master, slot.parameter);
  slot.master = master;
}

}  // namespace

DType update_dtype(const Tensor& parameter) { return is_half(parameter.dtype()) ? DType::float32 : parameter.dtype(); }

void forget_state(Optimizer::Slot& slot) noexcept {
  slot.step_count = {};
  slot.state.clear();
  slot.master = {};
}

bool prepare_state(Optimizer::Slot& slot, const std::vector<Shape>& shapes) {
  const DType dtype = update_dtype(slot.parameter);
  if (slot.step_count.defined()) {
    move_to_parameter(slot, dtype);
    complete(slot, shapes, dtype);
    return false;
  }
  try {
    forget_state(slot);
    slot.step_count = empty({2}, {.dtype = DType::float64, .device = slot.parameter.device()});
    minima::detail::zero_memory(slot.step_count);
    fill_(slot.step_count[1], 1);
    complete(slot, shapes, dtype);
  } catch (...) {
    forget_state(slot);  // so that the next step counts as the first
    throw;
  }
  return true;
}

WholeUpdate::WholeUpdate(Optimizer::Slot& slot, const std::vector<Shape>& shapes) {
  gradient = slot.parameter.grad();
  if (!gradient.defined()) return;
  is_first = prepare_state(slot, shapes);
  parameter = slot.parameter.detach();
  if (slot.master.defined()) {
    rounded_ = parameter;
    parameter = slot.master;
  }
  gradient = gradient.detach().to(parameter.dtype());
  add_(slot.step_count[0], 1);
  steps = slot.step_count[0].item<double>();
}

void WholeUpdate::finish() const {
  if (rounded_.defined()) copy_(rounded_, parameter);
}

}  // namespace minima::optim::detail
