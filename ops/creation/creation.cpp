#include <minima/ops/creation/creation.h>

#include <minima/ops/loops/lines/wrapping.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace minima {

Tensor full(const Shape& shape, Scalar value, TensorOptions options) {
  detail::check_number("full", value, options.dtype);
  Tensor result = empty(shape, options);
  fill_(result, value);
  return result;
}

Tensor zeros(const Shape& shape, TensorOptions options) { return full(shape, 0, options); }
Tensor ones(const Shape& shape, TensorOptions options) { return full(shape, 1, options); }

Tensor empty_like(const Tensor& x, InferredOptions options) {
  detail::check_defined("empty_like", x);
  return empty(Layout::dense_like(x.layout()), options.or_else({.dtype = x.dtype(), .device = x.device()}));
}

Tensor zeros_like(const Tensor& x, InferredOptions options) {
  detail::check_defined("zeros_like", x);
  Tensor result = empty_like(x, options);
  zero_(result);
  return result;
}

Tensor ones_like(const Tensor& x, InferredOptions options) {
  detail::check_defined("ones_like", x);
  Tensor result = empty_like(x, options);
  fill_(result, 1);
  return result;
}

Tensor full_like(const Tensor& x, Scalar value, InferredOptions options) {
  detail::check_defined("full_like", x);
  detail::check_number("full_like", value, options.dtype.value_or(x.dtype()));
  Tensor result = empty_like(x, options);
  fill_(result, value);
  return result;
}

namespace {

/// value(i) for i in 0 … count-1, in double or, for integers, exactly. The first and last values are the extremes.
template <class F>
Tensor generated(std::int64_t count, TensorOptions options, const char* op, F value) {
  for (const std::int64_t i : {std::int64_t{0}, count - 1})
    if (count > 0) detail::check_number(op, value(i), options.dtype);
  Tensor result = empty({count}, {.dtype = options.dtype});
  dispatch<numeric>(options.dtype, op, [&]<class T> {
    T* out = result.data<T>();
    for (std::int64_t i = 0; i < count; ++i) out[i] = Scalar(value(i)).template to<T>();
  });
  return result.to(options.device);
}

}  // namespace

Tensor arange(Scalar start, Scalar stop, Scalar step, InferredOptions inferred) {
  const double from = start.to<double>(), to = stop.to<double>(), by = step.to<double>();
  if (by == 0 || (to - from) / by < 0 || !std::isfinite((to - from) / by))
    throw ValueError(str("arange: a step of ", by, " does not lead from ", from, " to ", to));
  const bool exact = !start.is_floating() && !stop.is_floating() && !step.is_floating();
  const TensorOptions options = inferred.or_else({.dtype = exact ? DType::int64 : DType::float32});
  if (exact) {
    const auto first = start.to<std::int64_t>(), difference = step.to<std::int64_t>();
    const detail::Wide span = detail::Wide{stop.to<std::int64_t>()} - first;
    const std::int64_t count = detail::fit((span + difference - (difference > 0 ? 1 : -1)) / difference, "arange");
    return generated(count, options, "arange",
                     [&](std::int64_t i) { return wrapping::add(first, wrapping::multiply(i, difference)); });
  }
  const double count_or_more = std::ceil((to - from) / by);
  if (count_or_more >= 0x1p63) detail::throw_does_not_fit("arange", count_or_more);
  const auto count = static_cast<std::int64_t>(count_or_more);
  return generated(count, options, "arange", [&](std::int64_t i) { return from + static_cast<double>(i) * by; });
}

Tensor linspace(double start, double stop, std::int64_t count, TensorOptions options) {
  if (count < 0) throw ValueError(str("linspace: count must not be negative, got ", count));
  const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
  // Computed from both ends, so that the last value is exact; a single value is the first.
  return generated(count, options, "linspace", [&](std::int64_t i) {
    return i < std::max<std::int64_t>(count / 2, 1) ? start + static_cast<double>(i) * step
                                                    : stop - static_cast<double>(count - 1 - i) * step;
  });
}

Tensor logspace(double start, double stop, std::int64_t count, double base, TensorOptions options) {
  if (count < 0) throw ValueError(str("logspace: count must not be negative, got ", count));
  detail::expect_room(count, sizeof(double), "logspace");
  return pow(base, linspace(start, stop, count, {.dtype = DType::float64})).to(options.device, options.dtype);
}

Tensor logspace(double start, double stop, std::int64_t count, TensorOptions options) {
  return logspace(start, stop, count, 10, options);
}

Tensor eye(std::int64_t n, std::int64_t m, TensorOptions options) {
  if (n < 0 || m < -1) throw ValueError(str("eye: sizes must not be negative, got ", n, " and ", m));
  if (m < 0) m = n;
  Tensor result = zeros({n, m}, options);
  if (result.numel() == 0) return result;
  const Layout diagonal{{std::min(n, m)}, {m + 1}, 0};
  fill_(Tensor(new TensorImpl(result.impl()->storage, diagonal, result.dtype())), 1);
  return result;
}

}  // namespace minima
