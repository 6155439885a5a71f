#include <minima/optim/update/parts.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::optim::detail {

namespace {

struct Entry {
  PartsOfTensors* others = nullptr;
  std::vector<Peers*> peers;
  const TensorImpl* part = nullptr;  ///< in place of this whole parameter
};

struct PartsList {
  std::mutex mutex;
  std::unordered_map<const TensorImpl*, Entry> entries;
};

PartsList& parts_list() {
  static auto* const list = new PartsList;
  return *list;
}

Entry entry_of(const Tensor& parameter) {
  PartsList& list = parts_list();
  const std::lock_guard guard(list.mutex);
  const auto found = list.entries.find(parameter.impl());
  return found == list.entries.end() ? Entry() : found->second;
}

PartsOfTensors* others_of(const Tensor& parameter) { return entry_of(parameter).others; }

}  // namespace

void set_parts(const Tensor& part, const Tensor& whole, PartsOfTensors* others) {
  PartsList& list = parts_list();
  const std::lock_guard guard(list.mutex);
  Entry& of_whole = list.entries[whole.impl()];
  of_whole.part = part.impl();
  const std::vector<Peers*> peers = of_whole.peers;
  list.entries[part.impl()] = {.others = others, .peers = peers};
}

void forget_parts(const Tensor& part, const Tensor& whole) {
  PartsList& list = parts_list();
  const std::lock_guard guard(list.mutex);
  list.entries.erase(part.impl());
  list.entries.erase(whole.impl());
}

void add_peers(const Tensor& parameter, Peers* peers) {
  PartsList& list = parts_list();
  const std::lock_guard guard(list.mutex);
  Entry& entry = list.entries[parameter.impl()];
  entry.peers.push_back(peers);
  if (const TensorImpl* const part = entry.part) list.entries[part].peers.push_back(peers);
}

void remove_peers(Peers* peers) {
  PartsList& list = parts_list();
  const std::lock_guard guard(list.mutex);
  for (auto& [parameter, entry] : list.entries) std::erase(entry.peers, peers);
  std::erase_if(list.entries,
                [](const auto& each) { return !each.second.others && !each.second.part && each.second.peers.empty(); });
}

bool has_peers(const Tensor& parameter, const std::string& ranks) {
  const Entry entry = entry_of(parameter);
  return std::any_of(entry.peers.begin(), entry.peers.end(), [&](const Peers* each) { return each->ranks() == ranks; });
}

void PartsGroup::reduce(const Tensor& x, bool is_max) const {
  if (others) others->reduce(x, is_max);
  for (Peers* const each : peers) each->reduce(x, is_max);
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

namespace {

/// Who has the other parts of each parameter, in one look at the list.
std::vector<PartsOfTensors*> expect_listed_by(const char* user, const std::vector<Tensor>& parameters) {
  PartsList& list = parts_list();
  const std::lock_guard guard(list.mutex);
  std::vector<PartsOfTensors*> others;
  if (list.entries.empty()) return others;
  others.resize(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto found = list.entries.find(parameters[i].impl());
    if (found == list.entries.end()) continue;
    if (found->second.part)
      throw ValueError(str(user, ": parameter ", i, ", ", parameters[i],
                           ", has been sharded since it was listed, and a shard is trained in its place; list "
                           "net.parameters() behind distributed::shard"));
    others[i] = found->second.others;
  }
  return others;
}

}  // namespace

void expect_listed(const char* user, const std::vector<Tensor>& parameters) { expect_listed_by(user, parameters); }

void expect_gradients(const char* user, const std::vector<Tensor>& parameters) {
  const std::vector<PartsOfTensors*> others = expect_listed_by(user, parameters);
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!others[i]) continue;
    const PartOfTensor part = others[i]->place(parameters[i], others[i]->rank());
    if (part.has_unreduced_gradient)
      throw ValueError(str(user, ": the gradient of parameter ", i, ", a shard of ", part.shape,
                           ", is not reduced yet, since the last backward pass ran under Sharding::no_sync; call the "
                           "last one of each step outside of it"));
  }
}

std::vector<PartsGroup> by_parts(const std::vector<Tensor>& parameters) {
  std::vector<PartsGroup> groups{{nullptr, {}, {}}};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Entry entry = entry_of(parameters[i]);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const PartsGroup& g) { return g.others == entry.others && g.peers == entry.peers; });
    if (group == groups.end()) group = groups.insert(group, {entry.others, std::move(entry.peers), {}});
    group->indices.push_back(i);
  }
  return groups;
}

void expect_whole(const char* optimizer, const std::vector<Tensor>& parameters) {
  expect_no_peers(optimizer, parameters);
  for (const auto& [others, peers, indices] : by_parts(parameters))
    if (others)
      throw ValueError(str(optimizer, ": computes with whole tensors, but this process has only a part of ",
                           parameters[indices[0]], ", a sharded parameter; use an optimizer such as AdamW or SGD"));
}

void expect_no_peers(const char* optimizer, const std::vector<Tensor>& parameters) {
  for (const auto& [others, peers, indices] : by_parts(parameters))
    if (!peers.empty())
      throw ValueError(str(optimizer, ": computes with whole tensors, but ", parameters[indices[0]],
                           " is a part of one that ranks have split; use an optimizer such as AdamW or SGD"));
}

}  // namespace minima::optim::detail
