#include <minima/optim/optimizer.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <unordered_set>

namespace minima::optim {

namespace {

std::string slot_name(std::size_t i) { return "state." + std::to_string(i); }
std::string group_name(std::size_t g) { return "param_groups." + std::to_string(g); }

/// A copy that shares nothing with the source, in the parameter's order of memory.
Tensor state_like(const Tensor& parameter, const Tensor& source, DType dtype) {
  Tensor result = empty(Layout::dense_like(parameter.layout()), {.dtype = dtype, .device = parameter.device()});
  copy_(result, source);
  return result;
}

DType state_dtype(const Tensor& parameter) { return is_half(parameter.dtype()) ? DType::float32 : parameter.dtype(); }

}  // namespace

void Optimizer::zero_grad() const {
  for (const Slot& slot : slots_) slot.parameter.zero_grad();
}

std::vector<Tensor> Optimizer::parameters() const {
  std::vector<Tensor> all;
  for (const Slot& slot : slots_) all.push_back(slot.parameter);
  return all;
}

void Optimizer::set_lr(double lr) {
  for (std::size_t g = 0; g < group_count_; ++g) set_lr(lr, g);
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
      throw ValueError(str("optimizer: parameter ", i, " (", parameter, ") was computed from others; only leaves can ",
                           "be optimized"));
    if (!known.insert(parameter.impl()).second)
      throw ValueError(str("optimizer: parameter ", i, " (", parameter, ") is there already"));
  }
  for (const Tensor& parameter : parameters) {
    Slot& slot = slots_.emplace_back();
    slot.parameter = parameter;
    slot.group = group_count_;
  }
  ++group_count_;
}

State Optimizer::state_dict() const {
  NoGrad guard;
  State result;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.steps == 0) continue;
    const auto names = state_names(slot.group);
    State part;
    part.set_integer("step", slot.steps);
    for (std::size_t s = 0; s < slot.state.size(); ++s) part.add(names[s], clone(slot.state[s]));
    if (slot.master.defined()) part.add("master", clone(slot.master));
    result.add(slot_name(i), part);
  }
  for (std::size_t g = 0; g < group_count_; ++g) {
    State options;
    save_options(g, options);
    std::int64_t count = 0;
    for (const Slot& slot : slots_) count += slot.group == g;
    options.set_integer("params", count);
    result.add(group_name(g), options);
  }
  return result;
}

void Optimizer::load_state_dict(const State& state) {
  NoGrad guard;
  std::vector<State> before(group_count_);
  for (std::size_t g = 0; g < group_count_; ++g) save_options(g, before[g]);
  try {
    for (std::size_t g = 0; g < group_count_; ++g) load_group(g, state.sub(group_name(g)));
    slots_ = load_slots(state);  // which state there is follows from the options
  } catch (...) {
    for (std::size_t g = 0; g < group_count_; ++g) load_options(g, before[g]);
    throw;
  }
}

void Optimizer::load_group(std::size_t group, const State& options) {
  if (options.empty()) throw ValueError(str("optimizer: the state has no ", group_name(group)));
  std::int64_t count = 0;
  for (const Slot& slot : slots_) count += slot.group == group;
  if (options.integer("params") != count)
    throw ValueError(str("optimizer: ", group_name(group), " of the state has ", options.integer("params"),
                         " parameters, this one ", count));
  load_options(group, options);
}

std::vector<Optimizer::Slot> Optimizer::load_slots(const State& state) const {
  std::vector<Slot> loaded = slots_;
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    Slot& slot = loaded[i];
    const State part = state.sub(slot_name(i));
    slot.state.clear();
    slot.master = {};
    slot.steps = part.empty() ? 0 : part.integer("step");
    if (slot.steps == 0) continue;
    const auto fitting = [&](const std::string& name) {
      const Tensor source = part.tensor(name);
      if (source.shape() != slot.parameter.shape())
        throw ValueError(str("optimizer: ", slot_name(i), ".", name, " is ", source, ", the parameter ", slot.parameter));
      return state_like(slot.parameter, source, state_dtype(slot.parameter));
    };
    for (const char* name : state_names(slot.group)) slot.state.push_back(fitting(name));
    if (is_half(slot.parameter.dtype())) slot.master = fitting("master");
  }
  return loaded;
}

}  // namespace minima::optim
