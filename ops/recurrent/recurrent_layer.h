#pragma once

#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

// One layer of a recurrent network in one direction, as an operator. Internal.

namespace minima::detail {

enum class RecurrentKind : std::uint8_t { rnn_tanh, rnn_relu, lstm, gru };

constexpr const char* name_of(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::rnn_tanh: return "rnn_tanh";
    case RecurrentKind::rnn_relu: return "rnn_relu";
    case RecurrentKind::lstm: return "lstm";
    case RecurrentKind::gru: break;
  }
  return "gru";
}

/// Blocks of H in the rows of the weights, and in what a step saves for the gradient.
constexpr int gates_of(RecurrentKind kind) {
  return kind == RecurrentKind::lstm ? 4 : kind == RecurrentKind::gru ? 3 : 1;
}
constexpr int saved_of(RecurrentKind kind) { return kind == RecurrentKind::lstm || kind == RecurrentKind::gru ? 4 : 0; }

/// The steps in time order. A tensor over time is [T, B, W], or [ΣB, W] if packed.
struct RecurrentSteps {
  std::shared_ptr<const std::vector<std::int64_t>> sizes;  ///< sequences at each step if packed, else null
  bool reverse = false;                                    ///< from the last step to the first
};

/// y, h and c of a layer in one direction. x is the input's part of the gates, with b_ih. Undefined: c0 and c except
/// for lstm, b_hh and w_hr where there are none.
std::array<Tensor, 3> recurrent_layer(RecurrentKind kind, const RecurrentSteps& steps, const Tensor& x,
                                      const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
                                      const Tensor& w_hr);

}  // namespace minima::detail
