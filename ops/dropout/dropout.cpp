#include <minima/ops/dropout/dropout.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/dropout/dropout_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/philox_state.h>

#include <cmath>
#include <cstdint>

namespace minima {

namespace {

struct Dropout {
  static constexpr Traits traits{.name = "dropout"};
  double p;
  PhiloxState start;

  TensorSpec result(const Tensor& x) const {
    if (!is_floating(x.dtype()))
      throw DTypeError(str("dropout: needs a floating tensor, got ", x, "; convert it with to()"));
    return spec_like(x);
  }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = count, .bytes = 2 * count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const {
    detail::dropout_kernel_cpu(x, 1 - p, p < 1 ? 1 / (1 - p) : 0, start, y);
  }
  void cuda(const Tensor& x, Tensor& y) const {
    detail::dropout_kernel_cuda(x, 1 - p, p < 1 ? 1 / (1 - p) : 0, start, y);
  }
  Tensor gradient(Grad g) const { return apply(*this, g); }
};

void check_probability(const char* op, double p) {
  if (!(p >= 0 && p <= 1)) throw ValueError(str(op, ": p must be from 0 to 1, got ", p));
}

void check_floating(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
}

/// One decision per element of `shape`, which broadcasts with x.
Tensor alpha_dropped(const Tensor& x, double p, const Shape& shape, RandomGenerator* generator) {
  constexpr double limit = -1.7580993408473766;
  const TensorOptions options{.dtype = x.dtype(), .device = x.device()};
  const Tensor kept = dropout(ones(shape, options), p, true, generator) > 0;
  const double scale = p < 1 ? 1 / std::sqrt((1 - p) * (1 + p * limit * limit)) : 0;
  const DType wide = is_half(x.dtype()) ? DType::float32 : x.dtype();
  const Tensor dropped = full({}, limit, {.dtype = wide, .device = x.device()});
  return cast(where(kept, cast(x, wide), dropped) * scale - scale * limit * p, x.dtype());
}

}  // namespace

Tensor dropout(const Tensor& x, double p, bool training, RandomGenerator* generator) {
  check_probability("dropout", p);
  if (!training || p == 0) {
    if (!x.defined()) throw ValueError("dropout: argument 0 is undefined");
    return x;
  }
  RandomGenerator& source = generator ? *generator : default_generator();
  const auto elements = x.defined() ? static_cast<std::uint64_t>(x.numel()) : 0;
  const bool draws = p < 1 && x.defined() && is_floating(x.dtype());
  return detail::dropout_from(x, p, draws ? reserve_philox(source, (elements + 3) / 4, x.device()) : PhiloxState());
}

Tensor detail::dropout_from(const Tensor& x, double p, PhiloxState start) { return apply(Dropout{p, start}, x); }

Tensor feature_dropout(const Tensor& x, double p, bool training, RandomGenerator* generator) {
  check_probability("feature_dropout", p);
  check_floating("feature_dropout", x);
  if (!training || p == 0 || x.numel() == 0) return x;
  if (x.rank() < 2) throw ShapeError(str("feature_dropout: x must be [N, C, …], got ", x));
  Shape shape = Shape::filled(x.rank(), 1);
  shape[0] = x.shape()[0];
  shape[1] = x.shape()[1];
  return x * dropout(ones(shape, {.dtype = x.dtype(), .device = x.device()}), p, true, generator);
}

Tensor alpha_dropout(const Tensor& x, double p, bool training, RandomGenerator* generator) {
  check_probability("alpha_dropout", p);
  check_floating("alpha_dropout", x);
  return !training || p == 0 ? x : alpha_dropped(x, p, x.shape(), generator);
}

Tensor feature_alpha_dropout(const Tensor& x, double p, bool training, RandomGenerator* generator) {
  check_probability("feature_alpha_dropout", p);
  check_floating("feature_alpha_dropout", x);
  if (!training || p == 0 || x.numel() == 0) return x;
  if (x.rank() < 2) throw ShapeError(str("feature_alpha_dropout: x must be [N, C, …], got ", x));
  Shape shape = Shape::filled(x.rank(), 1);
  shape[0] = x.shape()[0];
  shape[1] = x.shape()[1];
  return alpha_dropped(x, p, shape, generator);
}

}  // namespace minima
