#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace minima {

/// The weights of one layer in one direction. The rows of G·H are blocks of H: one for a plain network, those of lstm's
/// gates i, f, g, o, or of gru's r, z, n.
struct RecurrentWeights {
  Tensor w_ih;       ///< [G·H, I], by the input
  Tensor w_hh;       ///< [G·H, H], by the hidden state; [4·H, P] with a projection
  Tensor b_ih = {};  ///< [G·H], or undefined
  Tensor b_hh = {};  ///< [G·H], or undefined
  Tensor w_hr = {};  ///< [P, H]: lstm's projection of the hidden state (Sak et al. 2014), or undefined
};

struct RecurrentOptions {
  bool batch_first = false;              ///< x and y are [B, T, …] instead of [T, B, …]
  bool bidirectional = false;            ///< each layer also reads its input from the end to the start
  double dropout = 0;                    ///< on the output of each layer but the last; pass 0 in evaluation
  RandomGenerator* generator = nullptr;  ///< for dropout; null means the default one
  /// Packed sequences (ops/recurrent/packed_sequence.h): x is [ΣB, I], and step t has batch_sizes[t] of its rows,
  /// never more than the step before.
  std::span<const std::int64_t> batch_sizes = {};
};

struct RecurrentResult {
  Tensor y;  ///< the last layer's output at each step: [T, B, D·H], or [ΣB, D·H] if packed
  Tensor h;  ///< each layer's state after its last step: [L·D, B, H]
};
struct LstmResult {
  Tensor y;  ///< [T, B, D·P], where P is H without a projection
  Tensor h;  ///< [L·D, B, P]
  Tensor c;  ///< [L·D, B, H]
};

// Recurrent networks of L layers in D directions (2 if bidirectional, else 1), with PyTorch's definitions. x [T, B, I]
// or, without a batch, [T, I], which gives results without a batch, too. The initial state has the shape of the final
// one; undefined means zeros. `weights` holds layer 0 forward, layer 0 backward if bidirectional, layer 1 …; layer l >
// 0 takes an input of D·H (D·P) features. All share one floating dtype; half types on a CPU compute a layer in float32.
// The inputs of all steps are multiplied in one product, and saved for the gradient are the gates. On a GPU cuDNN
// computes several steps, unless deterministic(true) is set. Differentiable to any order. Throws ShapeError, DTypeError
// or ValueError if sizes, dtypes or options do not fit.

/// h' = tanh(W x + b + U h + c).
MINIMA_API RecurrentResult rnn_tanh(const Tensor& x, const Tensor& h0, std::span<const RecurrentWeights> weights,
                                    const RecurrentOptions& options = {});
/// h' = relu(W x + b + U h + c).
MINIMA_API RecurrentResult rnn_relu(const Tensor& x, const Tensor& h0, std::span<const RecurrentWeights> weights,
                                    const RecurrentOptions& options = {});
/// h' = (1 - z)·n + z·h with n = tanh(Wₙx + bₙ + r·(Uₙh + cₙ)) and gates r, z = σ(W x + b + U h + c) (Cho et al. 2014).
MINIMA_API RecurrentResult gru(const Tensor& x, const Tensor& h0, std::span<const RecurrentWeights> weights,
                               const RecurrentOptions& options = {});
/// c' = σ(f)·c + σ(i)·tanh(g) and h' = σ(o)·tanh(c') with i, f, g, o = W x + b + U h + c (Hochreiter & Schmidhuber
/// 1997).
///   auto [y, h, c] = lstm(x, {}, {}, {{w_ih, w_hh, b_ih, b_hh}});
MINIMA_API LstmResult lstm(const Tensor& x, const Tensor& h0, const Tensor& c0,
                           std::span<const RecurrentWeights> weights, const RecurrentOptions& options = {});

}  // namespace minima
