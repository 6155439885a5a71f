#include <minima/ops/recurrent/recurrent_steps.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/ops/product/kernels.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

/// Whether the steps of one sequence are neighbours in memory, as in the view of a batch-first tensor.
bool is_batch_first(const Tensor& x) {
  return x.rank() == 3 && x.strides()[0] < x.strides()[1] && x.size(0) > 1 && x.size(1) > 1;
}

void run_step(const RecurrentStep& step) {
  if constexpr (has_cuda_kernels)
    if (on_cuda(step.y)) return recurrent_step_cuda(step);
  recurrent_step_cpu(step);
}
void run_step_gradient(const RecurrentStepGradient& step) {
  if constexpr (has_cuda_kernels)
    if (on_cuda(step.of_h)) return recurrent_step_gradient_cuda(step);
  recurrent_step_gradient_cpu(step);
}

/// Rows whose elements are neighbours.
Tensor with_dense_rows(const Tensor& x) {
  return !x.defined() || x.size(-1) <= 1 || x.strides().back() == 1 ? x : contiguous(x);
}

Tensor zeros_for(const Tensor& like, const Shape& shape) {
  return zeros(shape, {.dtype = like.dtype(), .device = like.device()});
}
Tensor empty_for(const Tensor& like, const Shape& shape) {
  return empty(shape, {.dtype = like.dtype(), .device = like.device()});
}

/// On the CPU half types compute in float32.
Tensor widened(const Tensor& x) { return x.defined() && is_half(x.dtype()) && !on_cuda(x) ? x.to(float32) : x; }

/// x · weights + bias with the same weights [K, N] in every step; `bias` may be undefined.
class StepProduct {
 public:
  StepProduct(const Tensor& weights, const Tensor& bias, const RecurrentWalk& walk, std::int64_t batch)
      : weights_(pays_in_panels(weights, walk, batch) ? Matrices::in_panels(weights) : Matrices(weights)),
        bias_(bias.defined() ? row_major(bias, product_dtype(bias)) : Tensor()) {}

  void run(const Tensor& x, const Tensor& y) const {
    const Matrices rows(x);
    run_gemm({.m = x.size(0),
              .n = y.size(1),
              .k = x.size(1),
              .a = rows.operand(),
              .b = weights_.operand(),
              .ldc = y.size(1),
              .dtype = x.dtype(),
              .c_dtype = y.dtype(),
              .on_cuda = on_cuda(y),
              .device = y.device(),
              .epilogue = {.bias = bias_.defined() ? bias_.raw_data() : nullptr}},
             rows.data(), weights_.data(), y.raw_data());
  }

 private:
  /// The copy costs about as much as it saves in two to four steps. A single row reads each weight once.
  static bool pays_in_panels(const Tensor& weights, const RecurrentWalk& walk, std::int64_t batch) {
    return !on_cuda(weights) && walk.count() >= 8 && batch > 1;
  }

  Matrices weights_;
  Tensor bias_;
};

void run(RecurrentKind kind, const RecurrentSteps& steps, const LayerInputs& in, const LayerOutputs& out) {
  const RecurrentWalk walk(steps, in.x);
  const bool is_lstm = kind == RecurrentKind::lstm, keeps_gates = saved_of(kind) > 0 && out.saved.defined();
  copy_values(in.h0, out.h);
  if (is_lstm) copy_values(in.c0, out.c);
  const std::int64_t batch = in.h0.size(0), width = in.w_hh.size(0) / gates_of(kind);
  const Tensor by_state = empty_for(in.x, {batch, in.w_hh.size(0)});
  const Tensor unprojected = in.w_hr.defined() ? empty_for(in.x, {batch, width}) : Tensor();
  const StepProduct by_w_hh(minima::t(in.w_hh), in.b_hh, walk, batch);
  for (std::int64_t i = 0; i < walk.count(); ++i) {
    const std::int64_t t = walk.time(i), rows = walk.rows(t);
    const Tensor u = first_rows(by_state, rows), h = first_rows(out.h, rows), y = walk.at(out.y, t);
    const Tensor result = unprojected.defined() ? first_rows(unprojected, rows) : h;
    by_w_hh.run(h, u);
    run_step({.kind = kind,
              .x = walk.at(in.x, t),
              .u = u,
              .saved = keeps_gates ? walk.at(out.saved, t) : Tensor(),
              .cells = keeps_gates && is_lstm ? walk.at(out.cells, t) : Tensor(),
              .c = is_lstm ? first_rows(out.c, rows) : Tensor(),
              .before = h,
              .h = result,
              .y = unprojected.defined() ? result : y});
    if (!unprojected.defined()) continue;
    linear_kernel(result, in.w_hr, {}, Activation::none, h);
    copy_values(h, y);
  }
}

}  // namespace

RecurrentWalk::RecurrentWalk(const RecurrentSteps& steps, const Tensor& over_time)
    : sizes_(steps.sizes.get()),
      reverse_(steps.reverse),
      count_(sizes_ ? static_cast<std::int64_t>(sizes_->size()) : over_time.size(0)),
      batch_(sizes_ ? 0 : over_time.size(1)) {
  if (!sizes_ && batch_ == 0) count_ = 0;  // nothing to do, however many steps there are
  if (!sizes_) return;
  std::int64_t offset = 0;
  for (const std::int64_t size : *sizes_) {
    offsets_.push_back(offset);
    offset += size;
  }
}

Tensor RecurrentWalk::at(const Tensor& over_time, std::int64_t time) const {
  if (!sizes_) return select(over_time, 0, time);
  return narrow(over_time, 0, offsets_[static_cast<std::size_t>(time)], rows(time));
}

Tensor RecurrentWalk::before(const Tensor& states, const Tensor& initial) const {
  if (count_ == 0) return states;
  if (!sizes_) {
    const bool is_flipped = is_batch_first(states);
    const Tensor others = narrow(states, 0, reverse_ ? 1 : 0, count_ - 1), first = unsqueeze(initial, 0);
    const auto in_memory_order = [&](const Tensor& x) { return is_flipped ? transpose(x, 0, 1) : x; };
    const Tensor parts[] = {in_memory_order(reverse_ ? others : first), in_memory_order(reverse_ ? first : others)};
    return in_memory_order(cat(parts, is_flipped ? 1 : 0));
  }
  std::vector<Tensor> parts;
  for (std::int64_t t = 0; t < count_; ++t) {
    const std::int64_t from = reverse_ ? t + 1 : t - 1, size = rows(t);
    const std::int64_t known = from < 0 || from == count_ ? 0 : std::min(size, rows(from));
    if (known > 0) parts.push_back(first_rows(at(states, from), known));
    if (known < size) parts.push_back(narrow(initial, 0, known, size - known));
  }
  return parts.empty() ? states : cat(parts, 0);
}

Tensor first_rows(const Tensor& state, std::int64_t rows) {
  return state.size(0) == rows ? state : narrow(state, 0, 0, rows);
}

Tensor flat_over_time(const Tensor& x) {
  if (x.rank() == 2) return x;
  return reshape(is_batch_first(x) ? transpose(x, 0, 1) : x, {x.size(0) * x.size(1), x.size(2)});
}

void run_recurrent_layer(RecurrentKind kind, const RecurrentSteps& steps, const LayerInputs& in,
                         const LayerOutputs& out) {
  if (!is_half(in.x.dtype()) || on_cuda(in.x)) return run(kind, steps, in, out);
  const Tensor x = widened(in.x), h0 = widened(in.h0), c0 = widened(in.c0), w_hh = widened(in.w_hh),
               b_hh = widened(in.b_hh), w_hr = widened(in.w_hr);
  const LayerOutputs wide{widened(out.y), widened(out.h), widened(out.c), widened(out.saved), widened(out.cells)};
  run(kind, steps, {x, h0, c0, w_hh, b_hh, w_hr}, wide);
  copy_values(wide.y, out.y);
  copy_values(wide.h, out.h);
  copy_values(wide.c, out.c);
  if (!out.saved.defined()) return;
  copy_values(wide.saved, out.saved);
  copy_values(wide.cells, out.cells);
}

Gradients<6> recurrent_layer_gradient(RecurrentKind kind, const RecurrentSteps& steps, const LayerGrads& g,
                                      const LayerWeights& in, const LayerValues& values, const TensorSpec& x,
                                      const Needs& needs) {
  const bool is_lstm = kind == RecurrentKind::lstm, is_gru = kind == RecurrentKind::gru;
  const Tensor w_hh = widened(in.w_hh), w_hr = widened(in.w_hr), y = widened(values.y), saved = widened(values.saved),
               cells = widened(values.cells), of_y = with_dense_rows(widened(g.y));
  const RecurrentWalk walk(steps, y);
  const std::int64_t batch = in.h0.size(0), width = w_hh.size(0) / gates_of(kind);
  const bool is_projected = w_hr.defined();

  const Tensor h_before = walk.before(y, widened(in.h0));
  const Tensor c_before = is_lstm ? walk.before(cells, widened(in.c0)) : Tensor();
  const auto state = [&](const Tensor& given, std::int64_t columns) {
    const Tensor start = empty_for(y, {batch, columns});
    if (given.defined()) copy_values(given, start);
    else zero_(start);
    return start;
  };
  const Tensor of_h = state(g.h, in.h0.size(1)), of_c = is_lstm ? state(g.c, width) : Tensor();
  const Tensor carried = is_gru ? zeros_for(y, {batch, width}) : Tensor();
  const Tensor none = of_y.defined() && !is_projected ? Tensor() : zeros_for(y, {batch, width});
  const Tensor of_x = allocate({x.layout, y.dtype(), x.device}), of_u = is_gru ? empty_like(of_x) : of_x;
  const Tensor of_projected = is_projected ? empty_like(y) : Tensor();
  const Tensor of_unprojected = is_projected ? empty_for(y, {batch, width}) : Tensor();
  const StepProduct by_w_hh(w_hh, {}, walk, batch);

  for (std::int64_t i = walk.count() - 1; i >= 0; --i) {
    const std::int64_t t = walk.time(i), rows = walk.rows(t);
    const Tensor by_state = first_rows(of_h, rows);
    Tensor by_output = of_y.defined() ? walk.at(of_y, t) : first_rows(none, rows), by_next = by_state;
    if (is_projected) {
      const Tensor sum = walk.at(of_projected, t);
      copy_values(of_y.defined() ? by_output + by_state : by_state, sum);
      by_next = first_rows(of_unprojected, rows);
      linear_input_gradient(sum, w_hr, by_next);
      by_output = first_rows(none, rows);
    }
    const auto step_of = [&](bool needed, const Tensor& over_time) {
      return needed ? walk.at(over_time, t) : Tensor();
    };
    const Tensor by_u = walk.at(of_u, t);
    run_step_gradient({.kind = kind,
                       .of_y = by_output,
                       .of_h = by_next,
                       .saved = step_of(saved_of(kind) > 0, saved),
                       .c = step_of(is_lstm, cells),
                       .c_before = step_of(is_lstm, c_before),
                       .h_before = step_of(is_gru, h_before),
                       .y = step_of(saved_of(kind) == 0, y),
                       .of_c = is_lstm ? first_rows(of_c, rows) : Tensor(),
                       .carried = is_gru ? first_rows(carried, rows) : Tensor(),
                       .of_x = walk.at(of_x, t),
                       .of_u = is_gru ? by_u : Tensor()});
    by_w_hh.run(by_u, by_state);
  }

  Gradients<6> result;
  if (needs[0]) result[0] = of_x;
  if (needs[1]) result[1] = is_gru ? of_h + carried : of_h;
  if (needs[2] && is_lstm) result[2] = of_c;
  const Tensor sums = flat_over_time(of_u);
  if (needs[3]) result[3] = matmul(minima::t(sums), flat_over_time(h_before));
  if (needs[4]) result[4] = sum(sums, {0});
  if (needs[5]) {
    const Tensor output_gate = narrow(saved, -1, 3 * width, width);
    result[5] = matmul(minima::t(flat_over_time(of_projected)), flat_over_time(output_gate * tanh(cells)));
  }
  return result;
}

}  // namespace minima::detail
