#include <minima/nn/module/module.h>

#include <minima/nn/module/forward_wrapper.h>
#include <minima/nn/module/module_call.h>
#include <minima/nn/module/plain_call.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/memory/cpu/with_memory.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

// Calls of a module: forward hooks, and the failing module's path in errors.

namespace minima::nn {

using detail::ForwardHook;
using detail::Registry;

namespace {

using Hooks = std::vector<ForwardHookHandle>;

/// The latest one not removed; empty if there is none.
ForwardWrapper wrapper_of(const std::shared_ptr<const Hooks>& hooks) {
  ForwardWrapper latest;
  if (!hooks) return latest;
  for (const ForwardHookHandle& handle : *hooks)
    if (const ForwardHook& hook = *Registry::hook_of(handle); hook.wrapper && !hook.is_removed) latest = hook.wrapper;
  return latest;
}

}  // namespace

Tensor Module::operator()(const Tensor& x) const {
  Module& self = const_cast<Module&>(*this);  // a handle
  try {
    const detail::Call running(*this);
    if (!x.defined()) throw ValueError(str(type_name(), ": the input is undefined"));
    if (!has_forward_hooks()) return self.forward(x);
    std::vector<Tensor> inputs{x};
    self.run_pre_hooks(inputs);
    const ForwardWrapper wrapper = wrapper_of(Registry::state(*this).hooks);
    std::vector<Tensor> outputs{wrapper ? wrapper(self, inputs.at(0), {}) : self.forward(inputs.at(0))};
    self.run_post_hooks(inputs, outputs);
    return outputs.at(0);
  } catch (const std::bad_alloc&) {
    try {
      minima::detail::throw_out_of_memory(type_name().c_str());
    } catch (Error& error) {
      note_module(error);
      throw;
    }
  } catch (Error& error) {
    note_module(error);
    throw;
  }
}

ForwardHookHandle::ForwardHookHandle(const ForwardHookHandle& other) : hook_(other.hook_) {
  if (hook_) hook_->references.retain();
}

ForwardHookHandle& ForwardHookHandle::operator=(ForwardHookHandle other) noexcept {
  std::swap(hook_, other.hook_);
  return *this;
}

ForwardHookHandle::~ForwardHookHandle() {
  if (hook_ && hook_->references.release()) delete hook_;
}

void ForwardHookHandle::remove() {
  if (hook_) hook_->is_removed = true;
}

namespace {

ForwardHookHandle add_hook(const ModuleBase& module, ForwardHook* hook, bool is_first = false) {
  ForwardHookHandle handle(hook);
  std::shared_ptr<const Hooks>& known = Registry::state(module).hooks;
  Hooks hooks;
  if (known)
    std::copy_if(known->begin(), known->end(), std::back_inserter(hooks),
                 [](const ForwardHookHandle& other) { return !Registry::hook_of(other)->is_removed.load(); });
  hooks.insert(is_first ? hooks.begin() : hooks.end(), handle);
  known = std::make_shared<const Hooks>(std::move(hooks));
  return handle;
}

}  // namespace

ForwardHookHandle ModuleBase::add_forward_pre_hook(ForwardPreHook hook) {
  return add_hook(*this, new ForwardHook{.before = std::move(hook)});
}

ForwardHookHandle detail::add_first_pre_hook(ModuleBase& module, ForwardPreHook hook) {
  return add_hook(module, new ForwardHook{.before = std::move(hook)}, true);
}

ForwardHookHandle ModuleBase::add_forward_hook(ForwardPostHook hook) {
  return add_hook(*this, new ForwardHook{.after = std::move(hook)});
}

ForwardHookHandle ModuleBase::add_forward_watcher(Function<void()> before, Function<void()> after) {
  return add_hook(
      *this, new ForwardHook{.before = [before = std::move(before)](ModuleBase&, std::vector<Tensor>&) { before(); },
                             .after = [after = std::move(after)](ModuleBase&, const std::vector<Tensor>&,
                                                                 std::vector<Tensor>&) { after(); },
                             .is_watcher = true});
}

ForwardHookHandle wrap_forward(ModuleBase& module, ForwardWrapper wrapper) {
  if (!module.as<Module>())
    throw ValueError(str(module.type_name(), ": only modules from one tensor to one tensor can be wrapped"));
  return add_hook(module, new ForwardHook{.wrapper = std::move(wrapper)});
}

Tensor run_wrapped(Module& module, const Tensor& x, const ModuleForward& forward) {
  const ForwardWrapper wrapper = wrapper_of(Registry::state(module).hooks);
  return wrapper ? wrapper(module, x, forward) : forward(x);
}

bool is_called_plainly(const ModuleBase& module) {
  const std::shared_ptr<const Hooks>& hooks = Registry::state(module).hooks;
  return !hooks || std::all_of(hooks->begin(), hooks->end(), [](const ForwardHookHandle& handle) {
    const ForwardHook& hook = *Registry::hook_of(handle);
    return hook.is_watcher || hook.is_removed.load();
  });
}

namespace {

/// Calls f(hook) for each watcher of the module, in place of which fused code runs.
template <class F>
void for_each_watcher(const ModuleBase& module, F&& f) {
  const std::shared_ptr<const Hooks> hooks = Registry::state(module).hooks;
  if (!hooks) return;
  for (const ForwardHookHandle& handle : *hooks)
    if (const ForwardHook& hook = *Registry::hook_of(handle); hook.is_watcher && !hook.is_removed) f(hook);
}

}  // namespace

void begin_in_place_of(const ModuleBase& module) {
  std::vector<Tensor> none;
  for_each_watcher(module, [&](const ForwardHook& hook) { hook.before(const_cast<ModuleBase&>(module), none); });
}

void end_in_place_of(const ModuleBase& module) {
  std::vector<Tensor> none;
  for_each_watcher(module, [&](const ForwardHook& hook) { hook.after(const_cast<ModuleBase&>(module), none, none); });
}

bool ModuleBase::has_forward_hooks() const {
  const std::shared_ptr<const Hooks>& hooks = Registry::state(*this).hooks;
  return hooks && std::any_of(hooks->begin(), hooks->end(), [](const ForwardHookHandle& handle) {
           return !Registry::hook_of(handle)->is_removed.load();
         });
}

static void check_count(const char* hook, const char* what, std::size_t before, std::size_t after) {
  if (before != after)
    throw ValueError(str("a forward ", hook, " changed the number of ", what, " from ", before, " to ", after,
                         "; it may only replace them"));
}

void ModuleBase::run_pre_hooks(std::vector<Tensor>& inputs) {
  const std::shared_ptr<const Hooks> hooks = Registry::state(*this).hooks;
  if (!hooks) return;
  for (const ForwardHookHandle& handle : *hooks)
    if (const ForwardHook& hook = *Registry::hook_of(handle); hook.before && !hook.is_removed) {
      const std::size_t count = inputs.size();
      hook.before(*this, inputs);
      check_count("pre-hook", "inputs", count, inputs.size());
    }
}

void ModuleBase::run_post_hooks(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
  const std::shared_ptr<const Hooks> hooks = Registry::state(*this).hooks;
  if (!hooks) return;
  for (const ForwardHookHandle& handle : *hooks)
    if (const ForwardHook& hook = *Registry::hook_of(handle); hook.after && !hook.is_removed) {
      const std::size_t count = outputs.size();
      hook.after(*this, inputs, outputs);
      check_count("hook", "outputs", count, outputs.size());
    }
}

void ModuleBase::note_module(Error& error) const {
  if (!state_) return;
  if (const void* inner = error.module(); inner && inner != state_) {
    std::string name;
    Registry::walk(*this, [&](const std::string& path, const ModuleBase& module) {
      if (name.empty() && Registry::identity(module) == inner) name = path;
    });
    if (!name.empty()) error.add_module(name);
  }
  error.set_module(state_);
}

}  // namespace minima::nn
