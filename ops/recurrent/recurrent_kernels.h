#pragma once

#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/tensor/tensor.h>

// One step of a layer, next to the products with w_hh. Tensors are [B, W] of one dtype, with any stride between rows.
// Internal.

namespace minima::detail {

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
