#include <minima/ops/recurrent/recurrent_formula.h>

#include <minima/ops/cat/cat.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/zero_of.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

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
