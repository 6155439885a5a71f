#pragma once

#include "benchmarks/ops/minima.h"

#include <minima/ops/recurrent/recurrent.h>

#include <string_view>

// The names of recurrent.h for minima.

namespace rows {

/// The output at each step of the network whose x and weights are `in`.
inline Tensor recurrent(std::string_view kind, const std::vector<Tensor>& in, std::size_t layers, bool bidirectional) {
  const std::size_t count = layers * (bidirectional ? 2 : 1), each = (in.size() - 1) / count;
  std::vector<RecurrentWeights> weights;
  for (std::size_t i = 1; i < in.size(); i += each)
    weights.push_back({in[i], in[i + 1], in[i + 2], in[i + 3], each > 4 ? in[i + 4] : Tensor()});
  const RecurrentOptions options{.bidirectional = bidirectional};
  if (kind == "lstm") return lstm(in[0], {}, {}, weights, options).y;
  return (kind == "gru" ? gru : rnn_tanh)(in[0], {}, weights, options).y;
}
/// As nn::LSTMCell and nn::GRUCell compute it.
inline Tensor one_step_of_lstm(const std::vector<Tensor>& in) {
  const RecurrentWeights weights[] = {{in[3], in[4], in[5], in[6]}};
  return select(lstm(unsqueeze(in[0], 0), unsqueeze(in[1], 0), unsqueeze(in[2], 0), weights).h, 0, 0);
}
inline Tensor one_step_of_gru(const std::vector<Tensor>& in) {
  const RecurrentWeights weights[] = {{in[2], in[3], in[4], in[5]}};
  return select(gru(unsqueeze(in[0], 0), unsqueeze(in[1], 0), weights).h, 0, 0);
}

}  // namespace rows
