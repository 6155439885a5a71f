#include <minima/nn/module/module_call.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/deferred.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/base/error.h>
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
namespace {

void expect_drawn(const ModuleBase& module) {
  for (const NamedTensor& parameter : module.named_parameters())
    if (const Initialiser* const found = find_deferred(parameter.tensor))
      throw ValueError(
          str("the parameter ", parameter.name, ' ', parameter.tensor.shape(),
              " has no values yet: init::Defer has put off its initialisation (", found->text,
              "); pass the whole model to distributed::shard() or nn::init::materialise() before it is called"));
}

}  // namespace

Call::Call(const ModuleBase& called) : module(called), outer(innermost) {
  if (!outer && __atomic_load_n(&deferred_tensors, __ATOMIC_RELAXED) > 0) [[unlikely]]
    expect_drawn(called);
  innermost = this;
}

namespace {

bool is_placed(const ModuleState& state) { return state.is_placed.load(std::memory_order_relaxed); }

/// Whether backward reaches a parameter of it.
bool is_trained(const ModuleBase& module) {
  bool found = false;
  Registry::visit(module, [&](const ModuleBase& inner) {
    Registry::for_each_tensor(
        inner, [&](const Registration&, const Tensor& tensor) { found = found || tensor.requires_grad(); });
  });
  return found;
}

/// Marks what is below the running modules. A function that a module wraps may use whatever it likes.
bool is_below_a_caller(const Call& called) {
  for (const Call* call = called.outer; call; call = call->outer) {
    if (dynamic_cast<const Lambda*>(&call->module)) return true;
    Registry::visit(call->module, [&](const ModuleBase& inner) {
      if (&inner != &call->module) allow_unregistered(inner);
    });
    if (is_placed(Registry::state(called.module))) return true;
  }
  return false;
}

/// Whether it holds parameters that require grad and that no running module has: a Sequential that a forward makes of
/// its own layers does not.
bool has_parameters_of_its_own(const Call& called) {
  std::unordered_set<const TensorImpl*> known;
  for (const Call* call = called.outer; call; call = call->outer)
    for (const Tensor& parameter : call->module.parameters()) known.insert(parameter.impl());
  for (const Tensor& parameter : called.module.parameters())
    if (parameter.requires_grad() && !known.contains(parameter.impl())) return true;
  return false;
}

/// Once for each calling module, however many modules it has forgotten.
void warn(const ModuleBase& module, const ModuleBase& caller) {
  if (Registry::state(caller).has_warned.exchange(true)) return;
  const std::string type = module.type_name();
  const NamedTensor first = module.named_parameters().at(0);
  const std::string text =
      str("minima: warning: ", caller.type_name(), " calls a ", type, " (", first.name, " ", first.tensor.shape(),
          ") that is not registered in it, so parameters(), state_dict(), to() and eval() do not reach it and no "
          "optimizer trains it. Declare it as `",
          type, " name = child(\"name\", ", type, "(…));`, and several as nn::ListOf<", type,
          "> instead of a std::vector. If it is meant to be outside, freeze it (nn::freeze) or call "
          "nn::allow_unregistered.\n");
  std::fputs(text.c_str(), stderr);
}

}  // namespace

// A module with parameters that require grad, called in another's forward without being registered below it, would
// train nothing. The end of its first call writes a warning; afterwards a call costs a flag.
void Call::expect_registered() const noexcept {
  const ModuleState* const state = Registry::identity(module);
  if (!state || is_placed(*state) || !is_grad_enabled()) return;
  try {
    if (is_trained(module) && !is_below_a_caller(*this) && has_parameters_of_its_own(*this))
      warn(module, outer->module);
    allow_unregistered(module);
  } catch (const std::exception&) {
    // A registered child without a member: whoever needs the children is told so.
  }
}

}  // namespace detail

}  // namespace minima::nn
