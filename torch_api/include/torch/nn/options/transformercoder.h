#pragma once

#include <torch/arg.h>
#include <torch/nn/modules/container/any.h>
#include <torch/nn/modules/transformerlayer.h>
#include <torch/nn/options/transformerlayer.h>

#include <cstdint>
#include <utility>

namespace torch::nn {

// The layer is a template: the module holds num_layers clones of it.
#define MINIMA_TORCH_TRANSFORMER_CODER_OPTIONS(Name, Layer, layer)                                 \
  struct Name {                                                                                    \
    Name(Layer layer, int64_t num_layers) : layer##_(std::move(layer)), num_layers_(num_layers) {} \
    Name(const Layer##Options& options, int64_t num_layers) : Name(Layer(options), num_layers) {}  \
    TORCH_ARG(Layer, layer) = nullptr;                                                             \
    TORCH_ARG(int64_t, num_layers);                                                                \
    TORCH_ARG(AnyModule, norm);                                                                    \
  }

MINIMA_TORCH_TRANSFORMER_CODER_OPTIONS(TransformerEncoderOptions, TransformerEncoderLayer, encoder_layer);
MINIMA_TORCH_TRANSFORMER_CODER_OPTIONS(TransformerDecoderOptions, TransformerDecoderLayer, decoder_layer);

#undef MINIMA_TORCH_TRANSFORMER_CODER_OPTIONS

}
