#pragma once

#include <torch/core/functions.h>

namespace torch::utils {

using at::flatten_dense_tensors;
using at::unflatten_dense_tensors;

}  // namespace torch::utils
