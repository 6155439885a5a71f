#include <minima/ops/recurrent/recurrent_layer.h>

#include <minima/ops/core/reported.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/recurrent/recurrent_steps.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/split.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

/// Inputs: x, h0, c0, w_hh, b_hh, w_hr. Outputs: y, h, c and, if recorded, what the gradient needs. These are no hidden
/// outputs, so that the gradient's own gradient reaches the inputs through them.
template <RecurrentKind kind>
struct LayerBase {
  static constexpr Traits traits{.name = name_of(kind), .autocast = Cast::to_lower, .optional = 0b110100};
  RecurrentSteps steps;
  void list_attributes(AttributeVisitor& visitor) const {
    visitor.integer("reverse", steps.reverse);
    visitor.integer("packed", steps.sizes != nullptr);
    if (steps.sizes) visitor.integers("batch_sizes", *steps.sizes);
  }

  std::array<TensorSpec, 5> specs(const Tensor& x, const Tensor& h0, const Tensor& w_hh) const {
    const std::int64_t hidden = w_hh.size(0) / gates_of(kind), batch = h0.size(0);
    const auto state = [&](std::int64_t width) { return spec_of({batch, width}, x.dtype(), x.device()); };
    const auto over_time = [&](std::int64_t width) { return spec_with_columns(x, width); };
    const TensorSpec none = spec_of({0}, x.dtype(), x.device());
    constexpr bool is_lstm = kind == RecurrentKind::lstm;
    return {over_time(h0.size(1)), state(h0.size(1)), is_lstm ? state(hidden) : none,
            saved_of(kind) > 0 ? over_time(saved_of(kind) * hidden) : none, is_lstm ? over_time(hidden) : none};
  }
  /// The products with w_hh and w_hr, and about 30 operations for each element of the gates.
  Cost cost(const Tensor& x, const Tensor&, const Tensor&, const Tensor& w_hh, const Tensor&,
            const Tensor& w_hr) const {
    const double rows = static_cast<double>(x.numel()) / static_cast<double>(w_hh.size(0) == 0 ? 1 : w_hh.size(0));
    const double weights = static_cast<double>(w_hh.numel()) + static_cast<double>(w_hr.defined() ? w_hr.numel() : 0);
    return {.flops = 2 * rows * weights + 30 * static_cast<double>(x.numel()),
            .bytes = static_cast<double>(x.itemsize()) *
                     ((kind == RecurrentKind::lstm ? 2.5 : 2) * static_cast<double>(x.numel()) + weights)};
  }
};

template <RecurrentKind kind>
struct Layer : LayerBase<kind> {
  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor& h0, const Tensor&, const Tensor& w_hh, const Tensor&,
                                   const Tensor&) const {
    const auto [y, h, c, saved, cells] = this->specs(x, h0, w_hh);
    return {y, h, c};
  }
  void cpu(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
           const Tensor& w_hr, Tensor& y, Tensor& h, Tensor& c) const {
    run_recurrent_layer(kind, this->steps, {x, h0, c0, w_hh, b_hh, w_hr}, {y, h, c, {}, {}});
  }
  void cuda(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
            const Tensor& w_hr, Tensor& y, Tensor& h, Tensor& c) const {
    cpu(x, h0, c0, w_hh, b_hh, w_hr, y, h, c);
  }
};

template <RecurrentKind kind>
struct RecordedLayer : LayerBase<kind> {
  std::array<TensorSpec, 5> result(const Tensor& x, const Tensor& h0, const Tensor&, const Tensor& w_hh, const Tensor&,
                                   const Tensor&) const {
    return this->specs(x, h0, w_hh);
  }
  void cpu(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
           const Tensor& w_hr, Tensor& y, Tensor& h, Tensor& c, Tensor& saved, Tensor& cells) const {
    run_recurrent_layer(kind, this->steps, {x, h0, c0, w_hh, b_hh, w_hr}, {y, h, c, saved, cells});
  }
  void cuda(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
            const Tensor& w_hr, Tensor& y, Tensor& h, Tensor& c, Tensor& saved, Tensor& cells) const {
    cpu(x, h0, c0, w_hh, b_hh, w_hr, y, h, c, saved, cells);
  }

  Gradients<6> gradient(GradAt<0> of_y, GradAt<1> of_h, GradAt<2> of_c, GradAt<3> of_saved, GradAt<4> of_cells,
                        Input<1> h0, Input<2> c0, Input<3> w_hh, Input<5> w_hr, OutputAt<0> y, OutputAt<3> saved,
                        OutputAt<4> cells, Needs needs) const {
    return recurrent_formula(kind, this->steps, {of_y, of_h, of_c, of_saved, of_cells}, {h0, c0, w_hh, w_hr},
                             {y, saved, cells}, needs);
  }
  Gradients<6> fast_gradient(GradAt<0> of_y, GradAt<1> of_h, GradAt<2> of_c, GradAt<3> of_saved, GradAt<4> of_cells,
                             Input<1> h0, Input<2> c0, Input<3> w_hh, Input<5> w_hr, OutputAt<0> y, OutputAt<3> saved,
                             OutputAt<4> cells, Spec<0> x, Needs needs) const {
    if (of_saved.defined() || of_cells.defined())
      return gradient(of_y, of_h, of_c, of_saved, of_cells, h0, c0, w_hh, w_hr, y, saved, cells, needs);
    const double values = static_cast<double>(x.numel());
    const double rows = values / static_cast<double>(w_hh.size(0) == 0 ? 1 : w_hh.size(0));
    // By each weight a product for the state's gradient, and one for its own if that is needed.
    const double weights = static_cast<double>(w_hh.numel()) * (needs[3] ? 2 : 1) +
                           (w_hr.defined() ? static_cast<double>(w_hr.numel()) * (needs[5] ? 2 : 1) : 0);
    const Reported reported("recurrent_gradient", {.flops = 2 * rows * weights + 30 * values,
                                                   .bytes = 4 * values * static_cast<double>(size_of(x.dtype))});
    return recurrent_layer_gradient(kind, this->steps, {of_y, of_h, of_c, {}, {}}, {h0, c0, w_hh, w_hr},
                                    {y, saved, cells}, x, needs);
  }
};

template <RecurrentKind kind>
std::array<Tensor, 3> apply_layer(const RecurrentSteps& steps, const Tensor& x, const Tensor& h0, const Tensor& c0,
                                  const Tensor& w_hh, const Tensor& b_hh, const Tensor& w_hr) {
  if (!check_inputs(RecordedLayer<kind>::traits, InputRefs(x, h0, c0, w_hh, b_hh, w_hr)))
    return apply(Layer<kind>{{steps}}, x, h0, c0, w_hh, b_hh, w_hr);
  auto [y, h, c, saved, cells] = apply(RecordedLayer<kind>{{steps}}, x, h0, c0, w_hh, b_hh, w_hr);
  return {std::move(y), std::move(h), std::move(c)};
}

}  // namespace

std::array<Tensor, 3> recurrent_layer(RecurrentKind kind, const RecurrentSteps& steps, const Tensor& x,
                                      const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
                                      const Tensor& w_hr) {
  switch (kind) {
    case RecurrentKind::rnn_tanh: return apply_layer<RecurrentKind::rnn_tanh>(steps, x, h0, c0, w_hh, b_hh, w_hr);
    case RecurrentKind::rnn_relu: return apply_layer<RecurrentKind::rnn_relu>(steps, x, h0, c0, w_hh, b_hh, w_hr);
    case RecurrentKind::lstm: return apply_layer<RecurrentKind::lstm>(steps, x, h0, c0, w_hh, b_hh, w_hr);
    case RecurrentKind::gru: break;
  }
  return apply_layer<RecurrentKind::gru>(steps, x, h0, c0, w_hh, b_hh, w_hr);
}

namespace {

/// a + b, where an undefined tensor counts as 0.
Tensor plus(const Tensor& a, const Tensor& b) { return !a.defined() ? b : !b.defined() ? a : a + b; }

/// The values and gradients at one time.
struct Moment {
  std::vector<Tensor> saved, of_saved;  ///< per block of H; of_saved's may be undefined
  Tensor y, c, c_before, h_before, of_h, of_c;
};

/// The gradients of the gates' sums through x and through u, and of the old states except through u.
struct Sums {
  Tensor by_x, by_u, of_h, of_c;
};

Tensor of_sigmoid(const Tensor& g, const Tensor& y) { return g * y * (1 - y); }
Tensor of_tanh(const Tensor& g, const Tensor& y) { return g * (1 - y * y); }

Sums lstm_sums(const Moment& at) {
  const Tensor &i = at.saved[0], &f = at.saved[1], &g = at.saved[2], &o = at.saved[3], bent = tanh(at.c);
  const Tensor by_c = plus(at.of_c, of_tanh(at.of_h * o, bent));
  const Tensor sums =
      cat({of_sigmoid(plus(by_c * g, at.of_saved[0]), i), of_sigmoid(plus(by_c * at.c_before, at.of_saved[1]), f),
           of_tanh(plus(by_c * i, at.of_saved[2]), g), of_sigmoid(plus(at.of_h * bent, at.of_saved[3]), o)},
          -1);
  return {sums, sums, {}, by_c * f};
}

Sums gru_sums(const Moment& at) {
  const Tensor &r = at.saved[0], &z = at.saved[1], &n = at.saved[2], &by_state = at.saved[3];
  const Tensor by_n = of_tanh(plus(at.of_h * (1 - z), at.of_saved[2]), n);
  const Tensor by_r = of_sigmoid(plus(by_n * by_state, at.of_saved[0]), r);
  const Tensor by_z = of_sigmoid(plus(at.of_h * (at.h_before - n), at.of_saved[1]), z);
  return {cat({by_r, by_z, by_n}, -1), cat({by_r, by_z, plus(by_n * r, at.of_saved[3])}, -1), at.of_h * z, {}};
}

Sums plain_sums(RecurrentKind kind, const Moment& at) {
  const Tensor sums =
      kind == RecurrentKind::rnn_tanh ? of_tanh(at.of_h, at.y) : where(at.y <= 0, zero_of(at.of_h), at.of_h);
  return {sums, sums, {}, {}};
}

/// The blocks of H at one time; `count` undefined tensors if x is undefined.
std::vector<Tensor> blocks(const RecurrentWalk& walk, const Tensor& x, std::int64_t time, int count) {
  if (!x.defined() || count == 0) return std::vector<Tensor>(static_cast<std::size_t>(count));
  return chunk(walk.at(x, time), count, -1);
}

/// One tensor over time from its steps, whose order is that of running.
Tensor over_time(const RecurrentWalk& walk, const RecurrentSteps& steps, std::vector<Tensor> parts) {
  if (walk.time(0) == 0) std::reverse(parts.begin(), parts.end());
  return steps.sizes ? cat(parts, 0) : stack(parts, 0);
}

}  // namespace

Gradients<6> recurrent_formula(RecurrentKind kind, const RecurrentSteps& steps, const LayerGrads& g,
                               const LayerWeights& in, const LayerValues& values, const Needs& needs) {
  const RecurrentWalk walk(steps, values.y);
  const bool is_lstm = kind == RecurrentKind::lstm;
  const std::int64_t batch = in.h0.size(0), width = in.w_hh.size(0) / gates_of(kind);
  if (walk.count() == 0) return {Tensor(), g.h, g.c};

  const Tensor h_before = walk.before(values.y, in.h0),
               c_before = is_lstm ? walk.before(values.cells, in.c0) : Tensor();
  const TensorOptions like{.dtype = values.y.dtype(), .device = values.y.device()};
  Tensor of_h = g.h.defined() ? g.h : zeros({batch, in.h0.size(1)}, like);
  Tensor of_c = !is_lstm || g.c.defined() ? Tensor(g.c) : zeros({batch, width}, like);
  std::vector<Tensor> by_x, by_u, of_projected;
  for (std::int64_t i = walk.count() - 1; i >= 0; --i) {
    const std::int64_t time = walk.time(i), rows = walk.rows(time);
    // States of sequences that have no such step pass through.
    const auto replace = [&](const Tensor& state, const Tensor& changed) {
      return rows == batch ? changed : cat({changed, narrow(state, 0, rows, batch - rows)}, 0);
    };
    const auto at = [&](const Tensor& x) { return x.defined() ? walk.at(x, time) : Tensor(); };
    Tensor through_output = plus(first_rows(of_h, rows), at(g.y));
    if (in.w_hr.defined()) {
      of_projected.push_back(through_output);
      through_output = matmul(through_output, in.w_hr);
    }
    const Moment moment{.saved = blocks(walk, values.saved, time, saved_of(kind)),
                        .of_saved = blocks(walk, g.saved, time, saved_of(kind)),
                        .y = at(values.y),
                        .c = is_lstm ? at(values.cells) : Tensor(),
                        .c_before = at(c_before),
                        .h_before = at(h_before),
                        .of_h = through_output,
                        .of_c = is_lstm ? plus(first_rows(of_c, rows), at(g.cells)) : Tensor()};
    const Sums sums = is_lstm                      ? lstm_sums(moment)
                      : kind == RecurrentKind::gru ? gru_sums(moment)
                                                   : plain_sums(kind, moment);
    by_x.push_back(sums.by_x);
    by_u.push_back(sums.by_u);
    of_h = replace(of_h, plus(sums.of_h, matmul(sums.by_u, in.w_hh)));
    if (is_lstm) of_c = replace(of_c, sums.of_c);
  }

  Gradients<6> result;
  if (needs[0]) result[0] = over_time(walk, steps, by_x);
  if (needs[1]) result[1] = of_h;
  if (needs[2] && is_lstm) result[2] = of_c;
  if (!needs[3] && !needs[4] && !needs[5]) return result;
  const auto rows = [&](const Tensor& x) { return reshape(x, {-1, x.size(-1)}); };
  const Tensor all = rows(over_time(walk, steps, by_u));
  if (needs[3]) result[3] = matmul(t(all), rows(h_before));
  if (needs[4]) result[4] = sum(all, {0});
  if (needs[5]) {
    const Tensor unprojected = narrow(values.saved, -1, 3 * width, width) * tanh(values.cells);
    result[5] = matmul(t(rows(over_time(walk, steps, of_projected))), rows(unprojected));
  }
  return result;
}

}  // namespace minima::detail
