#include <minima/nn/module/module_call.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <unordered_set>

namespace minima::nn {

void allow_unregistered(const ModuleBase& module) {
  detail::Registry::state(module).is_placed.store(true, std::memory_order_relaxed);
}

namespace detail {

constinit thread_local const Call* Call::innermost = nullptr;

void Call::expect_registered() const noexcept {
  const ModuleState* const state = Registry::identity(module_);
  if (!state || state->is_placed.load(std::memory_order_relaxed) || !is_grad_enabled()) return;
  try {
    if (is_trained() && !is_below_a_caller() && has_parameters_of_its_own()) warn();
    allow_unregistered(module_);
  } catch (const std::exception&) {
    // A registered child without a member: whoever needs the children is told so.
  }
}

bool Call::is_trained() const {
  bool found = false;
  Registry::visit(module_, [&](const ModuleBase& inner) {
    Registry::for_each_tensor(
        inner, [&](const Registration&, const Tensor& tensor) { found = found || tensor.requires_grad(); });
  });
  return found;
}

/// Marks what is below the running modules. A function that a module wraps may use whatever it likes.
bool Call::is_below_a_caller() const {
  for (const Call* call = outer_; call; call = call->outer_) {
    if (dynamic_cast<const Lambda*>(&call->module_)) return true;
    Registry::visit(call->module_, [&](const ModuleBase& inner) {
      if (&inner != &call->module_) allow_unregistered(inner);
    });
    if (Registry::state(module_).is_placed.load(std::memory_order_relaxed)) return true;
  }
  return false;
}

/// Whether it holds parameters that require grad and that no running module has: a Sequential that a forward makes of
/// its own layers does not.
bool Call::has_parameters_of_its_own() const {
  std::unordered_set<const TensorImpl*> known;
  for (const Call* call = outer_; call; call = call->outer_)
    for (const Tensor& parameter : call->module_.parameters()) known.insert(parameter.impl());
  for (const Tensor& parameter : module_.parameters())
    if (parameter.requires_grad() && !known.contains(parameter.impl())) return true;
  return false;
}

/// Once for each calling module, however many modules it has forgotten.
void Call::warn() const {
  if (Registry::state(outer_->module_).has_warned.exchange(true)) return;
  const std::string type = module_.type_name(), caller = outer_->module_.type_name();
  const NamedTensor first = module_.named_parameters().at(0);
  const std::string text =
      str("minima: warning: ", caller, " calls a ", type, " (", first.name, " ", first.tensor.shape(),
          ") that is not registered in it, so parameters(), state_dict(), to() and eval() do not reach it and no "
          "optimizer trains it. Declare it as `",
          type, " name = child(\"name\", ", type, "(…));`, and several as nn::ListOf<", type,
          "> instead of a std::vector. If it is meant to be outside, freeze it (nn::freeze) or call "
          "nn::allow_unregistered.\n");
  std::fputs(text.c_str(), stderr);
}

}  // namespace detail

}  // namespace minima::nn
