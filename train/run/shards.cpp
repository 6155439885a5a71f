#include <minima/train/run/shards.h>

#include <minima/io/state.h>
#include <minima/io/states/saved_state.h>
#include <minima/io/states/state_parts.h>
#include <minima/nn/module/module_base.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace minima::train::detail {

using optim::detail::part_of, optim::detail::PartOfTensor;

const PartOfTensor* Shards::find(const std::string& entry) const {
  auto found = parts_.find(entry);
  if (found == parts_.end() && !parts_.empty()) found = parts_.find(entry.substr(0, entry.rfind('.')));
  return found == parts_.end() || !found->second ? nullptr : &*found->second;
}

Shards shards_of(const nn::ModuleBase& module) {
  // A parameter that several modules have is listed once, but saved under each name, so that memory tells which it is.
  std::map<const void*, PartOfTensor> by_memory;
  for (const auto& [name, tensor] : module.named_parameters())
    if (const std::optional<PartOfTensor> part = part_of(tensor))
      by_memory.emplace(tensor.impl()->storage.get(), *part);
  Shards shards;
  if (by_memory.empty()) return shards;
  for (const auto& [name, tensor] : module.state_dict().tensors())
    if (const auto found = by_memory.find(tensor.impl()->storage.get()); found != by_memory.end())
      shards.add(name, found->second);
  return shards;
}

Shards shards_of(const optim::Optimizer& optimizer) {
  Shards shards;
  const auto& slots = optimizer.slots();
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (const std::optional<PartOfTensor> part = part_of(slots[i].parameter)) {
      for (const std::string& key : {str(i), slots[i].name}) {
        if (key.empty()) continue;
        shards.add("state." + key, *part);
        for (const std::string& name : optimizer.reduced_states(slots[i]))
          shards.add_whole(str("state.", key, ".", name));
      }
    }
  return shards;
}

Shards shards_of(const std::vector<Tensor>& parameters, const std::string& prefix) {
  Shards shards;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (const std::optional<PartOfTensor> part = part_of(parameters[i])) shards.add(str(prefix, i), *part);
  return shards;
}

void add_shared(StateParts& parts, const std::string& name, const State& state, const Shards& shards) {
  State rest;
  for (const auto& [key, text] : state.texts()) rest.set_text(key, text);
  for (const auto& [key, tensor] : state.tensors()) {
    const PartOfTensor* const part = shards.find(key);
    if (!part || tensor.shape() != Shape{part->count}) rest.add(key, tensor);
    else if (part->is_first_copy) parts.pieces.push_back({name + "." + key, part->shape, part->offset, tensor});
    else parts.pieces.push_back({name + "." + key, part->shape, part->offset, {}});
  }
  parts.replicated.add(name, rest);
}

State read_shared(const SavedState& saved, const std::string& name, const Shards& shards) {
  if (shards.empty()) return saved.replicated(name);
  State state = saved.values().sub(name);
  const std::string start = name + ".";
  for (const SavedState::Entry& entry : saved.tensors()) {
    if (!entry.name.starts_with(start) || entry.name.size() == start.size()) continue;
    const std::string key = entry.name.substr(start.size());
    const PartOfTensor* const part = shards.find(key);
    if (part && numel(entry.shape) > 1 && entry.shape != part->shape)
      throw ValueError(str(key, " is ", entry.shape, " in the state, but ", part->shape, " here"));
    const bool is_part = part && entry.shape == part->shape;
    const Tensor values = empty(is_part ? Shape{part->count} : entry.shape, {.dtype = entry.dtype});
    saved.read(entry.name, values, is_part ? part->offset : 0);
    state.add(key, values);
  }
  return state;
}

}  // namespace minima::train::detail
