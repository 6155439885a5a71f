#pragma once

#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

// One layer of a recurrent network in one direction, as an operator, and the kernels of its steps. Internal.

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

// One step of a layer, next to the products with w_hh. Tensors are [B, W] of one dtype, with any stride between rows.

struct RecurrentStep {
  RecurrentKind kind;
  Tensor x, u;          ///< the gates' sums before the activation: the input's part, and the hidden state's with b_hh
  Tensor saved, cells;  ///< written for the gradient: the gates, and for lstm the new cell state; may be undefined
  Tensor c;             ///< lstm: the cell state, replaced
  Tensor before;        ///< gru: the hidden state
  Tensor h, y;          ///< the new hidden state, written to both; h may be `before`
};
void recurrent_step_cpu(const RecurrentStep& step);
void recurrent_step_cuda(const RecurrentStep& step);

struct RecurrentStepGradient {
  RecurrentKind kind;
  Tensor of_y, of_h;                       ///< of the new hidden state; their sum counts
  Tensor saved, c, c_before, h_before, y;  ///< the step's values; undefined where the kind does not need them
  Tensor of_c;                             ///< lstm: of the new cell state, replaced by that of the old one
  Tensor carried;  ///< gru: a further gradient of the new hidden state, replaced by one of the old
  Tensor of_x;     ///< written: of the gates' sums
  Tensor of_u;     ///< gru: the same through w_hh
};
void recurrent_step_gradient_cpu(const RecurrentStepGradient& step);
void recurrent_step_gradient_cuda(const RecurrentStepGradient& step);

}  // namespace minima::detail
