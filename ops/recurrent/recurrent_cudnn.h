#pragma once

#include <minima/ops/op.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

// Whole networks by cuDNN, on GPUs. Internal.

namespace minima::detail {

/// Consecutive layers without dropout between them. Its inputs are a list: x [T, B, I] or packed [ΣB, I], h0, for lstm
/// c0, and then per layer and direction w_ih, w_hh, b_ih and b_hh if `is_biased`, and w_hr if `is_projected`.
struct RecurrentNetwork {
  RecurrentKind kind = RecurrentKind::lstm;
  std::shared_ptr<const std::vector<std::int64_t>> sizes{};  ///< sequences at each step if packed, else null
  bool is_bidirectional = false, is_biased = true, is_projected = false;

  std::size_t states() const { return kind == RecurrentKind::lstm ? 2 : 1; }
  std::size_t weights_each() const { return 2u + (is_biased ? 2u : 0u) + (is_projected ? 1u : 0u); }
  /// Layers times directions.
  std::size_t pseudo_layers(std::span<const Tensor> inputs) const {
    return (inputs.size() - 1 - states()) / weights_each();
  }
  const Tensor& weight(std::span<const Tensor> inputs, std::size_t pseudo_layer, std::size_t i) const {
    return inputs[1 + states() + pseudo_layer * weights_each() + i];
  }
  std::int64_t hidden(std::span<const Tensor> inputs) const { return weight(inputs, 0, 1).size(0) / gates_of(kind); }
};

/// y [T, B, D·P] or packed, h and, for lstm, c. Throws RecurrentRefusal where cuDNN refuses.
std::array<Tensor, 3> apply_network_by_cudnn(const RecurrentNetwork& network, std::span<const Tensor> inputs);
/// The same by minima's own operators.
std::array<Tensor, 3> apply_network(const RecurrentNetwork& network, std::span<const Tensor> inputs);

/// Whether cuDNN computes the network. It is asked once for each choice of sizes and dtype, and counted in
/// cudnn::usage().
bool is_for_cudnn(const RecurrentNetwork& network, std::span<const Tensor> inputs);
/// Returns how many bytes the forward pass keeps for the gradient.
std::size_t reserve_bytes(const RecurrentNetwork& network, std::span<const Tensor> inputs);
/// cuDNN refused when it was called, and will not be asked for these sizes again.
class RecurrentRefusal {};
/// `reserve` is undefined where nothing is recorded.
void run_network_by_cudnn(const RecurrentNetwork& network, std::span<const Tensor> inputs, const Tensor& y,
                          const Tensor& h, const Tensor& c, const Tensor& reserve);
/// The gradients of the inputs; gradients of outputs may be undefined. Throws RecurrentRefusal.
std::vector<Tensor> network_gradient_by_cudnn(const RecurrentNetwork& network, std::span<const Tensor> inputs,
                                              const Tensor& y, std::array<Tensor, 3> of_outputs, const Tensor& reserve,
                                              const Needs& needs);

}  // namespace minima::detail
