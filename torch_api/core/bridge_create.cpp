#include <core/bridge.h>

#include <algorithm>
#include <cmath>

namespace at::bridge {

namespace m = minima;

MT no_zero_tensor() { TORCH_CHECK(false, "ZeroTensor is not serializable, nor supported here: use zeros()"); }

MT full(const Shape& size, const Scalar& value, const TensorOptions& options) {
  const ScalarType inferred = value.isFloatingPoint() ? get_default_dtype_as_scalartype()
                              : value.isComplex()     ? get_default_complex_dtype().toScalarType()
                                                      : value.type();
  const m::TensorOptions own = options.native().or_else({.dtype = native(inferred)});
  if (!value.isComplex()) return m::full(size, value.native(), own);
  const MT made = m::empty(size, own);
  m::copy_(made, scalar_like(value, made));
  return made;
}

MT arange(Number start, Number stop, Number step, minima::InferredOptions options) {
  TORCH_CHECK(step.to<double>() != 0, "step must be nonzero");
  TORCH_CHECK(
      (step.to<double>() > 0) == (stop.to<double>() >= start.to<double>()) || start.to<double>() == stop.to<double>(),
      "upper bound and lower bound inconsistent with step sign");
  const bool is_floating = start.is_floating() || stop.is_floating() || step.is_floating();
  if (!options.dtype && is_floating) options.dtype = native(get_default_dtype_as_scalartype());
  return m::arange(start, stop, step, options);
}

MT range(Number start, Number stop, Number step, minima::TensorOptions options) {
  const double first = start.to<double>(), by = step.to<double>();
  TORCH_CHECK(by != 0, "step must be nonzero");
  TORCH_CHECK((stop.to<double>() - first) / by >= 0, "upper bound and lower bound inconsistent with step sign");
  const auto count = static_cast<std::int64_t>((stop.to<double>() - first) / by) + 1;
  return m::add(m::mul(m::arange(count, {.device = options.device}).to(m::float64), by), first).to(options.dtype);
}

MT binomial(const MT& count, const MT& probability, const std::optional<Generator>& generator) {
  const Shape shape = m::broadcast(count.shape(), probability.shape(), "binomial");
  const auto most = count.numel() == 0 ? 0 : m::max(count).item<std::int64_t>();
  const MT successes = m::zeros(shape, {.dtype = count.dtype(), .device = count.device()});
  for (std::int64_t trial = 0; trial < most; ++trial) {
    const MT drawn = rand(shape, {.dtype = m::float64, .device = count.device()}, generator);
    m::add_(successes, m::logical_and(m::lt(drawn, probability), m::gt(count, trial)).to(count.dtype()));
  }
  return successes;
}

}  // namespace at::bridge
