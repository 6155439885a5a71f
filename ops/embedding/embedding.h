#pragma once

#include <minima/tensor/tensor.h>

#include <optional>

namespace minima {

/// Rows of a table: y[…, :] = weight[index[…], :] for weight [V, D] and int64 indices of any shape. Differentiable by
/// the weight, to any order; rows that were read several times add up in the order of the index. `padding` names a row
/// whose gradient stays 0. Throws IndexError for an index outside of [0, V).
MINIMA_API Tensor embedding(const Tensor& weight, const Tensor& index, std::optional<std::int64_t> padding = {});

}  // namespace minima
