#pragma once

#include <minima/tensor/tensor.h>

#include <optional>

namespace minima {

/// Table lookup: y[…, :] = weight[index[…], :] for weight [V, D] and int64 indices of any shape. Differentiable with
/// respect to weight, to any order; the gradients of repeated rows are summed in index order. `padding` is a row whose
/// gradient stays 0. Throws IndexError for an index outside [0, V).
MINIMA_API Tensor embedding(const Tensor& weight, const Tensor& index, std::optional<std::int64_t> padding = {});

/// 1 at the class, 0 elsewhere: int64 classes [d1, …] → int64 [d1, …, count]. A class out of range throws IndexError;
/// on CUDA it gives a row of zeros.
MINIMA_API Tensor one_hot(const Tensor& classes, std::int64_t count);

}  // namespace minima
