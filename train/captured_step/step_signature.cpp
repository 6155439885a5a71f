#include <minima/train/captured_step/step_signature.h>

#include <minima/autograd/leaf.h>
#include <minima/nn/module/structure_version.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

std::uint64_t address(const Tensor& tensor) {
  return tensor.defined() ? reinterpret_cast<std::uintptr_t>(tensor.raw_data()) : 0;
}

/// The dtype and flags; 0 for an undefined tensor.
std::uint64_t kind(const Tensor& tensor) {
  if (!tensor.defined()) return 0;
  return static_cast<std::uint64_t>(tensor.dtype()) << 8 | static_cast<std::uint64_t>(tensor.requires_grad()) << 1 | 1;
}

/// f(tensor) for the parameter and state of each slot.
template <class F>
void for_each_tensor(const optim::Optimizer& optimizer, const F& f) {
  for (const optim::Optimizer::Slot& slot : optimizer.slots()) {
    f(slot.parameter);
    f(slot.step_count);
    f(slot.master);
    for (const Tensor& tensor : slot.state) f(tensor);
  }
}

const void* memory_of(const Leaf& leaf) { return leaf.grad.defined() ? leaf.grad.raw_data() : nullptr; }

}  // namespace

std::vector<InputSignature> signature_of(const std::vector<Tensor>& inputs) {
  std::vector<InputSignature> signature;
  signature.reserve(inputs.size());
  for (const Tensor& input : inputs) signature.push_back({input.shape(), input.dtype()});
  return signature;
}

void GradientPlaces::add(const Tensor& parameter) {
  const Leaf* const leaf = Leaf::find(parameter);
  places_.push_back({parameter, leaf && !leaf->stale ? leaf->grad : Tensor()});
}

bool GradientPlaces::has(const Tensor& parameter) const {
  return std::any_of(places_.begin(), places_.end(),
                     [&](const Place& place) { return place.parameter.is_same(parameter); });
}

bool GradientPlaces::are_current() const {
  return std::all_of(places_.begin(), places_.end(), [](const Place& place) {
    const Leaf* const leaf = Leaf::find(place.parameter);
    return address(leaf && !leaf->stale ? leaf->grad : Tensor()) == address(place.gradient);
  });
}

void GradientPlaces::make_current() const {
  for (const Place& place : places_) {
    Leaf* const leaf = Leaf::find(place.parameter);
    if (!leaf) continue;
    leaf->stale = !place.gradient.defined();
    if (leaf->stale) continue;
    if (!leaf->grad.defined() || !leaf->grad.is_same(place.gradient)) leaf->grad = place.gradient;
    leaf->grad.impl()->storage->bump_version();
  }
}

void SavedGradients::add(const Tensor& parameter) {
  Leaf* const leaf = Leaf::find(parameter);
  if (!leaf) return;
  leaf->first_access = Leaf::Access::none;
  saved_.push_back({parameter, memory_of(*leaf), leaf->stale});
}

void SavedGradients::add_used(std::unordered_set<const TensorImpl*>& parameters) const {
  for (const Saved& saved : saved_) {
    const Leaf* const leaf = Leaf::find(saved.parameter);
    if (leaf && leaf->first_access == Leaf::Access::used) parameters.insert(saved.parameter.impl());
  }
}

std::optional<GradientPlaces> SavedGradients::used(const GradientPlaces& held) const {
  GradientPlaces used = held;
  for (const Saved& saved : saved_) {
    const Leaf* const leaf = Leaf::find(saved.parameter);
    if (!leaf || leaf->first_access != Leaf::Access::used || held.has(saved.parameter)) continue;
    const bool was_there = !saved.stale && saved.memory;
    if (was_there && (leaf->stale || memory_of(*leaf) != saved.memory)) return std::nullopt;
    if (was_there) used.add(saved.parameter);
    else used.add_none(saved.parameter);
  }
  return used;
}

GradientPlaces SavedGradients::left() const {
  GradientPlaces left;
  for (const Saved& saved : saved_)
    if (const Leaf* const leaf = Leaf::find(saved.parameter); leaf && leaf->first_access != Leaf::Access::none)
      left.add(saved.parameter);
  return left;
}

void SavedGradients::restore() const {
  for (const Saved& saved : saved_) {
    Leaf* const leaf = Leaf::find(saved.parameter);
    if (!leaf) continue;
    const bool is_kept = memory_of(*leaf) == saved.memory;
    if (!is_kept) leaf->grad = {};
    leaf->stale = !is_kept || saved.stale;
  }
}

void Watched::add(List list) {
  lists_.push_back(std::move(list));
  is_listed_ = false;
}

void Watched::add(optim::Optimizer& optimizer) {
  optimizers_.push_back(&optimizer);
  is_listed_ = false;
}

void Watched::look() {
  if (is_as_listed()) return;
  const WatchedState before = std::move(state_);
  list();
  if (state_ != before) ++revision_;
}

WatchedState Watched::settings() const {
  WatchedState all{default_generator().state().seed};
  for (const optim::Optimizer* optimizer : optimizers_)
    for (std::size_t group = 0; group < optimizer->group_count(); ++group)
      all.push_back(std::bit_cast<std::uint64_t>(optimizer->momentum(group)));
  return all;
}

bool Watched::is_as_listed() const {
  if (!is_listed_ || structure_ != nn::detail::structure_version.load() || settings() != settings_) return false;
  auto next = found_.begin();
  bool same = true;
  const auto compare = [&](const Tensor& tensor) {
    same = same && next != found_.end() && tensor.impl() == next->impl();
    if (same) ++next;
  };
  for (const Tensor* const member : members_) compare(*member);
  for (const optim::Optimizer* const optimizer : optimizers_) for_each_tensor(*optimizer, compare);
  if (!same || next != found_.end()) return false;
  for (const Changing& changing : changing_)
    if (address(changing.tensor) != changing.address || kind(changing.tensor) != changing.kind) return false;
  return true;
}

void Watched::list() {
  structure_ = nn::detail::structure_version.load();
  state_ = settings_ = settings();
  members_.clear();
  found_.clear();
  changing_.clear();
  for (const List& list : lists_) list(members_, state_);
  for (const Tensor* const member : members_) found_.push_back(*member);
  std::vector<Tensor> changing = found_;
  for (const optim::Optimizer* const optimizer : optimizers_) {
    for_each_tensor(*optimizer, [&](const Tensor& tensor) { found_.push_back(tensor); });
    for (const optim::Optimizer::Slot& slot : optimizer->slots()) changing.push_back(slot.parameter);
  }
  std::unordered_set<const TensorImpl*> known{nullptr};
  for (const Tensor& tensor : changing)
    if (known.insert(tensor.impl()).second) changing_.push_back({tensor, address(tensor), kind(tensor)});
  for (const Tensor& tensor : found_) state_.insert(state_.end(), {address(tensor), kind(tensor)});
  is_listed_ = true;
}

SavedGradients Watched::gradients() const {
  SavedGradients saved;
  for (const Changing& changing : changing_) saved.add(changing.tensor);
  return saved;
}

GradientPlaces Watched::used_gradients() const {
  GradientPlaces used;
  for (const Changing& changing : changing_)
    if (uses_.count(changing.tensor.impl()) > 0) used.add(changing.tensor);
  return used;
}

void Watched::upload_learning_rates() const {
  for (optim::Optimizer* optimizer : optimizers_) optimizer->upload_lr();
}

void Watched::bump_versions() const {
  for (const Changing& changing : changing_) changing.tensor.impl()->storage->bump_version();
}

std::optional<Device> Watched::device() const {
  if (changing_.empty()) return std::nullopt;
  return changing_.front().tensor.device();
}

}  // namespace minima::train
