#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/recurrent/packed_sequence.h>
#include <minima/ops/recurrent/recurrent.h>

#include <cstdint>

namespace minima::nn {

/// Holds the options of RNN, LSTM and GRU, with PyTorch's defaults.
struct RNNOptions {
  std::int64_t in = 0;      ///< features of the input, I
  std::int64_t hidden = 0;  ///< features of the state, H
  std::int64_t layers = 1;  ///< L, at most 65536
  bool bias = true;
  bool batch_first = false;     ///< inputs and outputs are [B, T, …] instead of [T, B, …]
  double dropout = 0;           ///< in training, on the output of each layer but the last
  bool bidirectional = false;   ///< D = 2 instead of 1
  bool relu = false;            ///< RNN only: relu instead of tanh
  std::int64_t projection = 0;  ///< LSTM only, if positive: the features P of the hidden state
};

/// An output over packed sequences, and the states [L·D, B, H] after each one's last step, in the batch's order.
struct PackedRecurrentResult {
  PackedSequence y;
  Tensor h;
};
/// The same for LSTM, with the final cell state.
struct PackedLstmResult {
  PackedSequence y;
  Tensor h, c;
};

/// Recurrent networks of several layers (ops/recurrent/recurrent.h has the formulas). Parameters have PyTorch's names
/// (weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse, weight_ih_l1, …) and are uniform on
/// ±1/√hidden. x is [T, B, in], [B, T, in] if batch_first, [T, in] without a batch, or packed sequences; an undefined
/// initial state means zeros.
///
/// torch.nn.RNN: h' = tanh(W x + b + U h + c), or relu.
class MINIMA_API RNN : public ModuleOf<RNN> {
 public:
  /// Throws ValueError unless in, hidden and layers are at least 1 and dropout is from 0 to 1.
  explicit RNN(const RNNOptions& options);
  RecurrentResult forward(const Tensor& x, const Tensor& h0 = {});
  PackedRecurrentResult forward(const PackedSequence& x, const Tensor& h0 = {});
  void reset_parameters();

  RNNOptions options;
};

/// torch.nn.GRU.
///   auto [y, h] = gru(x);
class MINIMA_API GRU : public ModuleOf<GRU> {
 public:
  explicit GRU(const RNNOptions& options);
  RecurrentResult forward(const Tensor& x, const Tensor& h0 = {});
  PackedRecurrentResult forward(const PackedSequence& x, const Tensor& h0 = {});
  void reset_parameters();

  RNNOptions options;
};

/// torch.nn.LSTM.
///   nn::LSTM lstm = child("lstm", nn::LSTM({.in = 128, .hidden = 256, .layers = 2}));
///   auto [y, h, c] = lstm(x);
class MINIMA_API LSTM : public ModuleOf<LSTM> {
 public:
  explicit LSTM(const RNNOptions& options);
  LstmResult forward(const Tensor& x, const Tensor& h0 = {}, const Tensor& c0 = {});
  PackedLstmResult forward(const PackedSequence& x, const Tensor& h0 = {}, const Tensor& c0 = {});
  void reset_parameters();

  RNNOptions options;
};

}  // namespace minima::nn
