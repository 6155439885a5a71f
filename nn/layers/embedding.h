#pragma once

#include <minima/nn/module/module.h>

#include <optional>

namespace minima::nn {

struct EmbeddingOptions {
  std::int64_t count = 0;                    ///< rows V
  std::int64_t dim = 0;                      ///< columns D
  std::optional<std::int64_t> padding = {};  ///< a row that is initialised to 0 and gets no gradient
};

/// Rows of a learned table: index [...] of int64 → [..., D], torch.nn.Embedding. The weight is initialised from N(0,
/// 1).
///   nn::Embedding({.count = 50257, .dim = 768})
class MINIMA_API Embedding : public Module {
 public:
  /// Throws ValueError for sizes below 1 or a padding row out of range.
  explicit Embedding(const EmbeddingOptions& options);
  Tensor forward(const Tensor& index) override;
  void reset_parameters();

  EmbeddingOptions options;
  Parameter weight;  ///< [V, D]
};

}  // namespace minima::nn
