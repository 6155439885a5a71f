#include "optim/engine.h"

#include <minima/minima.h>
#include <torch/optim.h>

#include <unordered_set>

namespace torch::optim::detail {

namespace {

minima::Tensor count_of(int64_t steps, minima::Device device) {
  return minima::tensor({static_cast<double>(steps), 1.0}, {.dtype = minima::float64, .device = device});
}

minima::Tensor in_order_of(const minima::Tensor& parameter, const minima::Tensor& state) {
  TORCH_CHECK(state.shape() == parameter.shape(), "The optimizer's state has shape ", Tensor(state).sizes(),
              ", its parameter ", Tensor(parameter).sizes());
  const minima::Layout wanted = minima::Layout::dense_like(parameter.layout());
  return state.strides() == wanted.strides ? state : minima::copy_as(state, wanted);
}

}  // namespace

void Entries::follow(const std::vector<OptimizerParamGroup>& groups) {
  size_t count = 0;
  bool same = true;
  for (const OptimizerParamGroup& group : groups) {
    for (const Tensor& parameter : group.params()) {
      same = same && count < all_.size() && all_[count].slot.parameter.is_same(parameter.native());
      ++count;
    }
  }
  if (!same || count != all_.size()) {
    all_.clear();
    std::unordered_set<const void*> seen;
    has_repetitions_ = false;
    for (const OptimizerParamGroup& group : groups) {
      for (const Tensor& parameter : group.params()) {
        TORCH_CHECK(!parameter.is_complex(), "Optimizers do not take complex parameters; pass torch::view_as_real(p)");
        Entry& entry = all_.emplace_back();
        entry.slot.parameter = parameter.native();
        entry.key = parameter.unsafeGetTensorImpl();
        has_repetitions_ = has_repetitions_ || !seen.insert(entry.key).second;
      }
    }
  }
  auto entry = all_.begin();
  for (size_t g = 0; g < groups.size(); ++g)
    for (size_t i = 0; i < groups[g].params().size(); ++i) (entry++)->slot.group = g;
}

void load_slot(Entry& entry, const StateTensors& tensors, int64_t steps) {
  minima::optim::Optimizer::Slot& slot = entry.slot;
  bool is_fresh = steps == 0;
  for (const Tensor* tensor : tensors) is_fresh = is_fresh && !tensor->defined();
  slot.master = {};  // recomputed from the parameter, which the program may have changed
  slot.state.clear();
  if (is_fresh) {
    slot.step_count = {};
    entry.counted = 0;
    return;
  }
  if (!slot.step_count.defined() || entry.counted != steps) slot.step_count = count_of(steps, slot.parameter.device());
  entry.counted = steps;
  for (const Tensor* tensor : tensors)
    slot.state.push_back(tensor->defined() ? in_order_of(slot.parameter, tensor->native())
                                           : minima::zeros_like(slot.parameter.detach()));
}

void store_slot(Entry& entry, const StateTensors& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i]->defined() || !tensors[i]->native().is_same(entry.slot.state[i])) *tensors[i] = entry.slot.state[i];
  entry.slot.state.clear();
}

Tensor evaluate(const Optimizer::LossClosure& closure) {
  if (!closure) return {};
  minima::EnableGrad guard;
  return closure();
}

}  // namespace torch::optim::detail
