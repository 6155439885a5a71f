#pragma once

#include "rows.h"

// Rows of recurrent networks. A layer's inputs are w_ih, w_hh, b_ih and b_hh, after x [T, B, I].

namespace rows {

/// Sizes of a row: a batch of `batch` sequences of `steps` steps.
struct Sequences {
  std::int64_t steps = 50, batch = 32, in = 128, hidden = 256;
};

/// The weights of a layer with `gates` blocks that reads `in` features.
inline void add_layer(std::vector<In>& ins, std::int64_t gates, std::int64_t in, std::int64_t hidden) {
  for (const Shape& shape : {Shape{gates * hidden, in}, Shape{gates * hidden, hidden}}) ins.push_back(small(shape));
  for (int i = 0; i < 2; ++i) ins.push_back(small({gates * hidden}));
}
inline std::vector<In> layer(const Sequences& s, std::int64_t gates) {
  std::vector<In> ins{x({s.steps, s.batch, s.in})};
  add_layer(ins, gates, s.in, s.hidden);
  return ins;
}
inline std::vector<In> two_layers_both_ways(const Sequences& s, std::int64_t gates) {
  std::vector<In> ins{x({s.steps, s.batch, s.in})};
  for (int i = 0; i < 4; ++i) add_layer(ins, gates, i < 2 ? s.in : 2 * s.hidden, s.hidden);
  return ins;
}
/// lstm with a projection to `out` features: w_hh reads them, and w_hr is the last input.
inline std::vector<In> projected_layer(const Sequences& s, std::int64_t out) {
  std::vector<In> ins = layer(s, 4);
  ins[2] = small({4 * s.hidden, out});
  ins.push_back(small({out, s.hidden}));
  return ins;
}
/// One step: x and h [B, ·], for lstm also c, then the weights.
inline std::vector<In> step_of_cell(std::int64_t gates, std::int64_t states) {
  const Sequences s;
  std::vector<In> ins{x({s.batch, s.in})};
  for (std::int64_t i = 0; i < states; ++i) ins.push_back(x({s.batch, s.hidden}));
  add_layer(ins, gates, s.in, s.hidden);
  return ins;
}

inline void add_recurrent(Rows& r) {
  const Sequences usual, one{.batch = 1};
  const auto network = [](const char* kind) { return [kind](Inputs in) { return recurrent(kind, in, 1, false); }; };
  r.both("lstm", layer(usual, 4), network("lstm"));
  r.both("gru", layer(usual, 3), network("gru"));
  r.both("rnn_tanh", layer(usual, 1), network("rnn_tanh"));
  r.both("lstm_2_layers_bidirectional", two_layers_both_ways(usual, 4),
         [](Inputs in) { return recurrent("lstm", in, 2, true); });
  r.both("lstm_projected", projected_layer(usual, 64), network("lstm"));
  r.forward("lstm_batch_1", layer(one, 4), network("lstm"));
  r.forward("gru_batch_1", layer(one, 3), network("gru"));
  r.forward("rnn_tanh_batch_1", layer(one, 1), network("rnn_tanh"));
  r.both("lstm_cell", step_of_cell(4, 2), [](Inputs in) { return one_step_of_lstm(in); });
  r.both("gru_cell", step_of_cell(3, 1), [](Inputs in) { return one_step_of_gru(in); });
}

}  // namespace rows
