#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::recurrent_test {
namespace {

using namespace test;

enum class Kind : std::uint8_t { tanh, relu, lstm, gru };

std::int64_t gates_of(Kind kind) { return kind == Kind::lstm ? 4 : kind == Kind::gru ? 3 : 1; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// How a call's inputs are arranged: x, h0, for lstm c0, then per layer and direction w_ih, w_hh, and maybe two biases,
/// and w_hr.
struct Wanted {
  Kind kind = Kind::lstm;
  bool bidirectional = false, batch_first = false, bias = true, projection = false;
  std::size_t state_inputs() const { return kind == Kind::lstm ? 2 : 1; }
  std::size_t weights_each() const { return 2u + (bias ? 2u : 0u) + (projection ? 1u : 0u); }
};

/// row · w[block·H + j] over the matrix w [G·H, K].
double dot(const Doubles& w, std::int64_t row, const double* x) {
  double total = 0;
  for (std::int64_t k = 0; k < w.shape[1]; ++k) total += w[{row, k}] * x[k];
  return total;
}

/// One step for one sequence: replaces h [P] and c [H].
void step(const Wanted& wanted, const Doubles* w, const double* x, std::vector<double>& h, std::vector<double>& c) {
  const std::int64_t width = w[0].shape[0] / gates_of(wanted.kind);
  const auto bias = [&](int which, std::int64_t row) {
    return wanted.bias ? w[2 + which].values[static_cast<std::size_t>(row)] : 0;
  };
  std::vector<double> after(static_cast<std::size_t>(width));
  for (std::int64_t j = 0; j < width; ++j) {
    const auto by_x = [&](std::int64_t gate) { return dot(w[0], gate * width + j, x) + bias(0, gate * width + j); };
    const auto by_h = [&](std::int64_t gate) {
      return dot(w[1], gate * width + j, h.data()) + bias(1, gate * width + j);
    };
    const auto at = static_cast<std::size_t>(j);
    const auto sum = [&](std::int64_t gate) { return by_x(gate) + by_h(gate); };
    if (wanted.kind == Kind::tanh) after[at] = std::tanh(sum(0));
    if (wanted.kind == Kind::relu) after[at] = std::max(sum(0), 0.0);
    if (wanted.kind == Kind::lstm) {
      c[at] = sigmoid(sum(1)) * c[at] + sigmoid(sum(0)) * std::tanh(sum(2));
      after[at] = sigmoid(sum(3)) * std::tanh(c[at]);
    }
    if (wanted.kind == Kind::gru) {
      const double r = sigmoid(sum(0)), z = sigmoid(sum(1)), n = std::tanh(by_x(2) + r * by_h(2));
      after[at] = (1 - z) * n + z * h[at];
    }
  }
  if (!wanted.projection) {
    h = after;
    return;
  }
  const Doubles& projection = w[wanted.weights_each() - 1];
  for (std::size_t p = 0; p < h.size(); ++p) h[p] = dot(projection, static_cast<std::int64_t>(p), after.data());
}

auto reference(const Wanted& wanted) {
  return [=](const std::vector<Doubles>& in) {
    const std::size_t first = 1 + wanted.state_inputs(), each = wanted.weights_each();
    const std::size_t directions = wanted.bidirectional ? 2 : 1, count = (in.size() - first) / each;
    const std::int64_t steps = in[0].shape[wanted.batch_first ? 1 : 0], batch = in[0].shape[wanted.batch_first ? 0 : 1];
    const std::int64_t out = in[1].shape[2], width = in[wanted.state_inputs()].shape[2];
    const auto place = [&](std::int64_t t, std::int64_t b, std::int64_t i) {
      return wanted.batch_first ? Shape{b, t, i} : Shape{t, b, i};
    };
    Doubles y = in[0], h = in[1], c = in[wanted.state_inputs()];
    for (std::size_t layer = 0; layer * directions < count; ++layer) {
      const std::int64_t features = y.shape[2];
      const auto wide = static_cast<std::int64_t>(directions) * out;
      Doubles next(place(steps, batch, wide));
      for (std::size_t d = 0; d < directions; ++d) {
        const std::size_t index = layer * directions + d;
        const auto at = static_cast<std::int64_t>(index);
        for (std::int64_t b = 0; b < batch; ++b) {
          std::vector<double> state(static_cast<std::size_t>(out)), cell(static_cast<std::size_t>(width)),
              x(static_cast<std::size_t>(features));
          for (std::int64_t i = 0; i < out; ++i) state[static_cast<std::size_t>(i)] = in[1][{at, b, i}];
          for (std::int64_t i = 0; i < width; ++i)
            cell[static_cast<std::size_t>(i)] = in[wanted.state_inputs()][{at, b, i}];
          for (std::int64_t s = 0; s < steps; ++s) {
            const std::int64_t t = d == 0 ? s : steps - 1 - s;
            for (std::int64_t i = 0; i < features; ++i) x[static_cast<std::size_t>(i)] = y[place(t, b, i)];
            step(wanted, in.data() + first + index * each, x.data(), state, cell);
            for (std::int64_t i = 0; i < out; ++i)
              next[place(t, b, static_cast<std::int64_t>(d) * out + i)] = state[static_cast<std::size_t>(i)];
          }
          for (std::int64_t i = 0; i < out; ++i) h[{at, b, i}] = state[static_cast<std::size_t>(i)];
          for (std::int64_t i = 0; i < width; ++i) c[{at, b, i}] = cell[static_cast<std::size_t>(i)];
        }
      }
      y = next;
    }
    return wanted.kind == Kind::lstm ? std::vector<Doubles>{y, h, c} : std::vector<Doubles>{y, h};
  };
}

auto call(const Wanted& wanted) {
  return [=](In in) {
    std::vector<RecurrentWeights> weights;
    for (std::size_t i = 1 + wanted.state_inputs(); i < in.size(); i += wanted.weights_each()) {
      RecurrentWeights w{in[i], in[i + 1]};
      if (wanted.bias) w.b_ih = in[i + 2], w.b_hh = in[i + 3];
      if (wanted.projection) w.w_hr = in[i + wanted.weights_each() - 1];
      weights.push_back(std::move(w));
    }
    const RecurrentOptions options{.batch_first = wanted.batch_first, .bidirectional = wanted.bidirectional};
    if (wanted.kind == Kind::lstm) {
      LstmResult result = lstm(in[0], in[1], in[2], weights, options);
      return std::vector<Tensor>{result.y, result.h, result.c};
    }
    const auto run = wanted.kind == Kind::gru ? gru : wanted.kind == Kind::tanh ? rnn_tanh : rnn_relu;
    RecurrentResult result = run(in[0], in[1], weights, options);
    return std::vector<Tensor>{result.y, result.h};
  };
}

/// The rows that all kinds have: plain, batch-first, two layers in two directions, no bias, one step, none, large.
OpCases table(const char* name, Kind kind, const std::string& torch) {
  const std::int64_t g = gates_of(kind);
  OpCases cases(name);
  cases.autocast("lower precision").tolerance(400).gradient_cancels().optional_input(1).by_cudnn();
  cases.without("hidden", "several layers keep what one hands to the next");
  if (kind == Kind::lstm) cases.optional_input(2);
  // Biases and projections, at their places in the rows below.
  for (const int i : {2, 3, 4, 6, 7, 8, 9, 12, 13, 14, 17, 18, 19})
    cases.optional_input(i + (kind == Kind::lstm ? 3 : 2));
  const auto add = [&](const Wanted& wanted, const std::string& text, const Shape& x, std::int64_t width,
                       std::int64_t layers) {
    const std::int64_t directions = wanted.bidirectional ? 2 : 1, batch = x[wanted.batch_first ? 0 : 1];
    const std::int64_t out = wanted.projection ? width - 1 : width;
    std::vector<Draw> row{normal(x), normal({layers * directions, batch, out})};
    if (kind == Kind::lstm) row.push_back(normal({layers * directions, batch, width}));
    const double bound = 1 / std::sqrt(static_cast<double>(width));
    const auto weight = [&](const Shape& shape) { row.push_back(uniform(shape, -bound, bound)); };
    for (std::int64_t i = 0; i < layers * directions; ++i) {
      weight({g * width, i < directions ? x[2] : directions * out});
      weight({g * width, out});
      if (wanted.bias) weight({g * width}), weight({g * width});
      if (wanted.projection) weight({out, width});
    }
    cases.on(call(wanted), reference(wanted), text).row(std::move(row));
    if (!torch.empty()) {
      const std::string states = kind == Kind::lstm ? "p[:2]" : "p[0]", first = kind == Kind::lstm ? "2" : "1";
      cases.pytorch("lambda x, *p: " + torch + "(x, " + states + ", p[" + first + ":], " +
                    (wanted.bias ? "True" : "False") + ", " + std::to_string(layers) + ", 0.0, False, " +
                    (wanted.bidirectional ? "True" : "False") + ", " + (wanted.batch_first ? "True" : "False") + ")");
    }
  };
  add({kind}, "plain", {3, 2, 3}, 2, 1);
  add({.kind = kind, .batch_first = true}, "batch first", {2, 3, 1}, 1, 1);
  add({.kind = kind, .bidirectional = true, .bias = false}, "two layers, two directions", {2, 2, 2}, 2, 2);
  add({.kind = kind, .bidirectional = true, .batch_first = true}, "two directions, batch first", {3, 2, 2}, 1, 1);
  add({kind}, "one step", {1, 3, 2}, 3, 1);
  add({kind}, "no sequences", {2, 0, 3}, 2, 1);
  add({kind}, "large", {10, 64, 64}, 8, 1);
  add({kind}, "many columns of weights", {8, 2, 3}, 72, 1);
  if (kind == Kind::lstm) {
    add({.kind = kind, .projection = true}, "projection", {2, 2, 2}, 3, 1);
    add({.kind = kind, .bidirectional = true, .batch_first = true, .projection = true}, "projection, two layers",
        {2, 2, 2}, 3, 2);
  }
  return cases;
}

using Weights = std::vector<RecurrentWeights>;

[[maybe_unused]] const bool lstm_cases =
    table("lstm", Kind::lstm, "torch.lstm")
        .error<ShapeError>([] { lstm(zeros({4}), {}, {}, Weights{{zeros({8, 3}), zeros({8, 2})}}); },
                           "lstm: x must be [T, B, I], or [T, I] without a batch, got float32 [4]")
        .error<ShapeError>([] { lstm(zeros({4, 2, 3}), {}, {}, Weights{{zeros({8, 4}), zeros({8, 2})}}); },
                           "lstm: w_ih of weights 0 must be [8, 3], got float32 [8, 4]")
        .error<ShapeError>([] { lstm(zeros({4, 2, 3}), zeros({2, 2}), {}, Weights{{zeros({8, 3}), zeros({8, 2})}}); },
                           "lstm: h0 must be [1, 2, 2] for x float32 [4, 2, 3], got float32 [2, 2]")
        .error<ShapeError>(
            [] { lstm(zeros({4, 2, 3}), {}, {}, Weights{{zeros({8, 3}), zeros({8, 2}), {}, {}, zeros({2, 3})}}); },
            "lstm: w_hr of weights 0 must be [2, 2], got float32 [2, 3]")
        .error<ValueError>([] { lstm(zeros({4, 2, 3}), {}, {}, Weights{}); },
                           "lstm: needs the weights of each layer, got 0")
        .error<ValueError>(
            [] {
              const std::int64_t sizes[] = {1, 2};
              lstm(zeros({3, 3}), {}, {}, Weights{{zeros({8, 3}), zeros({8, 2})}}, {.batch_sizes = sizes});
            },
            "lstm: batch_sizes must be at least 1, never grow, and add up to the 3 rows of x, got 1 to 2")
        .error<DTypeError>(
            [] { lstm(zeros({4, 2, 3}), {}, {}, Weights{{zeros({8, 3}, {.dtype = float64}), zeros({8, 2})}}); },
            "lstm: dtypes differ: x float32 [4, 2, 3], w_ih float64 [8, 3]; convert them with to()")
        .check();

[[maybe_unused]] const bool gru_cases =
    table("gru", Kind::gru, "torch.gru")
        .error<ShapeError>([] { gru(zeros({4, 2, 3}), {}, Weights{{zeros({6, 3}), zeros({6, 3})}}); },
                           "gru: w_hh of weights 0 must be [6, 2], got float32 [6, 3]")
        .error<ValueError>(
            [] { gru(zeros({4, 2, 3}), {}, Weights{{zeros({6, 3}), zeros({6, 2}), {}, {}, zeros({1, 2})}}); },
            "gru: only lstm has a projection w_hr")
        .error<ValueError>([] { gru(zeros({4, 2, 3}), {}, Weights{{zeros({6, 3}), zeros({6, 2})}}, {.dropout = 2}); },
                           "gru: dropout must be from 0 to 1, got 2")
        .error<DTypeError>([] { gru(zeros({4, 2, 3}, {.dtype = int64}), {}, Weights{{zeros({6, 3}), zeros({6, 2})}}); },
                           "gru: needs a floating x, got int64 [4, 2, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool rnn_tanh_cases =
    table("rnn_tanh", Kind::tanh, "torch.rnn_tanh")
        .error<ShapeError>([] { rnn_tanh(zeros({4, 2, 3}), {}, Weights{{zeros({2, 3}), zeros({2, 2}), zeros({3})}}); },
                           "rnn_tanh: b_ih of weights 0 must be [2], got float32 [3]")
        .error<ValueError>(
            [] { rnn_tanh(zeros({4, 2, 3}), {}, Weights{{zeros({2, 3}), zeros({2, 2})}}, {.bidirectional = true}); },
            "rnn_tanh: needs the weights of each layer and direction, got 1")
        .error<DTypeError>(
            [] { rnn_tanh(zeros({4, 2, 3}, {.dtype = int64}), {}, Weights{{zeros({2, 3}), zeros({2, 2})}}); },
            "rnn_tanh: needs a floating x, got int64 [4, 2, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool rnn_relu_cases =
    table("rnn_relu", Kind::relu, "torch.rnn_relu")
        .error<ShapeError>(
            [] { rnn_relu(zeros({4, 2, 3}), zeros({1, 2, 3}), Weights{{zeros({2, 3}), zeros({2, 2})}}); },
            "rnn_relu: h0 must be [1, 2, 2] for x float32 [4, 2, 3], got float32 [1, 2, 3]")
        .error<DTypeError>(
            [] { rnn_relu(zeros({4, 2, 3}, {.dtype = int64}), {}, Weights{{zeros({2, 3}), zeros({2, 2})}}); },
            "rnn_relu: needs a floating x, got int64 [4, 2, 3]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::recurrent_test
