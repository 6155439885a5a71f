#pragma once

#include <minima/models/language/generate.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace minima::models {

/// Draws the next token of each row from logits, by the options' temperature, top_k, top_p, min_p and
/// repetition_penalty. Cuts select instead of sorting, so a step takes time linear in the vocabulary.
///   models::Sampler sampler({.temperature = 0.8, .top_p = 0.9, .seeds = {1, 2}}, 2);
///   std::vector<std::int64_t> tokens = sampler.choose(logits);   // logits [2, V]
/// At top_p's border equally likely tokens with the smallest numbers are kept; at top_k's, the ones that minima::topk
/// takes.
class MINIMA_API Sampler {
 public:
  /// Throws ValueError for options out of range, and unless there are no seeds or one for each row.
  Sampler(const GenerateOptions& options, std::int64_t rows);

  /// Tells the penalty which tokens row `row` holds. `choose` adds what it draws.
  void note(std::int64_t row, std::span<const std::int64_t> tokens);
  /// A token for each row of logits [rows, V]; rows that `skip` marks get -1 and draw no number. Throws ValueError for
  /// a row with NaN or positive infinity, or without a token above -infinity.
  std::vector<std::int64_t> choose(const Tensor& logits, const std::vector<bool>& skip = {});

 private:
  Tensor penalized(const Tensor& logits);
  double uniform(std::int64_t row);

  GenerateOptions options_;
  std::int64_t rows_;
  std::int64_t draws_ = 0;
  std::vector<std::uint64_t> offsets_;           ///< of the rows' own random numbers
  std::vector<std::vector<std::int64_t>> news_;  ///< noted tokens that `seen_` lacks
  Tensor seen_;                                  ///< bool [rows, V]
};

namespace detail {

/// Throws ValueError for sampling options out of range.
void check_sampling(const GenerateOptions& options);

/// Draws an index in proportion to `p` from those that top_p and min_p leave, by u in [0, 1).
std::int64_t draw(std::span<const float> p, double top_p, double min_p, double u);

}  // namespace detail

}  // namespace minima::models
