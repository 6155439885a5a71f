#pragma once

#include <torch/arg.h>
#include <torch/types.h>

namespace torch::nn {

struct DropoutOptions {
  DropoutOptions(double p = 0.5) : p_(p) {}
  TORCH_ARG(double, p);
  TORCH_ARG(bool, inplace) = false;
};

using Dropout2dOptions = DropoutOptions;
using Dropout3dOptions = DropoutOptions;
using AlphaDropoutOptions = DropoutOptions;
using FeatureAlphaDropoutOptions = DropoutOptions;

namespace functional {

#define MINIMA_TORCH_DROPOUT_FUNC_OPTIONS(Name, training_by_default) \
  struct Name {                                                      \
    TORCH_ARG(double, p) = 0.5;                                      \
    TORCH_ARG(bool, training) = training_by_default;                 \
    TORCH_ARG(bool, inplace) = false;                                \
  }

MINIMA_TORCH_DROPOUT_FUNC_OPTIONS(DropoutFuncOptions, true);
MINIMA_TORCH_DROPOUT_FUNC_OPTIONS(AlphaDropoutFuncOptions, false);
MINIMA_TORCH_DROPOUT_FUNC_OPTIONS(FeatureAlphaDropoutFuncOptions, false);

#undef MINIMA_TORCH_DROPOUT_FUNC_OPTIONS

using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;

}

}
