#include <minima/nn/module/module.h>

#include <minima/nn/module/forward_wrapper.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/cpu/with_memory.h>

// Calling a module: hooks, and the path of the failing module in errors.

namespace minima::nn {

using detail::HookEntry;
using detail::Registry;

namespace {

/// The last one that was set, empty if there is none.
AroundForward around_of(const ModuleBase& module) {
  AroundForward found;
  for (const ForwardHookHandle& hook : Registry::state(module).hooks)
    if (const HookEntry& entry = *Registry::entry(hook); entry.around && !entry.is_removed) found = entry.around;
  return found;
}

}  // namespace

Tensor Module::operator()(const Tensor& x) {
  try {
    if (!x.defined()) throw ValueError(str(type_name(), ": the input is undefined"));
    if (!has_forward_hooks()) return forward(x);
    std::vector<Tensor> inputs{x};
    run_pre_hooks(inputs);
    const AroundForward around = around_of(*this);
    std::vector<Tensor> outputs{around ? around(*this, inputs.at(0)) : forward(inputs.at(0))};
    run_post_hooks(inputs, outputs);
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

ForwardHookHandle::ForwardHookHandle(const ForwardHookHandle& other) : entry_(other.entry_) {
  if (entry_) entry_->references.retain();
}

ForwardHookHandle& ForwardHookHandle::operator=(ForwardHookHandle other) noexcept {
  std::swap(entry_, other.entry_);
  return *this;
}

ForwardHookHandle::~ForwardHookHandle() {
  if (entry_ && entry_->references.release()) delete entry_;
}

void ForwardHookHandle::remove() {
  if (entry_) entry_->is_removed = true;
}

namespace {

ForwardHookHandle add_hook(const ModuleBase& module, HookEntry* entry) {
  ForwardHookHandle handle(entry);
  auto& hooks = Registry::state(module).hooks;
  std::erase_if(hooks, [](const ForwardHookHandle& hook) { return Registry::entry(hook)->is_removed.load(); });
  hooks.push_back(handle);
  return handle;
}

}  // namespace

ForwardHookHandle ModuleBase::add_forward_pre_hook(ForwardPreHook hook) {
  return add_hook(*this, new HookEntry{.before = std::move(hook)});
}

ForwardHookHandle ModuleBase::add_forward_hook(ForwardPostHook hook) {
  return add_hook(*this, new HookEntry{.after = std::move(hook)});
}

ForwardHookHandle set_forward_around(ModuleBase& module, AroundForward around) {
  if (!module.as<Module>())
    throw ValueError(str(module.type_name(), ": cannot be wrapped: only modules from one tensor to one tensor can be"));
  return add_hook(module, new HookEntry{.around = std::move(around)});
}

bool ModuleBase::has_forward_hooks() const {
  for (const ForwardHookHandle& hook : Registry::state(*this).hooks)
    if (!Registry::entry(hook)->is_removed) return true;
  return false;
}

static void check_count(const char* hook, const char* what, std::size_t before, std::size_t after) {
  if (before != after)
    throw ValueError(str("a forward ", hook, " left ", after, " ", what, " of ", before,
                         "; it may replace them, but not change ", "their number"));
}

void ModuleBase::run_pre_hooks(std::vector<Tensor>& inputs) {
  const auto hooks = Registry::state(*this).hooks;  // a hook may add or remove one
  for (const ForwardHookHandle& hook : hooks)
    if (const HookEntry& entry = *Registry::entry(hook); entry.before && !entry.is_removed) {
      const std::size_t count = inputs.size();
      entry.before(*this, inputs);
      check_count("pre-hook", "inputs", count, inputs.size());
    }
}

void ModuleBase::run_post_hooks(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
  const auto hooks = Registry::state(*this).hooks;
  for (const ForwardHookHandle& hook : hooks)
    if (const HookEntry& entry = *Registry::entry(hook); entry.after && !entry.is_removed) {
      const std::size_t count = outputs.size();
      entry.after(*this, inputs, outputs);
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
