#include <minima/ops/pointwise/exponential.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/functors/error_functions.h>

#include <cmath>
#include <numbers>

namespace minima {

namespace functor = pointwise::functor;

namespace {

template <class Self, class F>
using Real = Unary<Self, F, full_floating, ResultType::floating>;

struct Erfinv : Real<Erfinv, functor::Erfinv> {
  static constexpr Traits traits{.name = "erfinv", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Output y) const { return g * (exp(square(y)) * 0.88622692545275801); }
};

struct Erfcx : Real<Erfcx, functor::Erfcx> {
  static constexpr Traits traits{.name = "erfcx"};
  Tensor gradient(Grad g, Input<0> given) const {
    // The difference cancels for large x, also in float32: there it is -erfcx(x)/x · (1 - 1/x² + 5/2x⁴ - …).
    const Tensor x = cast(given, DType::float64), y = erfcx(x), is_large = x > 100;
    const Tensor inverse = reciprocal(where(is_large, x, 1)), z = square(inverse);
    const Tensor far = -(y * inverse) * (1 - z * (1 - z * 2.5));
    return g * where(is_large, far, x * y * 2 - 2 * std::numbers::inv_sqrtpi);
  }
};

struct LogNdtr : Real<LogNdtr, functor::LogNdtr> {
  static constexpr Traits traits{.name = "log_ndtr"};
  Tensor gradient(Grad g, Input<0> x) const {
    return g * std::sqrt(2 * std::numbers::inv_pi) / erfcx(x * -std::sqrt(0.5));
  }
};

}  // namespace

Tensor erfinv(const Tensor& x) { return apply(Erfinv{}, x); }
Tensor erfcx(const Tensor& x) { return apply(Erfcx{}, x); }
Tensor log_ndtr(const Tensor& x) { return apply(LogNdtr{}, x); }

}  // namespace minima
