#include "simulated/libraries/cublas_lt/element.h"
#include "simulated/libraries/cudnn/rnn.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace simulated {

namespace {

using Index = std::int64_t;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// A pseudo-layer keeps these of every vector: the gates with the state's part of gru's n, the cell, the state before
/// and after the projection, and what the backward pass adds: the gradients of the sums by input and by state, and that
/// of the projected state.
struct Kept {
  explicit Kept(const cudnnRNNStruct& n)
      : cell(4 * n.hidden),
        bare(cell + n.hidden),
        out(bare + n.hidden),
        by_input(out + n.projection),
        by_state(by_input + n.gates() * n.hidden),
        by_out(by_state + n.gates() * n.hidden),
        count(by_out + n.projection) {}
  Index cell, bare, out, by_input, by_state, by_out, count;
};

/// One pseudo-layer of a problem.
class Layer {
 public:
  Layer(const RnnProblem& problem, Index index)
      : n(problem.network),
        data(problem.data),
        kept(n),
        index_(index),
        inputs(n.inputs(index)),
        // Without FMA_MATH float32 products may round their factors to TF32.
        rounds_(n.type == CUDNN_DATA_FLOAT && n.math != CUDNN_FMA_MATH) {}

  double* values(Numbers& reserve, Index row) const {
    return reserve.data() + (index_ * data.rows() + row) * kept.count;
  }
  const double* values(const Numbers& reserve, Index row) const {
    return reserve.data() + (index_ * data.rows() + row) * kept.count;
  }
  /// The time of a sequence's step, in the order of running.
  Index time(Index step, Index sequence) const {
    return index_ % n.directions == 1 ? data.lengths[at(sequence)] - 1 - step : step;
  }
  Index state(Index sequence, Index width) const { return (index_ * data.batch() + sequence) * width; }
  Index direction() const { return index_ % n.directions; }
  const double* matrix(const Numbers& weights, Index id) const { return weights.data() + n.matrix(index_, id); }
  double bias(const Numbers& weights, Index id, Index j) const {
    return n.biased ? weights[at(n.bias(index_, id) + j)] : 0;
  }
  Index first_matrix(Index id) const { return n.matrix(index_, id); }
  Index first_bias(Index id) const { return n.bias(index_, id); }

  /// Rounds to the network's type, which numbers have that are kept from step to step and multiplied in the next
  /// product.
  double kept_as(double x) const {
    switch (n.type) {
      case CUDNN_DATA_HALF: return to_double(to_element<Half>(x));
      case CUDNN_DATA_BFLOAT16: return to_double(to_element<BFloat>(x));
      case CUDNN_DATA_FLOAT: return static_cast<float>(x);
      default: return x;
    }
  }
  double product(double a, double b) const { return rounds_ ? to_tf32(a) * to_tf32(b) : a * b; }
  /// Row j of a matrix [·, width] times a vector.
  double row_times(const double* matrix, Index j, Index width, const double* vector) const {
    double sum = 0;
    for (Index k = 0; k < width; ++k) sum += product(matrix[j * width + k], vector[k]);
    return sum;
  }
  /// result[k] += Σ_j gradient[j] · matrix[j][k].
  void add_transposed(const double* matrix, Index height, Index width, const double* gradient, double* result) const {
    for (Index j = 0; j < height; ++j)
      for (Index k = 0; k < width; ++k) result[k] += product(gradient[j], matrix[j * width + k]);
  }

  cudnnRNNStruct n;
  const cudnnRNNDataStruct& data;
  Kept kept;

 private:
  Index index_;

 public:
  Index inputs;

 private:
  bool rounds_;
};

/// One step: replaces h [P] and c [H].
void step(const Layer& layer, const Numbers& weights, const double* x, double* h, double* c, double* kept) {
  const cudnnRNNStruct& n = layer.n;
  const Index gates = n.gates(), width = n.hidden;
  for (Index j = 0; j < width; ++j) {
    double a[4], u[4];
    for (Index g = 0; g < gates; ++g) {
      a[g] = layer.row_times(layer.matrix(weights, g), j, layer.inputs, x) + layer.bias(weights, g, j);
      u[g] = layer.row_times(layer.matrix(weights, gates + g), j, n.projection, h) + layer.bias(weights, gates + g, j);
    }
    double* const saved = kept + j;
    double& bare = kept[layer.kept.bare + j];
    switch (n.mode) {
      case CUDNN_RNN_RELU: bare = std::max(a[0] + u[0], 0.0); break;
      case CUDNN_RNN_TANH: bare = std::tanh(a[0] + u[0]); break;
      case CUDNN_LSTM: {
        const double i = sigmoid(a[0] + u[0]), f = sigmoid(a[1] + u[1]), g = std::tanh(a[2] + u[2]),
                     o = sigmoid(a[3] + u[3]);
        saved[0] = i, saved[width] = f, saved[2 * width] = g, saved[3 * width] = o;
        c[j] = layer.kept_as(f * c[j] + i * g);
        kept[layer.kept.cell + j] = c[j];
        bare = o * std::tanh(c[j]);
        break;
      }
      case CUDNN_GRU: {
        const double r = sigmoid(a[0] + u[0]), z = sigmoid(a[1] + u[1]), m = std::tanh(a[2] + r * u[2]);
        saved[0] = r, saved[width] = z, saved[2 * width] = m, saved[3 * width] = u[2];
        bare = (1 - z) * m + z * h[j];
        break;
      }
    }
  }
  for (Index j = 0; j < width; ++j) kept[layer.kept.bare + j] = layer.kept_as(kept[layer.kept.bare + j]);
  for (Index p = 0; p < n.projection; ++p)
    h[p] = n.is_projected()
               ? layer.kept_as(layer.row_times(layer.matrix(weights, 2 * gates), p, width, kept + layer.kept.bare))
               : kept[layer.kept.bare + p];
  std::copy_n(h, n.projection, kept + layer.kept.out);
}

/// Its gradient: dh [P] and dc [H] of the state after the step become those of the state before it.
void step_back(const Layer& layer, const Numbers& weights, const double* h, const double* c, double* dh, double* dc,
               double* kept) {
  const cudnnRNNStruct& n = layer.n;
  const Index gates = n.gates(), width = n.hidden;
  std::copy_n(dh, n.projection, kept + layer.kept.by_out);
  Numbers of_bare(at(width), 0.0), carried(at(n.projection), 0.0);
  if (n.is_projected()) layer.add_transposed(layer.matrix(weights, 2 * gates), n.projection, width, dh, of_bare.data());
  else std::copy_n(dh, width, of_bare.data());
  double* const by_input = kept + layer.kept.by_input;
  double* const by_state = kept + layer.kept.by_state;
  for (Index j = 0; j < width; ++j) {
    const double d = of_bare[at(j)], bare = kept[layer.kept.bare + j], *const saved = kept + j;
    double a[4] = {}, u2 = 0;
    switch (n.mode) {
      case CUDNN_RNN_RELU: a[0] = bare > 0 ? d : 0; break;
      case CUDNN_RNN_TANH: a[0] = d * (1 - bare * bare); break;
      case CUDNN_LSTM: {
        const double i = saved[0], f = saved[width], g = saved[2 * width], o = saved[3 * width],
                     bent = std::tanh(kept[layer.kept.cell + j]), e = dc[j] + d * o * (1 - bent * bent);
        a[0] = e * g * i * (1 - i), a[1] = e * c[j] * f * (1 - f), a[2] = e * i * (1 - g * g);
        a[3] = d * bent * o * (1 - o);
        dc[j] = e * f;
        break;
      }
      case CUDNN_GRU: {
        const double r = saved[0], z = saved[width], m = saved[2 * width];
        a[2] = d * (1 - z) * (1 - m * m), a[0] = a[2] * saved[3 * width] * r * (1 - r);
        a[1] = d * (h[j] - m) * z * (1 - z);
        u2 = a[2] * r;
        carried[at(j)] = d * z;
        break;
      }
    }
    for (Index g = 0; g < gates; ++g) {
      by_input[g * width + j] = layer.kept_as(a[g]);
      by_state[g * width + j] = layer.kept_as(n.mode == CUDNN_GRU && g == 2 ? u2 : a[g]);
    }
  }
  std::copy(carried.begin(), carried.end(), dh);
  layer.add_transposed(layer.matrix(weights, gates), gates * width, n.projection, by_state, dh);
}

/// The outputs of all directions of a layer, [rows, D·P].
Numbers outputs(const RnnProblem& problem, Index layer, const Numbers& reserve) {
  const cudnnRNNStruct& n = problem.network;
  const Index rows = problem.data.rows(), width = n.directions * n.projection;
  Numbers result(at(rows * width));
  for (Index d = 0; d < n.directions; ++d) {
    const Layer from(problem, layer * n.directions + d);
    for (Index row = 0; row < rows; ++row)
      std::copy_n(from.values(reserve, row) + from.kept.out, n.projection,
                  result.begin() + row * width + d * n.projection);
  }
  return result;
}

/// The state before a step: of the step that ran before it, or the initial one.
const double* before(const Layer& layer, const Numbers& reserve, Index offset, const Numbers& initial, Index width,
                     Index step, Index sequence) {
  if (initial.empty()) return nullptr;
  if (step == 0) return initial.data() + layer.state(sequence, width);
  return layer.values(reserve, layer.data.row(layer.time(step - 1, sequence), sequence)) + offset;
}

}  // namespace

std::size_t RnnProblem::reserve_numbers() const {
  return at(network.pseudo_layers() * data.rows() * Kept(network).count);
}

double RnnProblem::flops() const {
  return 2.0 * static_cast<double>(data.rows()) * static_cast<double>(network.weights());
}

Numbers rnn_forward(const RnnProblem& problem, const Numbers& x, const Numbers& weights, RnnStates& states,
                    Numbers& reserve) {
  const cudnnRNNStruct& n = problem.network;
  Numbers input = x;
  for (Index l = 0; l < n.layers; ++l) {
    for (Index d = 0; d < n.directions; ++d) {
      const Layer layer(problem, l * n.directions + d);
      for (Index b = 0; b < problem.data.batch(); ++b)
        for (Index s = 0; s < problem.data.lengths[at(b)]; ++s) {
          const Index row = problem.data.row(layer.time(s, b), b);
          step(layer, weights, input.data() + row * layer.inputs, states.h.data() + layer.state(b, n.projection),
               states.c.data() + layer.state(b, n.hidden), layer.values(reserve, row));
        }
    }
    input = outputs(problem, l, reserve);
  }
  return input;
}

Numbers rnn_backward_data(const RnnProblem& problem, const Numbers& dy, const Numbers& weights,
                          const RnnStates& initial, RnnStates& gradients, Numbers& reserve) {
  const cudnnRNNStruct& n = problem.network;
  Numbers by_output = dy;
  for (Index l = n.layers - 1; l >= 0; --l) {
    Numbers by_input(at(problem.data.rows() * n.inputs(l * n.directions)), 0.0);
    for (Index d = 0; d < n.directions; ++d) {
      const Layer layer(problem, l * n.directions + d);
      for (Index b = 0; b < problem.data.batch(); ++b) {
        double* const dh = gradients.h.data() + layer.state(b, n.projection);
        double* const dc = gradients.c.data() + layer.state(b, n.hidden);
        for (Index s = problem.data.lengths[at(b)] - 1; s >= 0; --s) {
          const Index row = problem.data.row(layer.time(s, b), b);
          for (Index p = 0; p < n.projection; ++p) dh[p] += by_output[at((row * n.directions + d) * n.projection + p)];
          double* const kept = layer.values(reserve, row);
          step_back(layer, weights, before(layer, reserve, layer.kept.out, initial.h, n.projection, s, b),
                    before(layer, reserve, layer.kept.cell, initial.c, n.hidden, s, b), dh, dc, kept);
          layer.add_transposed(layer.matrix(weights, 0), n.gates() * n.hidden, layer.inputs, kept + layer.kept.by_input,
                               by_input.data() + row * layer.inputs);
        }
      }
    }
    by_output = std::move(by_input);
  }
  return by_output;
}

Numbers rnn_backward_weights(const RnnProblem& problem, const Numbers& x, const RnnStates& initial,
                             const Numbers& reserve) {
  const cudnnRNNStruct& n = problem.network;
  Numbers result(at(n.weights()), 0.0), input = x;
  for (Index l = 0; l < n.layers; ++l) {
    for (Index d = 0; d < n.directions; ++d) {
      const Layer layer(problem, l * n.directions + d);
      const auto add = [&](Index id, Index height, Index width, const double* gradient, const double* values) {
        double* const matrix = result.data() + layer.first_matrix(id);
        for (Index j = 0; j < height; ++j)
          for (Index k = 0; k < width; ++k) matrix[j * width + k] += layer.product(gradient[j], values[k]);
      };
      for (Index b = 0; b < problem.data.batch(); ++b)
        for (Index s = 0; s < problem.data.lengths[at(b)]; ++s) {
          const Index row = problem.data.row(layer.time(s, b), b), height = n.gates() * n.hidden;
          const double* const kept = layer.values(reserve, row);
          add(0, height, layer.inputs, kept + layer.kept.by_input, input.data() + row * layer.inputs);
          add(n.gates(), height, n.projection, kept + layer.kept.by_state,
              before(layer, reserve, layer.kept.out, initial.h, n.projection, s, b));
          if (n.is_projected())
            add(2 * n.gates(), n.projection, n.hidden, kept + layer.kept.by_out, kept + layer.kept.bare);
          for (Index j = 0; n.biased && j < height; ++j) {
            result[at(layer.first_bias(0) + j)] += kept[layer.kept.by_input + j];
            result[at(layer.first_bias(n.gates()) + j)] += kept[layer.kept.by_state + j];
          }
        }
    }
    input = outputs(problem, l, reserve);
  }
  return result;
}

}  // namespace simulated
