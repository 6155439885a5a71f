#pragma once

#include <minima/nn/attention/kv_cache.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minima::models {

/// The keys and values of all layers of a language model during generation: one cache for each.
using KVCaches = std::vector<nn::KVCache>;

/// How tokens are drawn, when a text ends, and what generation may cost. What the sampling options do happens in
/// `transformers`' order: the penalty, the temperature, top_k, top_p of what is left, min_p.
struct GenerateOptions {
  std::int64_t new_tokens = 50;  ///< at most
  double temperature = 0;  ///< 0 takes the likeliest token; otherwise tokens are drawn by softmax(logits / temperature)
  std::int64_t top_k = 0;  ///< draw from the k likeliest tokens; 0 means all
  double top_p = 1;        ///< draw from the likeliest tokens that together have at least this probability
  double min_p = 0;        ///< draw from tokens at least this many times as likely as the likeliest one
  /// Divides positive logits of tokens that the row holds already, its prompt included, and multiplies negative ones
  /// (Keskar et al. 2019, "CTRL"). 1 changes nothing.
  double repetition_penalty = 1;
  std::int64_t end = -1;  ///< a row that has this token gets no others; generation ends when all rows have it
  RandomGenerator* generator = nullptr;  ///< for drawing; null means the default one
  /// A seed for each row, in place of `generator`: a row's draws then do not depend on the other rows.
  std::vector<std::uint64_t> seeds = {};
  std::vector<std::int64_t> stop_tokens = {};  ///< they end a row like `end`
  std::vector<std::string> stop = {};          ///< so does a new text that contains one of these strings; needs `text`
  /// The bytes of a token; needed for `stop` and for Generation::piece.
  Function<std::string(std::int64_t token)> text = {};
  std::int64_t chunk = 512;   ///< prompts are computed in parts of this many positions, which bounds the memory
  std::int64_t capacity = 0;  ///< of the cache, in positions; 0 means the longest prompt and new_tokens
  std::optional<DType> cache_dtype = {};  ///< of the cached keys and values; the model's by default
  std::int64_t max_cache_bytes = 0;       ///< a larger cache is an error before it is made; 0 means no limit
};

/// A prompt [B, T] and what a language model adds to it, int64 [B, T + new_tokens] or less. `next(tokens)` gives the
/// logits [B, V] of the token after `tokens` [B, t]: first the prompt, then one token of each row, so it must remember
/// the ones before; `chunk` and the options of caches have no effect. Rows that have ended are filled with `end`, or
/// without one with the token that ended them. Records nothing. Throws ShapeError for an empty prompt or one of another
/// rank, and ValueError for options out of range and for logits that hold NaN or infinity. Generation takes prompts of
/// several lengths, and hands out tokens as they come.
MINIMA_API Tensor generate(const Tensor& prompt, const Function<Tensor(const Tensor& tokens)>& next,
                           const GenerateOptions& options = {});

/// A language model as generation sees it; GPT2::causal and Llama::causal make one, and so may others.
struct CausalModel {
  /// The logits [B, V] of the token after `tokens` [B, t], which follow those that the caches hold. Without layers the
  /// caches are empty, and the function remembers by itself.
  Function<Tensor(const Tensor& tokens, KVCaches& caches)> next;
  const char* name = "generate";  ///< for errors
  std::int64_t vocabulary = 0;    ///< 0: unknown
  std::int64_t positions = 0;     ///< the longest text; 0: no limit
  std::int64_t layers = 0;
  std::int64_t cache_width = 0;  ///< numbers that a layer keeps of one position: keys and values of all heads
  DType dtype = DType::float32;
  Device device = {};

  MINIMA_API KVCaches caches(std::int64_t capacity, std::optional<DType> cache_dtype) const;
};

/// The prompt [B, T] and what the model adds to it, by one Generation.
MINIMA_API Tensor generate(const CausalModel& model, const Tensor& prompt, const GenerateOptions& options = {});

}  // namespace minima::models
