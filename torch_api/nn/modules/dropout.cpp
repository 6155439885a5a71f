#include <torch/nn/modules/dropout.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/dropout.h>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

void check_options(const DropoutOptions& options) {
  TORCH_CHECK(options.p() >= 0 && options.p() <= 1, "dropout probability has to be between 0 and 1, but got ",
              options.p());
}

#define DEFINE_DROPOUT(NAME, FUNCTION, OPTIONS, INPLACE)                                             \
  Tensor NAME##Impl::forward(const Tensor& input) {                                                  \
    return F::FUNCTION(input, F::OPTIONS().p(options.p()).training(is_training()).inplace(INPLACE)); \
  }                                                                                                  \
  void NAME##Impl::pretty_print(std::ostream& stream) const {                                        \
    LayerPrinter(stream, #NAME)("p", options.p())("inplace", options.inplace());                     \
  }

DEFINE_DROPOUT(Dropout, dropout, DropoutFuncOptions, options.inplace())
DEFINE_DROPOUT(Dropout2d, dropout2d, Dropout2dFuncOptions, options.inplace())
DEFINE_DROPOUT(Dropout3d, dropout3d, Dropout3dFuncOptions, options.inplace())
// As in LibTorch, these two never work in place.
DEFINE_DROPOUT(AlphaDropout, alpha_dropout, AlphaDropoutFuncOptions, false)
DEFINE_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout, FeatureAlphaDropoutFuncOptions, false)

#undef DEFINE_DROPOUT

}  // namespace torch::nn
