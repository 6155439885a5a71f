#include <minima/autograd/mode.h>
#include <minima/io/counter.h>
#include <minima/io/files/format_error.h>
#include <minima/ops/copy/copy.h>
#include <minima/optim/borrow_state.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/base/type_name.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

// Saving and loading an optimizer's state.

namespace minima::optim {

namespace {

std::string slot_name(std::size_t i) { return "state." + std::to_string(i); }
std::string group_name(std::size_t g) { return "param_groups." + std::to_string(g); }

/// Copies of loaded tensors, made when all of them have been found to fit.
class Copies {
 public:
  /// Returns the tensor that will hold a copy of the source, in the parameter's memory order if the shapes match. It is
  /// `before` where that fits and the source is on another device, so that a GPU needs no second state.
  Tensor of(const Tensor& source, const Tensor& before, const Tensor& parameter, DType dtype) {
    const Device device = parameter.device();
    const Layout layout = source.shape() == parameter.shape() ? Layout::dense_like(parameter.layout())
                                                              : Layout::contiguous(source.shape());
    const bool fits = before.defined() && before.device() == device && source.device() != device &&
                      before.dtype() == dtype && before.layout() == layout;
    Tensor target = fits ? before : empty(layout, {.dtype = dtype, .device = device});
    pairs_.emplace_back(target, source);
    return target;
  }
  void make() const {
    for (const auto& [target, source] : pairs_) copy_(target, source);
  }

 private:
  std::vector<std::pair<Tensor, Tensor>> pairs_;
};

DType state_dtype(const Tensor& parameter) { return is_half(parameter.dtype()) ? DType::float32 : parameter.dtype(); }

}  // namespace

std::string Optimizer::type_name() const { return minima::detail::short_type_name(typeid(*this).name()); }

std::string Optimizer::origin_of(const State& state) const {
  const std::string* const origin = state.find_text("class");
  if (!origin) return "; was it saved by another optimizer?";
  return *origin == type_name() ? "" : "; it was saved by another optimizer, " + minima::detail::printable(*origin);
}

std::vector<std::string> Optimizer::reduced_states(const Slot& slot) const {
  std::vector<std::string> names;
  for (const char* const name : state_names(slot))
    if (state_shape(slot, name) != slot.parameter.shape()) names.emplace_back(name);
  return names;
}

State Optimizer::state_dict() const {
  NoGrad guard;
  State result;
  result.set_text("class", type_name());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.step_count.defined()) continue;
    const std::vector<double> count = slot.step_count.to_vector<double>();
    if (count[0] == 0) continue;
    const auto names = state_names(slot);
    State part;
    part.set_integer("step", static_cast<std::int64_t>(count[0]));
    if (product_name()) part.set_number(product_name(), count[1]);
    for (std::size_t s = 0; s < slot.state.size() && s < names.size(); ++s)
      part.add(names[s], detail::for_state(slot.state[s]));
    if (slot.master.defined()) part.add("master", detail::for_state(slot.master));
    result.add(slot_name(i), part);
  }
  for (std::size_t g = 0; g < group_count_; ++g) {
    State options;
    save_options(g, options);
    options.set_integer("params", static_cast<std::int64_t>(parameters(g).size()));
    result.add(group_name(g), options);
  }
  return result;
}

void Optimizer::load_state_dict(const State& state) {
  NoGrad guard;
  std::vector<State> before(group_count_);
  for (std::size_t g = 0; g < group_count_; ++g) save_options(g, before[g]);
  try {
    for (std::size_t g = 0; g < group_count_; ++g) load_group(g, state);
    if (!state.sub(group_name(group_count_)).empty())
      throw ValueError(
          str(type_name(), ": the state has more parameter groups than the optimizer, which has ", group_count_));
    slots_ = load_slots(state);  // the options decide which state tensors there are
  } catch (...) {
    for (std::size_t g = 0; g < group_count_; ++g) load_options(g, before[g]);
    throw;
  }
}

void Optimizer::load_group(std::size_t group, const State& state) {
  const State options = state.sub(group_name(group));
  if (options.empty()) throw ValueError(str(type_name(), ": the state has no ", group_name(group), origin_of(state)));
  State own;
  save_options(group, own);
  for (const State::NamedText& wanted : own.texts()) {
    if (options.find_text(wanted.name)) continue;
    std::string names;
    for (const State::NamedText& there : options.texts())
      names += (names.empty() ? "" : ", ") + minima::detail::printable(there.name);
    throw ValueError(str(type_name(), ": ", group_name(group), " of the state has no ", wanted.name, ", only ", names,
                         origin_of(state)));
  }
  const auto count = static_cast<std::int64_t>(parameters(group).size());
  if (options.integer("params") != count)
    throw ValueError(str(type_name(), ": ", group_name(group), " of the state has ", options.integer("params"),
                         " parameters, the optimizer's has ", count));
  load_options(group, options);
}

std::vector<Optimizer::Slot> Optimizer::load_slots(const State& state) const {
  std::vector<Slot> loaded = slots_;
  Copies copies;
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    Slot& slot = loaded[i];
    const Slot& before = slots_[i];
    const State part = state.sub(slot_name(i));
    slot.state.clear();
    slot.master = {};
    slot.step_count = {};
    if (part.empty()) continue;
    const std::int64_t steps = minima::detail::counter(part, "step");
    if (steps == 0) continue;
    const std::vector<double> count{static_cast<double>(steps), product_name() ? part.number(product_name()) : 1};
    slot.step_count = copies.of(from_vector(count, {2}), before.step_count, slot.parameter, DType::float64);
    const auto fitting = [&](const char* name, const Shape& shape, const Tensor& old) {
      const Tensor* const found = part.find(name);
      if (!found) throw ValueError(str(type_name(), ": the state has no ", slot_name(i), ".", name, origin_of(state)));
      const Tensor& source = *found;
      if (source.shape() != shape)
        throw ValueError(
            str(type_name(), ": ", slot_name(i), ".", name, " is ", source, ", but the parameter is ", slot.parameter));
      return copies.of(source, old, slot.parameter, state_dtype(slot.parameter));
    };
    for (const char* name : state_names(slot)) {
      const std::size_t k = slot.state.size();
      slot.state.push_back(
          fitting(name, state_shape(slot, name), k < before.state.size() ? before.state[k] : Tensor()));
    }
    // If the state has no master (PyTorch saves none), the next step copies the parameter.
    if (is_half(slot.parameter.dtype()) && part.find("master"))
      slot.master = fitting("master", slot.parameter.shape(), before.master);
  }
  copies.make();
  return loaded;
}

}  // namespace minima::optim
