#pragma once

#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// Recurrent networks as the simulated cuDNN sees them, and their arithmetic: plain loops over steps in float64.

struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int> dims{}, strides{};
};

struct cudnnRNNStruct {
  cudnnRNNMode_t mode = CUDNN_LSTM;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  bool biased = true;
  std::int64_t directions = 1, in = 0, hidden = 0, projection = 0, layers = 0;  ///< 0 layers: not set
  std::uint32_t flags = 0;

  std::int64_t gates() const { return mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1; }
  bool is_projected() const { return projection != hidden; }
  std::int64_t pseudo_layers() const { return layers * directions; }
  /// The width of the input of a pseudo-layer.
  std::int64_t inputs(std::int64_t pseudo_layer) const {
    return pseudo_layer < directions ? in : directions * projection;
  }
  /// The place of a matrix or bias in the weight space, in elements. Ids below gates() are by the input, the next
  /// gates() by the state, and the last is the projection. All matrices come first, then all biases.
  std::int64_t matrix(std::int64_t pseudo_layer, std::int64_t id) const;
  std::int64_t bias(std::int64_t pseudo_layer, std::int64_t id) const;
  std::int64_t weights() const { return bias(pseudo_layers(), 0); }
};

struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  std::int64_t longest = 0, width = 0;
  std::vector<std::int64_t> lengths{};

  std::int64_t batch() const { return static_cast<std::int64_t>(lengths.size()); }
  /// The number of vectors in memory.
  std::int64_t rows() const;
  /// The vector of a sequence at a time.
  std::int64_t row(std::int64_t time, std::int64_t sequence) const;
};

namespace simulated {

using Numbers = std::vector<double>;

/// A network's calls share this. `data` describes x.
struct RnnProblem {
  cudnnRNNStruct network;
  cudnnRNNDataStruct data;

  std::size_t reserve_numbers() const;
  double flops() const;  ///< of the products of the forward pass
};

struct RnnStates {
  Numbers h, c;  ///< [pseudo-layer, sequence, width]; c is empty except for lstm
};
/// Replaces the states by the last ones and fills `reserve`. Returns y.
Numbers rnn_forward(const RnnProblem& problem, const Numbers& x, const Numbers& weights, RnnStates& states,
                    Numbers& reserve);
/// Replaces the gradients of the last states by those of the first ones. Returns that of x; the gates' go to `reserve`.
Numbers rnn_backward_data(const RnnProblem& problem, const Numbers& dy, const Numbers& weights,
                          const RnnStates& initial, RnnStates& gradients, Numbers& reserve);
/// The gradients of the weights, from what rnn_backward_data left in `reserve`.
Numbers rnn_backward_weights(const RnnProblem& problem, const Numbers& x, const RnnStates& initial,
                             const Numbers& reserve);

}  // namespace simulated
