#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

struct DropoutOptions {
  double p = 0.5;  ///< probability that an element is dropped
};

/// In training mode, zeroes each element with probability p and scales the rest by 1 / (1 - p); in evaluation mode,
/// returns x itself. torch.nn.Dropout.
class MINIMA_API Dropout : public Module {
 public:
  /// Throws ValueError unless 0 ≤ p ≤ 1.
  explicit Dropout(DropoutOptions options = {});
  Tensor forward(const Tensor& x) override;
  DropoutOptions options;
};

/// Drops whole channels of x [N, C, …], torch.nn.Dropout2d.
class MINIMA_API FeatureDropout : public Module {
 public:
  explicit FeatureDropout(DropoutOptions options = {});
  Tensor forward(const Tensor& x) override;
  DropoutOptions options;
};

using Dropout1d = FeatureDropout;
using Dropout2d = FeatureDropout;
using Dropout3d = FeatureDropout;

/// Dropout that preserves mean and variance, for SELU networks, torch.nn.AlphaDropout.
class MINIMA_API AlphaDropout : public Module {
 public:
  explicit AlphaDropout(DropoutOptions options = {});
  Tensor forward(const Tensor& x) override;
  DropoutOptions options;
};

/// AlphaDropout of whole channels of x [N, C, …], torch.nn.FeatureAlphaDropout.
class MINIMA_API FeatureAlphaDropout : public Module {
 public:
  explicit FeatureAlphaDropout(DropoutOptions options = {});
  Tensor forward(const Tensor& x) override;
  DropoutOptions options;
};

}  // namespace minima::nn
