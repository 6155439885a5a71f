#include <minima/nn/clone.h>

#include <minima/autograd/mode.h>
#include <minima/autograd/primitives.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/deferred.h>
#include <minima/nn/module/forward_hook.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::nn::detail {

/// Maps each original to its copy, so what was shared stays shared.
struct Registry::Copies {
  std::unordered_map<const ModuleState*, ModuleState*> states;
  std::unordered_map<const TensorImpl*, Tensor> tensors;

  Tensor of(const Tensor& tensor) {
    Tensor& copy = tensors[tensor.impl()];
    if (!copy.defined()) {
      copy = find_deferred(tensor)
                 ? converted(tensor, tensor.device(), tensor.dtype())
                 : minima::detail::copy_with_layout(tensor.detach(), Layout::dense_like(tensor.layout()));
      if (tensor.requires_grad()) copy.requires_grad(true);
    }
    return copy;
  }
};

void Registry::make_deep(ModuleBase& copy, Copies& copies) {
  const ModuleState& original = state(copy);
  for (const Registration& registration : original.registrations)
    if (registration.stand_in.defined())
      throw ValueError(str("clone: ", registration.name, " of a ", copy.type_name(),
                           " is sharded over ranks; clone the module before distributed::shard"));
  const auto [known, is_new] = copies.states.try_emplace(&original);
  if (is_new) {
    auto* fresh = new ModuleState;
    known->second = fresh;
    set_state(copy, fresh);
    fresh->is_training = original.is_training;
    fresh->type = original.type;
    fresh->registrations = original.registrations;
    fresh->item_names = original.item_names;
    if (original.hooks) {
      std::vector<ForwardHookHandle> hooks;
      for (const ForwardHookHandle& handle : *original.hooks)
        if (const ForwardHook& hook = *hook_of(handle); !hook.is_removed && !hook.is_watcher && !hook.wrapper)
          hooks.push_back(ForwardHookHandle(new ForwardHook{.before = hook.before, .after = hook.after}));
      fresh->hooks = std::make_shared<const std::vector<ForwardHookHandle>>(std::move(hooks));
    }
    for (const AnyModule& item : original.items) fresh->items.push_back(AnyModule(item.box_->copy()));
    for (const AnyModule& item : fresh->items) make_deep(*item, copies);
  } else {
    retain(known->second);
    set_state(copy, known->second);
  }
  for_each_member_child(copy, [&](const std::string&, ModuleBase& child) { make_deep(child, copies); });
  for_each_tensor(copy, [&](const Registration&, Tensor& tensor) { tensor = copies.of(tensor); });
}

void make_deep(ModuleBase& copy) {
  const NoGrad guard;
  Registry::Copies copies;
  Registry::make_deep(copy, copies);
}

}  // namespace minima::nn::detail
