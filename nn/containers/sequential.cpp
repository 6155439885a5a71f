#include <minima/nn/containers/sequential.h>

#include <minima/nn/module/any_module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
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

Tensor Sequential::forward(const Tensor& x) {
  Tensor y = x;
  for (const AnyModule& module : *this) y = module(y);
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
