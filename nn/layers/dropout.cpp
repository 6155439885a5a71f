#include <minima/nn/layers/dropout.h>

#include <minima/ops/dropout/dropout.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::nn {

namespace {

DropoutOptions checked(const char* layer, DropoutOptions options) {
  if (!(options.p >= 0 && options.p <= 1)) throw ValueError(str(layer, ": p must be between 0 and 1, not ", options.p));
  return options;
}

}  // namespace

Dropout::Dropout(DropoutOptions given) : options(checked("Dropout", given)) {}
FeatureDropout::FeatureDropout(DropoutOptions given) : options(checked("FeatureDropout", given)) {}
AlphaDropout::AlphaDropout(DropoutOptions given) : options(checked("AlphaDropout", given)) {}
FeatureAlphaDropout::FeatureAlphaDropout(DropoutOptions given) : options(checked("FeatureAlphaDropout", given)) {}

Tensor Dropout::forward(const Tensor& x) { return dropout(x, options.p, is_training()); }
Tensor FeatureDropout::forward(const Tensor& x) { return feature_dropout(x, options.p, is_training()); }
Tensor AlphaDropout::forward(const Tensor& x) { return alpha_dropout(x, options.p, is_training()); }
Tensor FeatureAlphaDropout::forward(const Tensor& x) { return feature_alpha_dropout(x, options.p, is_training()); }

}  // namespace minima::nn
