#include <minima/ops/core/unobserved.h>
#include <minima/ops/index/nonzero.h>

#include <minima/ops/op.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/tensor/layout/checked.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

std::vector<Tensor> unravel_index(const Tensor& places, const Shape& shape) {
  constexpr const char* op = "unravel_index";
  detail::check_defined(op, places);
  if (!is_integer(places.dtype()))
    throw DTypeError(str(op, ": needs integers, got ", places, "; convert them with to()"));
  for (const std::int64_t size : shape)
    if (size < 0) throw ShapeError(str(op, ": sizes must not be negative, got ", shape));
  const std::int64_t count = detail::checked_numel(shape, op);
  Tensor rest = places.to(DType::int64);
  if (!detail::on_cuda(rest) && detail::unobserved([&] { return any((rest < 0) | (rest >= count)).item<bool>(); }))
    throw IndexError(str(op, ": places must be between 0 and ", count - 1, " for the shape ", shape));
  std::vector<Tensor> coordinates(static_cast<std::size_t>(shape.rank()));
  for (int dim = shape.rank() - 1; dim >= 0; --dim) {
    auto& own = coordinates[static_cast<std::size_t>(dim)];
    own = dim == 0 ? rest : remainder(rest, shape[dim]);
    if (dim > 0) rest = floor_divide(rest, shape[dim]);
  }
  return coordinates;
}

}  // namespace minima
