#pragma once

#include <minima/nn/module/module.h>

#include <cstdint>

namespace minima::nn {

struct RNNCellOptions {
  std::int64_t in = 0, hidden = 0;
  bool bias = true;
  bool relu = false;  ///< RNNCell only: relu instead of tanh
};

/// One step of RNN, torch.nn.RNNCell: x [B, in] or [in], h [B, hidden] or [hidden], zeros if undefined → the new state.
class MINIMA_API RNNCell : public ModuleOf<RNNCell> {
 public:
  explicit RNNCell(const RNNCellOptions& options);
  Tensor forward(const Tensor& x, const Tensor& h = {});
  void reset_parameters();

  RNNCellOptions options;
  Parameter weight_ih, weight_hh;  ///< [hidden, in] and [hidden, hidden]
  Parameter bias_ih, bias_hh;      ///< [hidden]
};

/// One step of GRU, torch.nn.GRUCell, likewise.
class MINIMA_API GRUCell : public ModuleOf<GRUCell> {
 public:
  explicit GRUCell(const RNNCellOptions& options);
  Tensor forward(const Tensor& x, const Tensor& h = {});
  void reset_parameters();

  RNNCellOptions options;
  Parameter weight_ih, weight_hh;  ///< [3·hidden, in] and [3·hidden, hidden]: gates r, z, n
  Parameter bias_ih, bias_hh;      ///< [3·hidden]
};

/// The state of an LSTMCell; undefined means zeros.
struct LSTMState {
  Tensor h, c;  ///< [B, hidden] or [hidden]
};

/// One step of LSTM, torch.nn.LSTMCell.
class MINIMA_API LSTMCell : public ModuleOf<LSTMCell> {
 public:
  explicit LSTMCell(const RNNCellOptions& options);
  LSTMState forward(const Tensor& x, const LSTMState& state = {});
  void reset_parameters();

  RNNCellOptions options;
  Parameter weight_ih, weight_hh;  ///< [4·hidden, in] and [4·hidden, hidden]: gates i, f, g, o
  Parameter bias_ih, bias_hh;      ///< [4·hidden]
};

}  // namespace minima::nn
