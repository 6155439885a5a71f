#pragma once

#include <torch/data/transforms/lambda.h>

namespace torch::data::transforms {

/// Turns a list of samples into a single one.
template <typename T, typename BatchType = std::vector<T>>
using Collation = BatchTransform<BatchType, T>;
template <typename T, typename BatchType = std::vector<T>>
using Collate = BatchLambda<BatchType, T>;

}  // namespace torch::data::transforms
