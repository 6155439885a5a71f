#include <minima/train/captured_step/step_signature.h>

#include <minima/autograd/leaf.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace minima::train {

namespace {

void describe(const Tensor& tensor, WatchedState& state) {
  if (!tensor.defined()) {
    state.push_back(0);
    return;
  }
  state.push_back(reinterpret_cast<std::uintptr_t>(tensor.raw_data()));
  state.push_back(static_cast<std::uint64_t>(tensor.dtype()) << 8 |
                  static_cast<std::uint64_t>(tensor.requires_grad()) << 1 | 1);
}

const void* memory_of(const Leaf& leaf) { return leaf.grad.defined() ? leaf.grad.raw_data() : nullptr; }

}  // namespace

std::vector<InputSignature> signature_of(const std::vector<Tensor>& inputs) {
  std::vector<InputSignature> signature;
  signature.reserve(inputs.size());
  for (const Tensor& input : inputs) signature.push_back({input.shape(), input.dtype()});
  return signature;
}

void SavedGradients::add(const Tensor& parameter) {
  if (const Leaf* leaf = Leaf::find(parameter)) saved_.push_back({parameter, memory_of(*leaf), leaf->stale});
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

void Watched::look() {
  tensors_.clear();
  state_.assign(1, default_generator().state().seed);
  for (const List& list : lists_) list(tensors_, state_);
  for (const optim::Optimizer* optimizer : optimizers_) {
    for (std::size_t group = 0; group < optimizer->group_count(); ++group)
      state_.push_back(std::bit_cast<std::uint64_t>(optimizer->momentum(group)));
    for (const optim::Optimizer::Slot& slot : optimizer->slots()) {
      tensors_.push_back(&slot.parameter);
      describe(slot.step_count, state_);
      describe(slot.master, state_);
      for (const Tensor& t : slot.state) describe(t, state_);
    }
  }
  for (const Tensor* t : tensors_) describe(*t, state_);
}

SavedGradients Watched::gradients() const {
  SavedGradients saved;
  for (const Tensor* t : tensors_) saved.add(*t);
  return saved;
}

void Watched::upload_learning_rates() const {
  for (optim::Optimizer* optimizer : optimizers_) optimizer->upload_lr();
}

void Watched::bump_versions() const {
  for (const Tensor* t : tensors_) t->impl()->storage->bump_version();
}

std::optional<Device> Watched::device() const {
  for (const Tensor* t : tensors_)
    if (t->defined()) return t->device();
  return std::nullopt;
}

}  // namespace minima::train
