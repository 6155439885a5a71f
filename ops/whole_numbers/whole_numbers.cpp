#include <minima/ops/whole_numbers/whole_numbers.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/elementwise/elementwise.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/whole_numbers/functors.h>

#include <cstdint>
#include <utility>

namespace minima {

namespace functor = pointwise::functor;

namespace {

struct Gcd : Binary<Gcd, functor::Gcd, integers> {
  static constexpr Traits traits{.name = "gcd"};
};
struct Lcm : Binary<Lcm, functor::Lcm, integers> {
  static constexpr Traits traits{.name = "lcm"};
};
struct FrexpExponent : Unary<FrexpExponent, functor::FrexpExponent, full_floating> {
  static constexpr Traits traits{.name = "frexp"};
};
struct FrexpMantissa : Unary<FrexpMantissa, functor::FrexpMantissa, full_floating> {
  static constexpr Traits traits{.name = "frexp"};
  Tensor gradient(Grad g, Input<0> x) const { return ldexp(g, -apply(FrexpExponent{}, x)); }
};

}  // namespace

Tensor gcd(const Tensor& a, const Tensor& b) { return apply(Gcd{}, a, b); }
Tensor lcm(const Tensor& a, const Tensor& b) { return apply(Lcm{}, a, b); }

MantissaExponent frexp(const Tensor& x) {
  Tensor mantissa = apply(FrexpMantissa{}, x);
  return {std::move(mantissa), cast(apply(FrexpExponent{}, x), DType::int32)};
}

std::vector<Tensor> unravel_index(const Tensor& places, const Shape& shape) {
  constexpr const char* op = "unravel_index";
  detail::check_defined(op, places);
  if (!is_integer(places.dtype()))
    throw DTypeError(str(op, ": needs integers, got ", places, "; convert them with to()"));
  for (const std::int64_t size : shape)
    if (size < 0) throw ShapeError(str(op, ": sizes must not be negative, got ", shape));
  const std::int64_t count = numel(shape);
  Tensor rest = places.to(DType::int64);
  if (!detail::on_cuda(rest) && any((rest < 0) | (rest >= count)).item<bool>())
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
