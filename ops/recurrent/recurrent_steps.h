#pragma once

#include <minima/ops/op.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

// A layer's steps, and its kernels: the loops over them, for both devices. Internal.

namespace minima::detail {

/// The steps of a call in the order in which they run.
class RecurrentWalk {
 public:
  /// `over_time` is any tensor over time: [T, B, W], or [ΣB, W] if packed.
  RecurrentWalk(const RecurrentSteps& steps, const Tensor& over_time);
  std::int64_t count() const { return count_; }
  /// The time of the i-th step to run.
  std::int64_t time(std::int64_t i) const { return reverse_ ? count_ - 1 - i : i; }
  /// The number of sequences at a time.
  std::int64_t rows(std::int64_t time) const { return sizes_ ? (*sizes_)[static_cast<std::size_t>(time)] : batch_; }
  /// The rows of that time, [rows, W].
  Tensor at(const Tensor& over_time, std::int64_t time) const;
  /// The states before each step, in the memory order of `states`, which are those after it.
  Tensor before(const Tensor& states, const Tensor& initial) const;

 private:
  const std::vector<std::int64_t>* sizes_;
  std::vector<std::int64_t> offsets_;
  bool reverse_;
  std::int64_t count_, batch_;
};

/// The first rows of a state [B, W].
Tensor first_rows(const Tensor& state, std::int64_t rows);
/// [rows, W], in the order of memory.
Tensor flat_over_time(const Tensor& x);

struct LayerInputs {
  const Tensor &x, &h0, &c0, &w_hh, &b_hh, &w_hr;
};
/// saved and cells may be undefined.
struct LayerOutputs {
  Tensor y, h, c, saved, cells;
};
void run_recurrent_layer(RecurrentKind kind, const RecurrentSteps& steps, const LayerInputs& in,
                         const LayerOutputs& out);

/// The gradients of a layer's outputs, its inputs that they need, and its outputs.
struct LayerGrads {
  const Tensor &y, &h, &c, &saved, &cells;
};
struct LayerWeights {
  const Tensor &h0, &c0, &w_hh, &w_hr;
};
struct LayerValues {
  const Tensor &y, &saved, &cells;
};
/// With x the spec of the input's gates.
Gradients<6> recurrent_layer_gradient(RecurrentKind kind, const RecurrentSteps& steps, const LayerGrads& g,
                                      const LayerWeights& in, const LayerValues& values, const TensorSpec& x,
                                      const Needs& needs);

/// The gradients of recurrent_layer's inputs by public operators, step by step.
Gradients<6> recurrent_formula(RecurrentKind kind, const RecurrentSteps& steps, const LayerGrads& g,
                               const LayerWeights& in, const LayerValues& values, const Needs& needs);

}  // namespace minima::detail
