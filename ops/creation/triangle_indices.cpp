#include <minima/ops/creation/creation.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/index/nonzero.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstdint>

namespace minima {

namespace {

/// The coordinates where `inside` is true of a matrix's columns minus its rows.
template <class Inside>
Tensor triangle(const char* op, std::int64_t rows, std::int64_t columns, InferredOptions options,
                const Inside& inside) {
  if (rows < 0 || columns < 0) throw ValueError(str(op, ": sizes must not be negative, got ", rows, " and ", columns));
  detail::checked_numel({rows, columns}, op);
  const TensorOptions wanted = options.or_else({.dtype = DType::int64}),
                      whole{.dtype = DType::int64, .device = wanted.device};
  detail::check_number(op, std::max<std::int64_t>({rows, columns, 1}) - 1, wanted.dtype);
  detail::expect_room(std::max(rows, columns), sizeof(std::int64_t), op);
  const Tensor distance = unsqueeze(arange(0, columns, 1, whole), 0) - unsqueeze(arange(0, rows, 1, whole), 1);
  return cast(contiguous(transpose(nonzero(inside(distance)), 0, 1)), wanted.dtype);
}

}  // namespace

Tensor tril_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset, InferredOptions options) {
  return triangle("tril_indices", rows, columns, options, [&](const Tensor& distance) { return distance <= offset; });
}
Tensor triu_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset, InferredOptions options) {
  return triangle("triu_indices", rows, columns, options, [&](const Tensor& distance) { return distance >= offset; });
}

}  // namespace minima
