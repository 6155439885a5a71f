#include <minima/nn/containers/sequential.h>

#include <minima/autograd/mode.h>
#include <minima/nn/layers/activation.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/plain_call.h>
#include <minima/nn/module/registry.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/nn/norm/conv_norm.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace minima::nn {

namespace detail {

void add_item(ModuleBase& module, const std::string& name, AnyModule item) {
  Registry::add_item(module, name, std::move(item));
}

const std::vector<AnyModule>& items(const ModuleBase& module) { return Registry::state(module).items; }

const AnyModule& item(const ModuleBase& module, std::int64_t index) {
  const auto& all = items(module);
  const auto count = static_cast<std::int64_t>(all.size());
  if (index < -count || index >= count)
    throw IndexError(str(module.type_name(), ": index ", index, " is out of range for ", count, " modules"));
  return all[static_cast<std::size_t>(index < 0 ? index + count : index)];
}

}  // namespace detail

namespace {

/// Whether a call of the module would run `M::forward` and nothing else.
template <class M>
bool is_plain(const ModuleBase& module) {
  return typeid(module) == typeid(M) && is_called_plainly(module);
}

bool is_rank_of(const BatchNorm& norm, int rank) {
  if (is_plain<BatchNorm1d>(norm)) return rank == 2 || rank == 3;
  return is_plain<BatchNorm2d>(norm) ? rank == 4 : is_plain<BatchNorm3d>(norm) && rank == 5;
}

/// Calls the modules that begin at `i` and can be one operator; returns how many these are, 0 if y is left as it is.
/// Errors name the module at fault, so tensors that do not fit are left to its call.
std::size_t call_as_one(const std::vector<AnyModule>& modules, std::size_t i, Tensor& y) {
  if (i + 1 >= modules.size() || !y.defined()) return 0;
  const auto is_relu = [&](std::size_t at) { return at < modules.size() && is_plain<ReLU>(*modules[at]); };
  if (auto* norm = modules[i]->as<BatchNorm>()) {
    if (!is_relu(i + 1) || !is_rank_of(*norm, y.rank()) || y.size(1) != norm->options.features) return 0;
    y = norm->relu(y);
    return 2;
  }
  if (is_grad_enabled()) return 0;
  const auto* conv = modules[i]->as<Conv2d>();
  const auto* norm = conv ? modules[i + 1]->as<BatchNorm2d>() : nullptr;
  if (!norm || y.rank() != 4 || norm->options.features != conv->options.out) return 0;
  const bool relu = is_plain<BatchNorm2d>(*norm) && is_relu(i + 2);
  y = relu ? conv_norm_relu(*conv, *norm, y) : conv_norm(*conv, *norm, y);
  return relu ? 3 : 2;
}

}  // namespace

Tensor Sequential::forward(const Tensor& x) {
  Tensor y = x;
  const std::vector<AnyModule>& modules = detail::items(*this);
  for (std::size_t i = 0; i < modules.size();) {
    if (const std::size_t count = call_as_one(modules, i, y)) {
      i += count;
    } else {
      y = modules[i](y);
      ++i;
    }
  }
  return y;
}

std::vector<std::string> ModuleDict::names() const { return detail::Registry::state(*this).item_names; }

bool ModuleDict::contains(const std::string& name) const {
  for (const std::string& known : detail::Registry::state(*this).item_names)
    if (known == name) return true;
  return false;
}

const AnyModule& ModuleDict::operator[](const std::string& name) const {
  const detail::ModuleState& state = detail::Registry::state(*this);
  std::string names;
  for (std::size_t i = 0; i < state.items.size(); ++i) {
    if (state.item_names[i] == name) return state.items[i];
    names.append(names.empty() ? "" : ", ").append(state.item_names[i]);
  }
  throw IndexError(
      str(type_name(), ": no module named \"", name, "\"; it has ", names.empty() ? "none" : names.c_str()));
}

}  // namespace minima::nn
