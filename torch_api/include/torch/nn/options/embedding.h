#pragma once

#include <torch/arg.h>
#include <torch/enum.h>
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <variant>

namespace torch::nn {

using EmbeddingBagMode = std::variant<enumtype::kSum, enumtype::kMean, enumtype::kMax>;

#define MINIMA_TORCH_TABLE_SIZE(Options)                                  \
  Options(int64_t num_embeddings, int64_t embedding_dim)                  \
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {} \
  TORCH_ARG(int64_t, num_embeddings);                                     \
  TORCH_ARG(int64_t, embedding_dim);                                      \
  TORCH_ARG(Tensor, _weight)

// Options of every lookup.
#define MINIMA_TORCH_LOOKUP                                      \
  TORCH_ARG(std::optional<int64_t>, padding_idx) = std::nullopt; \
  TORCH_ARG(std::optional<double>, max_norm) = std::nullopt;     \
  TORCH_ARG(double, norm_type) = 2;                              \
  TORCH_ARG(bool, scale_grad_by_freq) = false;                   \
  TORCH_ARG(bool, sparse) = false

#define MINIMA_TORCH_BAG                            \
  MINIMA_TORCH_LOOKUP;                              \
  TORCH_ARG(EmbeddingBagMode, mode) = torch::kMean; \
  TORCH_ARG(bool, include_last_offset) = false

struct EmbeddingOptions {
  MINIMA_TORCH_TABLE_SIZE(EmbeddingOptions);
  MINIMA_TORCH_LOOKUP;
};

struct EmbeddingFromPretrainedOptions {
  TORCH_ARG(bool, freeze) = true;
  MINIMA_TORCH_LOOKUP;
};

struct EmbeddingBagOptions {
  MINIMA_TORCH_TABLE_SIZE(EmbeddingBagOptions);
  MINIMA_TORCH_BAG;
};

struct EmbeddingBagFromPretrainedOptions {
  TORCH_ARG(bool, freeze) = true;
  MINIMA_TORCH_BAG;
};

namespace functional {

struct EmbeddingFuncOptions {
  MINIMA_TORCH_LOOKUP;
};

struct EmbeddingBagFuncOptions {
  TORCH_ARG(Tensor, offsets);
  TORCH_ARG(Tensor, per_sample_weights);
  MINIMA_TORCH_BAG;
};

}

#undef MINIMA_TORCH_BAG
#undef MINIMA_TORCH_LOOKUP
#undef MINIMA_TORCH_TABLE_SIZE

}
