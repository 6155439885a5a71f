#pragma once

#include "torch.h"

#include <string_view>

// The names of ../ops/recurrent.h for LibTorch.

namespace rows {

/// The initial states are zeros, as torch.nn makes them. Records only if a weight needs a gradient.
inline Tensor recurrent(std::string_view kind, const std::vector<Tensor>& in, std::int64_t layers, bool bidirectional) {
  const bool trains = in[1].requires_grad();
  const AutoGradMode mode(trains);
  const std::vector<Tensor> weights(in.begin() + 1, in.end());
  const std::int64_t count = layers * (bidirectional ? 2 : 1);
  const auto state = [&](std::int64_t width) { return torch::zeros({count, in[0].size(1), width}); };
  const Tensor h0 = state(in[2].size(1));
  if (kind == "lstm")
    return std::get<0>(
        at::lstm(in[0], {h0, state(in[1].size(0) / 4)}, weights, true, layers, 0, trains, bidirectional, false));
  if (kind == "gru") return std::get<0>(at::gru(in[0], h0, weights, true, layers, 0, trains, bidirectional, false));
  return std::get<0>(at::rnn_tanh(in[0], h0, weights, true, layers, 0, trains, bidirectional, false));
}
inline Tensor one_step_of_lstm(const std::vector<Tensor>& in) {
  return std::get<0>(at::lstm_cell(in[0], {in[1], in[2]}, in[3], in[4], in[5], in[6]));
}
inline Tensor one_step_of_gru(const std::vector<Tensor>& in) {
  return at::gru_cell(in[0], in[1], in[2], in[3], in[4], in[5]);
}

}  // namespace rows
