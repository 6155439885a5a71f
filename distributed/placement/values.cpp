#include <minima/distributed/placement/checker.h>

#include <minima/autograd/leaf.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/placement/placement.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The checker's knowledge of tensors.

namespace minima::distributed::detail {

OnAxis PlacementChecker::default_place(std::size_t axis) const {
  if (!axes_[axis].is_data) return {};
  return {.kind = OnAxis::varying, .is_shard = true};  // of the batch
}

/// Axes may have been added since.
void PlacementChecker::fit(Places& places) const {
  while (places.size() < axes_.size()) places.push_back(default_place(places.size()));
}

PlacementChecker::LeafRecord& PlacementChecker::record_of(Leaf& leaf) {
  LeafRecord& record = leaves_[&leaf];
  if (record.leaf && record.leaf->lock().get() != &leaf) record = {};
  if (!record.leaf) record.leaf.emplace(leaf);
  while (record.places.size() < axes_.size()) record.places.push_back({.kind = OnAxis::same, .is_known = true});
  record.is_invariant.resize(axes_.size());
  record.bits.resize(axes_.size());
  record.cause.resize(axes_.size(), -1);
  return record;
}

std::string PlacementChecker::name_of(const LeafRecord& record) const {
  const Ref<Leaf> leaf = record.leaf->lock();
  if (!leaf) return "a leaf";
  const auto found = names_.find(leaf.get());
  return found != names_.end() ? found->second : str("the leaf ", leaf->tensor());
}

PlacementChecker::LeafRecord* PlacementChecker::find_leaf(const Tensor& x) {
  if (!x.defined() || !x.is_leaf() || !x.requires_grad()) return nullptr;
  Leaf* const leaf = Leaf::find(x);
  return leaf ? &record_of(*leaf) : nullptr;
}

Places PlacementChecker::places_of(const Tensor& x) {
  if (const LeafRecord* const record = find_leaf(x)) return record->places;
  const Storage* const storage = x.impl()->storage.get();
  Places places;
  if (const auto found = memory_.find(storage); found != memory_.end() && found->second.data == storage->data()) {
    const Memory& memory = found->second;
    places = memory.places;
    const bool is_listed = std::find(memory.last.begin(), memory.last.end(), x.layout()) != memory.last.end();
    for (OnAxis& place : places) {
      place.is_last = place.is_last && is_listed;
      if (!(memory.layout == x.layout())) place.dim = -1;
    }
  } else if (x.requires_grad()) {  // the checker did not see how it was made
    places.assign(axes_.size(), {.kind = OnAxis::unknown});
  }
  fit(places);
  return places;
}

void PlacementChecker::set_places(const Tensor& x, Places places) {
  const Storage* const storage = x.impl()->storage.get();
  Memory memory{.places = std::move(places), .data = storage->data(), .layout = x.layout(), .last = {x.layout()}};
  memory_.insert_or_assign(storage, std::move(memory));
}

/// After a change in place. It replaces what is known of the memory if it covers all of that.
void PlacementChecker::join_places(const Tensor& x, const Places& places) {
  const Storage& storage = *x.impl()->storage;
  const auto bytes = static_cast<std::size_t>(x.numel()) * x.itemsize();
  const auto found = memory_.find(&storage);
  if (found == memory_.end() || bytes + 64 > storage.bytes()) return set_places(x, places);
  Places& known = found->second.places;
  fit(known);
  for (std::size_t axis = 0; axis < known.size(); ++axis) {
    OnAxis& old = known[axis];
    const OnAxis& now = places[axis];
    if (old.kind == now.kind) {
      old.is_known = old.is_known || now.is_known;
      continue;
    }
    const bool mixes = (old.kind == OnAxis::partial && (now.is_known || now.kind != OnAxis::same)) ||
                       (now.kind == OnAxis::partial && (old.is_known || old.kind != OnAxis::same));
    if (old.kind == OnAxis::unknown || now.kind == OnAxis::unknown || mixes) old = {.kind = OnAxis::unknown};
    else if (now.kind != OnAxis::same) old = now;
  }
}

void PlacementChecker::declare(const Tensor& x, std::size_t axis, Placement placement, int dim) {
  OnAxis place{.is_known = true};
  if (placement == Placement::varying) place.kind = OnAxis::varying;
  if (placement == Placement::partial) place.kind = OnAxis::partial;
  place.dim = static_cast<std::int8_t>(dim);
  place.is_shard = dim >= 0;
  place.is_last = dim >= 0 && dim == x.rank() - 1;
  place.origin = intern("its declaration");
  if (x.is_leaf() && x.requires_grad()) {
    LeafRecord& record = record_of(*Leaf::of(x));
    record.places[axis] = place;
    record.is_invariant[axis] = placement == Placement::invariant;
  }
  if (dim >= 0 && x.is_leaf() && x.requires_grad()) axes_[axis].has_shards = true;
  Places places = x.is_leaf() && x.requires_grad() ? record_of(*Leaf::of(x)).places : places_of(x);
  places[axis] = place;
  set_places(x, std::move(places));
}

void PlacementChecker::become_data(std::size_t axis) {
  axes_[axis].is_data = true;
  for (auto& [storage, memory] : memory_)
    if (axis < memory.places.size() && memory.places[axis].kind == OnAxis::same && !memory.places[axis].is_known)
      memory.places[axis] = default_place(axis);
}

void PlacementChecker::expect_reduction(const Tensor& parameter, const std::string& name, const Tensor& gradient,
                                        const RankSet& set) {
  if (users_ == 0) return;
  name_parameter(parameter, name);
  Places places(axes_.size(), {.kind = OnAxis::unknown});
  if (const auto over = axes_of(set.ranks))
    for (const std::size_t axis : *over)
      places[axis] = {.kind = OnAxis::partial, .is_known = true, .is_gradient = true};
  set_places(gradient, std::move(places));
}

void PlacementChecker::name_parameter(const Tensor& parameter, const std::string& name) {
  const Leaf* const leaf = Leaf::find(parameter);
  if (!leaf) return;  // frozen
  names_[leaf] = name;
  combined_.insert(leaf);
}

}  // namespace minima::distributed::detail
