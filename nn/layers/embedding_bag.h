#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/index/embedding_bag.h>

#include <optional>

// Sums, means and maxima of rows of a learned table. Included on its own, not by minima.h.

namespace minima::nn {

struct EmbeddingBagLayerOptions {
  std::int64_t count = 0;  ///< rows V
  std::int64_t dim = 0;    ///< columns D
  BagMode mode = BagMode::mean;
  bool include_last_offset = false;          ///< the last offset is the end of the last bag
  std::optional<std::int64_t> padding = {};  ///< a row that is initialised to 0 and that bags skip
};
/// embedding_bag of a learned table, torch.nn.EmbeddingBag: index [B, N], or [N] with offsets [B] → [B, D]. The weight
/// is initialised from N(0, 1).
class MINIMA_API EmbeddingBag : public ModuleOf<EmbeddingBag> {
 public:
  /// Throws ValueError for sizes below 1 or a padding row out of range.
  explicit EmbeddingBag(const EmbeddingBagLayerOptions& options);
  Tensor forward(const Tensor& index, const Tensor& offsets = {}, const Tensor& sample_weights = {});
  void reset_parameters();

  EmbeddingBagLayerOptions options;
  Parameter weight;  ///< [V, D]
};

}  // namespace minima::nn
