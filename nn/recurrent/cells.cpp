#include <minima/nn/recurrent/cells.h>

#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/nn/module/parameter.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace minima::nn {

namespace {

const RNNCellOptions& checked(const char* name, const RNNCellOptions& options) {
  detail::expect_at_least(name, "in", 1, options.in);
  detail::expect_at_least(name, "hidden", 1, options.hidden);
  if (options.relu && std::string(name) != "RNNCell") throw ValueError(str(name, ": only RNNCell has the option relu"));
  return options;
}

Tensor bias_of(const RNNCellOptions& options, std::int64_t gates) {
  return options.bias ? empty({gates * options.hidden}) : Tensor();
}

template <class Cell>
std::array<RecurrentWeights, 1> weights_of(const Cell& cell) {
  return {RecurrentWeights{cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh}};
}

template <class Cell>
void reset(const Cell& cell) {
  const double bound = 1 / std::sqrt(static_cast<double>(cell.options.hidden));
  for (const Tensor& parameter : cell.parameters()) init::uniform_(parameter, -bound, bound);
}

/// One step in time, and one layer: [B, W] → [1, B, W], [W] → [1, W].
Tensor as_step(const Tensor& x) { return x.defined() ? unsqueeze(x, 0) : x; }
Tensor from_step(const Tensor& state) { return select(state, 0, 0); }

void check_rank(const char* name, const Tensor& x) {
  if (x.rank() != 1 && x.rank() != 2) throw ShapeError(str(name, ": x must be [B, in] or [in], got ", x));
}

}  // namespace

RNNCell::RNNCell(const RNNCellOptions& given)
    : options(checked("RNNCell", given)),
      weight_ih(parameter("weight_ih", empty({options.hidden, options.in}))),
      weight_hh(parameter("weight_hh", empty({options.hidden, options.hidden}))),
      bias_ih(parameter("bias_ih", bias_of(options, 1))),
      bias_hh(parameter("bias_hh", bias_of(options, 1))) {
  reset_parameters();
}
void RNNCell::reset_parameters() { reset(*this); }
Tensor RNNCell::forward(const Tensor& x, const Tensor& h) {
  check_rank("RNNCell", x);
  return from_step((options.relu ? rnn_relu : rnn_tanh)(as_step(x), as_step(h), weights_of(*this), {}).h);
}

GRUCell::GRUCell(const RNNCellOptions& given)
    : options(checked("GRUCell", given)),
      weight_ih(parameter("weight_ih", empty({3 * options.hidden, options.in}))),
      weight_hh(parameter("weight_hh", empty({3 * options.hidden, options.hidden}))),
      bias_ih(parameter("bias_ih", bias_of(options, 3))),
      bias_hh(parameter("bias_hh", bias_of(options, 3))) {
  reset_parameters();
}
void GRUCell::reset_parameters() { reset(*this); }
Tensor GRUCell::forward(const Tensor& x, const Tensor& h) {
  check_rank("GRUCell", x);
  return from_step(gru(as_step(x), as_step(h), weights_of(*this), {}).h);
}

LSTMCell::LSTMCell(const RNNCellOptions& given)
    : options(checked("LSTMCell", given)),
      weight_ih(parameter("weight_ih", empty({4 * options.hidden, options.in}))),
      weight_hh(parameter("weight_hh", empty({4 * options.hidden, options.hidden}))),
      bias_ih(parameter("bias_ih", bias_of(options, 4))),
      bias_hh(parameter("bias_hh", bias_of(options, 4))) {
  reset_parameters();
}
void LSTMCell::reset_parameters() { reset(*this); }
LSTMState LSTMCell::forward(const Tensor& x, const LSTMState& state) {
  check_rank("LSTMCell", x);
  const auto [y, h, c] = lstm(as_step(x), as_step(state.h), as_step(state.c), weights_of(*this), {});
  return {from_step(h), from_step(c)};
}

}  // namespace minima::nn
