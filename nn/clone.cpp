#include <minima/nn/clone.h>

#include <minima/autograd/mode.h>
#include <minima/autograd/primitives.h>
#include <minima/nn/module/registry.h>

#include <unordered_map>

namespace minima::nn::detail {

/// What has been copied already, so that what was shared stays shared.
struct Registry::Copies {
  std::unordered_map<const ModuleState*, ModuleState*> states;
  std::unordered_map<const TensorImpl*, Tensor> tensors;

  Tensor of(const Tensor& tensor) {
    Tensor& copy = tensors[tensor.impl()];
    if (!copy.defined()) {
      copy = minima::detail::copy_with_layout(tensor.detach(), Layout::dense_like(tensor.layout()));
      if (tensor.requires_grad()) copy.requires_grad(true);
    }
    return copy;
  }
};

void Registry::separate(ModuleBase& copy, Copies& copies) {
  const ModuleState& original = state(copy);
  const auto [known, is_new] = copies.states.try_emplace(&original);
  if (is_new) {
    auto* fresh = new ModuleState;
    known->second = fresh;
    set_state(copy, fresh);
    fresh->is_training = original.is_training;
    fresh->type = original.type;
    fresh->slots = original.slots;
    fresh->item_names = original.item_names;
    for (const ForwardHookHandle& hook : original.hooks)
      if (const HookEntry& e = *entry(hook); !e.is_removed)
        fresh->hooks.push_back(ForwardHookHandle(new HookEntry{.before = e.before, .after = e.after}));
    for (const AnyModule& item : original.items) fresh->items.push_back(AnyModule(item.box_->copy()));
    for (const AnyModule& item : fresh->items) separate(*item, copies);
  } else {
    retain(known->second);
    set_state(copy, known->second);
  }
  for_each_member_child(copy, [&](const std::string&, ModuleBase& child) { separate(child, copies); });
  for_each_tensor(copy, [&](const Slot&, Tensor& tensor) { tensor = copies.of(tensor); });
}

void separate(ModuleBase& copy) {
  const NoGrad guard;
  Registry::Copies copies;
  Registry::separate(copy, copies);
}

}  // namespace minima::nn::detail
