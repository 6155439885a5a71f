#include <minima/nn/parametrize/parametrize.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/registry.h>
#include <minima/nn/parametrize/computed.h>
#include <minima/ops/copy/copy.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace minima::nn {

namespace detail {

namespace {

constexpr const char* group_name = "parametrizations";

/// The child `parametrizations`, which holds a ParametrizationList for each parameter.
class ParametrizationGroup : public ModuleBase {};

ParametrizationList* list_of(const ModuleBase& module, const std::string& name) {
  const ModuleBase* group = Registry::find_item(module, group_name);
  ModuleBase* list = group ? Registry::find_item(*group, name) : nullptr;
  return list ? list->as<ParametrizationList>() : nullptr;
}

void compute(ModuleBase& module, const std::string& name) {
  parameter_member("parametrize", module, name) = list_of(module, name)->forward();
}

std::vector<Parametrization*> functions_of(const ParametrizationList& list) {
  std::vector<Parametrization*> functions;
  for (const AnyModule& item : Registry::state(list).items) functions.push_back(static_cast<Parametrization*>(&*item));
  return functions;
}

}  // namespace

ParametrizationList::ParametrizationList(const Tensor& value)
    : original(parameter("original", value)),
      original0(parameter("original0", Tensor())),
      original1(parameter("original1", Tensor())),
      original2(parameter("original2", Tensor())) {}

std::vector<Tensor> ParametrizationList::originals() const {
  if (original.defined()) return {original};
  std::vector<Tensor> found;
  for (const Parameter* p : {&original0, &original1, &original2})
    if (p->defined()) found.push_back(*p);
  return found;
}

Tensor ParametrizationList::forward() {
  std::vector<Tensor> values = originals();
  for (Parametrization* function : functions_of(*this)) values = {function->forward(values)};
  return values[0];
}

void ParametrizationList::store(const std::vector<Tensor>& values) {
  if (values.size() == 1 && original.defined()) {
    if (values[0].shape() == original.shape()) {
      if (!values[0].is_same(original)) copy_(original, values[0]);
    } else {
      original = Parameter(clone(values[0]));
    }
    return;
  }
  original = Parameter();
  Parameter* const members[] = {&original0, &original1, &original2};
  for (std::size_t i = 0; i < values.size(); ++i) *members[i] = Parameter(clone(values[i]));
}

void ParametrizationList::push_back(AnyModule function, const Tensor& value) {
  constexpr const char* op = "register_parametrization";
  const NoGrad constant;
  const bool is_first = Registry::state(*this).items.empty();
  const std::vector<Tensor> values = static_cast<Parametrization&>(*function).right_inverse(value);
  if (values.empty() || values.size() > 3)
    throw ValueError(str(op, ": a parametrization has one to three originals, not ", values.size()));
  if (!is_first && values.size() != 1)
    throw ValueError(str(op, ": only the first parametrization of a parameter can have several originals"));
  const Tensor result = static_cast<Parametrization&>(*function).forward(values);
  if (result.shape() != value.shape() || result.dtype() != value.dtype())
    throw ValueError(str(op, ": the result is ", result, ", but the parameter ", value));
  Registry::add_item(*this, std::to_string(Registry::state(*this).items.size()), std::move(function));
  if (is_first) store(values);
}

void parametrize(ModuleBase& module, const std::string& name, AnyModule parametrization) {
  constexpr const char* op = "register_parametrization";
  Tensor& member = parameter_member(op, module, name);
  if (is_computed(module, name) && !list_of(module, name))
    throw ValueError(str(op, ": \"", name, "\" is pruned; parametrise first, then prune its original"));
  const Tensor value = member.detach();
  if (ParametrizationList* list = list_of(module, name)) {
    list->push_back(std::move(parametrization), clone(value));
    compute(module, name);
    return;
  }
  ParametrizationList list(member);
  list.push_back(std::move(parametrization), clone(value));
  if (!Registry::find_item(module, group_name)) Registry::add_item(module, group_name, ParametrizationGroup());
  Registry::add_item(*Registry::find_item(module, group_name), name, std::move(list));
  make_computed(module, name, compute);
}

}  // namespace detail

bool is_parametrized(const ModuleBase& module, const std::string& name) {
  if (name.empty()) return detail::Registry::find_item(module, detail::group_name) != nullptr;
  return detail::list_of(module, name) != nullptr;
}

void remove_parametrizations(ModuleBase& module, const std::string& name, bool leave_parametrized) {
  constexpr const char* op = "remove_parametrizations";
  detail::ParametrizationList* list = detail::list_of(module, name);
  if (!list) throw ValueError(str(op, ": ", module.type_name(), "'s \"", name, "\" is not parametrized"));
  if (!leave_parametrized && !list->has_one_original())
    throw ValueError(str(op, ": \"", name, "\" has several originals; only its value can be left"));
  const NoGrad constant;
  Parameter kept = list->original;
  if (leave_parametrized) {
    const Tensor value = list->forward();
    // An optimizer that knows the original goes on with it.
    if (kept.defined() && kept.shape() == value.shape()) copy_(kept, value);
    else kept = Parameter(clone(value));
  }
  detail::make_parameter(op, module, name, kept);
  ModuleBase& group = *detail::Registry::find_item(module, detail::group_name);
  detail::Registry::remove_item(group, name);
  if (detail::Registry::state(group).items.empty()) detail::Registry::remove_item(module, detail::group_name);
}

}  // namespace minima::nn
