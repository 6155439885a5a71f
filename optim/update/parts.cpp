#include <minima/optim/update/parts.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace minima::optim::detail {

namespace {

struct PartsList {
  std::mutex mutex;
  std::unordered_map<const TensorImpl*, PartsOfTensors*> parts;
};

PartsList& parts_list() {
  static auto* const list = new PartsList;
  return *list;
}

PartsOfTensors* others_of(const Tensor& parameter) {
  PartsList& list = parts_list();
  const std::lock_guard guard(list.mutex);
  const auto found = list.parts.find(parameter.impl());
  return found == list.parts.end() ? nullptr : found->second;
}

}  // namespace

void set_parts(const Tensor& parameter, PartsOfTensors* others) {
  PartsList& list = parts_list();
  const std::lock_guard guard(list.mutex);
  if (others) list.parts[parameter.impl()] = others;
  else list.parts.erase(parameter.impl());
}

std::optional<PartOfTensor> part_of(const Tensor& parameter) {
  const PartsOfTensors* const others = others_of(parameter);
  if (!others) return std::nullopt;
  return others->place(parameter, others->rank());
}

Shape whole_shape(const Tensor& parameter) {
  const std::optional<PartOfTensor> part = part_of(parameter);
  return part ? part->shape : parameter.shape();
}

std::vector<PartsGroup> by_parts(const std::vector<Tensor>& parameters) {
  std::vector<PartsGroup> groups{{nullptr, {}}};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    PartsOfTensors* const others = others_of(parameters[i]);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const PartsGroup& g) { return g.others == others; });
    if (group == groups.end()) group = groups.insert(group, {others, {}});
    group->indices.push_back(i);
  }
  return groups;
}

void expect_whole(const char* optimizer, const std::vector<Tensor>& parameters) {
  for (const auto& [others, indices] : by_parts(parameters))
    if (others)
      throw ValueError(str(optimizer, ": computes with whole tensors, but this process has only a part of ",
                           parameters[indices[0]], ", a sharded parameter; use an optimizer such as AdamW or SGD"));
}

}  // namespace minima::optim::detail
