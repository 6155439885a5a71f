#pragma once

#include <minima/nn/attention/kv_cache.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

namespace minima::models {

/// The keys and values of all layers of a language model during generation: one cache for each.
using KVCaches = std::vector<nn::KVCache>;

struct GenerateOptions {
  std::int64_t new_tokens = 50;  ///< at most
  double temperature = 0;  ///< 0 takes the likeliest token; otherwise tokens are drawn by softmax(logits / temperature)
  std::int64_t top_k = 0;  ///< draw from the k likeliest tokens; 0 means all
  double top_p = 1;        ///< draw from the likeliest tokens that together have at least this probability
  std::int64_t end = -1;   ///< a row that has this token gets no others; generation ends when all rows have it
  RandomGenerator* generator = nullptr;  ///< for drawing; null means the default one
};

/// A prompt [B, T] and what a language model adds to it, int64 [B, T + new_tokens] or less. `next(tokens)` gives the
/// logits [B, V] of the token after `tokens` [B, t]: first the prompt, then one token of each row, so it must remember
/// the ones before. Records nothing. Throws ShapeError for an empty prompt or one of another rank, and ValueError for
/// negative new_tokens, temperature or top_k, or top_p outside (0, 1].
MINIMA_API Tensor generate(const Tensor& prompt, const Function<Tensor(const Tensor& tokens)>& next,
                           const GenerateOptions& options = {});

}  // namespace minima::models
