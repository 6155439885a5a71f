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
#include <utility>
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

}  // namespace

std::vector<InputSignature> signature_of(const std::vector<Tensor>& inputs) {
  std::vector<InputSignature> signature;
  signature.reserve(inputs.size());
  for (const Tensor& input : inputs) signature.push_back({input.shape(), input.dtype()});
  return signature;
}

void SavedGradients::add(const Tensor& parameter) {
  if (const Leaf* leaf = Leaf::find(parameter)) saved_.push_back({parameter, leaf->grad, leaf->stale});
}

void SavedGradients::restore() const {
  for (const Saved& saved : saved_) {
    Leaf* const leaf = Leaf::find(saved.parameter);
    if (!leaf) continue;
    leaf->grad = saved.grad;
    leaf->stale = saved.stale;
  }
}

std::vector<Tensor> Watched::tensors() const {
  std::vector<Tensor> all;
  for (const auto& list : lists_)
    for (Tensor& t : list()) all.push_back(std::move(t));
  for (const optim::Optimizer* optimizer : optimizers_)
    for (Tensor& t : optimizer->parameters()) all.push_back(t);
  return all;
}

WatchedState Watched::state() const {
  WatchedState state{default_generator().state().seed};
  for (const Tensor& t : tensors()) describe(t, state);
  for (const auto& append : switches_) append(state);
  for (const optim::Optimizer* optimizer : optimizers_) {
    for (std::size_t group = 0; group < optimizer->group_count(); ++group)
      state.push_back(std::bit_cast<std::uint64_t>(optimizer->momentum(group)));
    for (const optim::Optimizer::Slot& slot : optimizer->slots()) {
      describe(slot.step_count, state);
      describe(slot.master, state);
      for (const Tensor& t : slot.state) describe(t, state);
    }
  }
  return state;
}

SavedGradients Watched::gradients() const {
  SavedGradients saved;
  for (const Tensor& t : tensors()) saved.add(t);
  return saved;
}

void Watched::upload_learning_rates() const {
  for (optim::Optimizer* optimizer : optimizers_) optimizer->upload_lr();
}

void Watched::bump_versions() const {
  for (const Tensor& t : tensors()) t.impl()->storage->bump_version();
}

std::optional<Device> Watched::device() const {
  for (const Tensor& t : tensors())
    if (t.defined()) return t.device();
  return std::nullopt;
}

}  // namespace minima::train
