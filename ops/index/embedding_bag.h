#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

enum class BagMode : std::uint8_t { mean, sum, max };
struct EmbeddingBagOptions {
  BagMode mode = BagMode::mean;
  Tensor sample_weights = {};        ///< a factor per index, for `sum` only; undefined means 1
  bool include_last_offset = false;  ///< the last offset is the end of the last bag
  std::int64_t padding_index = -1;   ///< the row to skip, below V; -1 for none
};
/// The mean, sum or maximum of the rows of weight [V, D] in each bag of int64 indices: bags are the rows of [B, N], or
/// a vector [N] cut at `offsets` (int64 [B], the first is 0); [B, D], 0 for empty bags. `embedding` followed by a
/// reduction: needs memory for all rows. Differentiable to any order; equal maxima share the gradient, which in PyTorch
/// goes to the first. Throws IndexError for an index out of range.
MINIMA_API Tensor embedding_bag(const Tensor& weight, const Tensor& index, const Tensor& offsets = {},
                                const EmbeddingBagOptions& options = {});

}  // namespace minima
