#pragma once

#include <torch/arg.h>
#include <torch/enum.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <variant>

namespace torch::nn {

using activation_t = std::variant<enumtype::kReLU, enumtype::kGELU, std::function<Tensor(const Tensor&)>>;

#define MINIMA_TORCH_TRANSFORMER_LAYER_OPTIONS(Options)                           \
  struct Options {                                                                \
    Options(int64_t d_model, int64_t nhead) : d_model_(d_model), nhead_(nhead) {} \
    TORCH_ARG(int64_t, d_model);                                                  \
    TORCH_ARG(int64_t, nhead);                                                    \
    TORCH_ARG(int64_t, dim_feedforward) = 2048;                                   \
    TORCH_ARG(double, dropout) = 0.1;                                             \
    TORCH_ARG(activation_t, activation) = torch::kReLU;                           \
  }

MINIMA_TORCH_TRANSFORMER_LAYER_OPTIONS(TransformerEncoderLayerOptions);
MINIMA_TORCH_TRANSFORMER_LAYER_OPTIONS(TransformerDecoderLayerOptions);

#undef MINIMA_TORCH_TRANSFORMER_LAYER_OPTIONS

}
