#pragma once

#include <torch/arg.h>
#include <torch/enum.h>
#include <torch/types.h>

#include <cstdint>
#include <variant>

namespace torch::nn {

#define MINIMA_TORCH_RNN_SIZES(Options)                                                                    \
  Options(int64_t input_size, int64_t hidden_size) : input_size_(input_size), hidden_size_(hidden_size) {} \
  TORCH_ARG(int64_t, input_size);                                                                          \
  TORCH_ARG(int64_t, hidden_size)

#define MINIMA_TORCH_RNN_LAYERS         \
  TORCH_ARG(int64_t, num_layers) = 1;   \
  TORCH_ARG(bool, bias) = true;         \
  TORCH_ARG(bool, batch_first) = false; \
  TORCH_ARG(double, dropout) = 0;       \
  TORCH_ARG(bool, bidirectional) = false

struct RNNOptions {
  using nonlinearity_t = std::variant<enumtype::kTanh, enumtype::kReLU>;
  MINIMA_TORCH_RNN_SIZES(RNNOptions);
  MINIMA_TORCH_RNN_LAYERS;
  TORCH_ARG(nonlinearity_t, nonlinearity) = torch::kTanh;
};

struct LSTMOptions {
  MINIMA_TORCH_RNN_SIZES(LSTMOptions);
  MINIMA_TORCH_RNN_LAYERS;
  TORCH_ARG(int64_t, proj_size) = 0;
};

struct GRUOptions {
  MINIMA_TORCH_RNN_SIZES(GRUOptions);
  MINIMA_TORCH_RNN_LAYERS;
};

struct RNNCellOptions {
  using nonlinearity_t = std::variant<enumtype::kTanh, enumtype::kReLU>;
  MINIMA_TORCH_RNN_SIZES(RNNCellOptions);
  TORCH_ARG(bool, bias) = true;
  TORCH_ARG(nonlinearity_t, nonlinearity) = torch::kTanh;
};

struct LSTMCellOptions {
  MINIMA_TORCH_RNN_SIZES(LSTMCellOptions);
  TORCH_ARG(bool, bias) = true;
};

struct GRUCellOptions {
  MINIMA_TORCH_RNN_SIZES(GRUCellOptions);
  TORCH_ARG(bool, bias) = true;
};

namespace detail {

// The three recurrent modules keep these.
struct RNNOptionsBase {
  using rnn_options_base_mode_t =
      std::variant<enumtype::kLSTM, enumtype::kGRU, enumtype::kRNN_TANH, enumtype::kRNN_RELU>;
  RNNOptionsBase(rnn_options_base_mode_t mode, int64_t input_size, int64_t hidden_size)
      : mode_(mode), input_size_(input_size), hidden_size_(hidden_size) {}
  TORCH_ARG(rnn_options_base_mode_t, mode);
  TORCH_ARG(int64_t, input_size);
  TORCH_ARG(int64_t, hidden_size);
  MINIMA_TORCH_RNN_LAYERS;
  TORCH_ARG(int64_t, proj_size) = 0;
};

struct RNNCellOptionsBase {
  RNNCellOptionsBase(int64_t input_size, int64_t hidden_size, bool bias, int64_t num_chunks)
      : input_size_(input_size), hidden_size_(hidden_size), bias_(bias), num_chunks_(num_chunks) {}
  TORCH_ARG(int64_t, input_size);
  TORCH_ARG(int64_t, hidden_size);
  TORCH_ARG(bool, bias);
  TORCH_ARG(int64_t, num_chunks);
};

}

#undef MINIMA_TORCH_RNN_LAYERS
#undef MINIMA_TORCH_RNN_SIZES

}
