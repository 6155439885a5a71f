#include <torch/nn/functional/dropout.h>

#include <minima/ops/dropout/dropout.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <cmath>

#include "support.h"

namespace torch::nn::functional {

namespace {

struct Kind {
  bool channels;  ///< drops whole channels
  bool alpha;     ///< keeps mean and variance of selu's outputs
};

minima::Tensor dropped_by_minima(const minima::Tensor& x, double p, Kind kind) {
  if (kind.alpha) return kind.channels ? minima::feature_alpha_dropout(x, p) : minima::alpha_dropout(x, p);
  return kind.channels ? minima::feature_dropout(x, p) : minima::dropout(x, p);
}

/// x · noise + shift, with a noise of the numbers that LibTorch draws on a CPU: losses are then its own from the seed
/// on. Drawn in row-major order, whatever that of x.
minima::Tensor dropped_by_noise(const minima::Tensor& x, double p, Kind kind) {
  minima::Shape shape = x.shape();
  if (kind.channels) {
    TORCH_CHECK(x.rank() >= 2, "Feature dropout requires at least 2 dimensions in the input");
    for (int d = 2; d < x.rank(); ++d) shape[d] = 1;
  }
  const Tensor kept = at::empty(shape, Tensor(x).options()).bernoulli_(1 - p);
  if (!kind.alpha) return x * (kept.native() / (1 - p));
  constexpr double selu_limit = 1.7580993408473766;  // selu(-∞) = -selu_limit
  const double scale = 1 / std::sqrt((selu_limit * selu_limit * p + 1) * (1 - p));
  return x * (kept.native() * scale) + ((kept.native() - 1) * (selu_limit * scale) + selu_limit * scale * p);
}

template <class Options>
Tensor drop(Tensor& input, const Options& options, Kind kind) {
  const double p = options.p();
  TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  const minima::Tensor& all = input;
  if (!options.training() || p == 0 || all.numel() == 0) return input;
  return transformed(input, options.inplace(), [&](const minima::Tensor& x) {
    return x.device().is_cpu() && p < 1 ? dropped_by_noise(x, p, kind) : dropped_by_minima(x, p, kind);
  });
}

/// Drops channels of an input with `batched` dimensions; any other is one sample.
Tensor drop_channels(Tensor& input, const DropoutFuncOptions& options, int batched) {
  if (input.dim() == batched || !options.training()) return drop(input, options, {.channels = true, .alpha = false});
  Tensor batch = minima::unsqueeze(input, 0);
  const Tensor result = drop(batch, options, {.channels = true, .alpha = false});
  return options.inplace() ? input : Tensor(minima::squeeze(result, 0));
}

}

Tensor dropout(Tensor input, const DropoutFuncOptions& options) {
  return drop(input, options, {.channels = false, .alpha = false});
}

Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options) { return drop_channels(input, options, 4); }

Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options) { return drop_channels(input, options, 5); }

Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options) {
  return drop(input, options, {.channels = false, .alpha = true});
}

Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions& options) {
  return drop(input, options, {.channels = true, .alpha = true});
}

}
