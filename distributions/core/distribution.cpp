#include <minima/distributions/core/distribution.h>

#include <minima/autograd/mode.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace minima::distributions {

Distribution::Distribution(Shape batch_shape, Shape event_shape)
    : batch_shape_(std::move(batch_shape)), event_shape_(std::move(event_shape)) {}

Distribution::~Distribution() = default;

void Distribution::refuse(const char* what) const {
  throw ValueError(str(name(), " has no ", what, "; estimate it from samples"));
}

Tensor Distribution::sample(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  return draw(detail::joined(shape, detail::joined(batch_shape_, event_shape_)), generator);
}

Tensor Distribution::rsample(const Shape& shape, RandomGenerator* generator) const {
  if (!has_rsample())
    throw ValueError(str(name(), "::rsample: its draws are no differentiable function of the parameters; use ",
                         "sample() and the gradient of log_prob() (the score function)"));
  return draw(detail::joined(shape, detail::joined(batch_shape_, event_shape_)), generator);
}

Tensor Distribution::stddev() const { return sqrt(variance()); }
Tensor Distribution::entropy() const { refuse("formula for its entropy"); }
Tensor Distribution::mean() const { refuse("mean"); }
Tensor Distribution::variance() const { refuse("variance"); }
Tensor Distribution::cdf(const Tensor&) const { refuse("formula for its cdf"); }
Tensor Distribution::icdf(const Tensor&) const { refuse("formula for its icdf"); }

namespace detail {

std::vector<Tensor> broadcast_arguments(const char* name, const std::vector<Argument>& arguments) {
  TensorOptions options;
  for (const Argument& argument : arguments) {
    if (!argument.tensor().defined()) continue;
    if (!is_floating(argument.tensor().dtype()))
      throw DTypeError(str(name, ": parameters must be floating, got ", argument.tensor(), "; convert it with to()"));
    options = options_of(argument.tensor());
    break;
  }
  std::vector<Tensor> tensors;
  for (const Argument& argument : arguments) {
    const Tensor& tensor = argument.tensor();
    tensors.push_back(tensor.defined() ? tensor : scalar_tensor(argument.number(), options));
    if (tensors.back().dtype() != options.dtype)
      throw DTypeError(str(name, ": parameters must have one dtype, got ", tensors.front(), " and ", tensors.back()));
  }
  return broadcast_tensors(tensors);
}

namespace {

bool may_check(const Tensor& x) { return x.device() == Device::cpu() && x.numel() > 0; }

}  // namespace

void expect_positive(const char* name, const char* parameter, const Tensor& x) {
  const NoGrad constant;
  if (may_check(x) && !all(x > 0).item<bool>())
    throw ValueError(
        str(name, ": ", parameter, " must be positive, but its least element is ", amin(x).item<double>()));
}

void expect_real(const char* name, const char* parameter, const Tensor& x) {
  const NoGrad constant;
  if (may_check(x) && any(isnan(x)).item<bool>())
    throw ValueError(str(name, ": ", parameter, " has elements that are nan"));
}

void expect_nonnegative(const char* name, const char* parameter, const Tensor& x) {
  const NoGrad constant;
  if (may_check(x) && !all(x >= 0).item<bool>())
    throw ValueError(
        str(name, ": ", parameter, " must not be negative, but its least element is ", amin(x).item<double>()));
}

void expect_probabilities(const char* name, const Tensor& probs) {
  const NoGrad constant;
  if (may_check(probs) && !all((probs >= 0) & (probs <= 1)).item<bool>())
    throw ValueError(str(name, ": probs must be in [0, 1], but reach from ", amin(probs).item<double>(), " to ",
                         amax(probs).item<double>(), "; pass unnormalised values as logits"));
}

const Tensor& given(const char* name, const ProbsOrLogits& options) {
  if (options.probs.defined() == options.logits.defined())
    throw ValueError(str(name, ": pass either probs or logits: `", name, "({.logits = x})`"));
  const Tensor& tensor = options.probs.defined() ? options.probs : options.logits;
  if (!is_floating(tensor.dtype()))
    throw DTypeError(str(name, ": probs and logits must be floating, got ", tensor, "; convert it with to()"));
  return tensor;
}

namespace {

struct Limits {
  double epsilon, smallest, least, largest;  ///< smallest normal number, and least positive one that kernels keep
};

Limits limits_of(DType dtype) {
  switch (dtype) {
    case DType::float64: return {0x1p-52, 0x1p-1022, 0x1p-1022, std::numeric_limits<double>::max()};
    case DType::float16: return {0x1p-10, 0x1p-14, 0x1p-24, 65504};
    case DType::bfloat16: return {0x1p-7, 0x1p-126, 0x1p-126, 0x1.fep127};
    default: return {0x1p-23, 0x1p-126, 0x1p-126, std::numeric_limits<float>::max()};
  }
}

}  // namespace

double smallest_normal(DType dtype) { return limits_of(dtype).smallest; }
double epsilon_of(DType dtype) { return limits_of(dtype).epsilon; }

Tensor open_uniform(const Shape& shape, const Tensor& parameter, RandomGenerator* generator) {
  TensorOptions options = options_of(parameter);
  if (is_half(options.dtype)) options.dtype = DType::float32;
  return clamp_min(rand(shape, options, generator), limits_of(options.dtype).epsilon / 4);
}

Tensor rounded_draw(const Tensor& x, DType dtype) {
  const double largest = limits_of(dtype).largest;
  return clamp(x, -largest, largest).to(dtype);
}

Tensor positive_draw(const Tensor& x, DType dtype) {
  const Limits limits = limits_of(dtype);
  return clamp(x, limits.least, limits.largest).to(dtype);
}

Tensor clamp_probs(const Tensor& probs) {
  const double epsilon = limits_of(probs.dtype()).epsilon;
  return clamp(probs, epsilon, 1 - epsilon);
}

Tensor open_unit(const Tensor& x) {
  const Limits limits = limits_of(x.dtype());
  return clamp(x, limits.smallest, 1 - limits.epsilon);
}

Tensor within(const Tensor& supported, const Tensor& value, double inside) { return where(supported, value, inside); }

Tensor is_count(const Tensor& value) {
  return (value >= 0) & (value < std::numeric_limits<double>::infinity()) & (floor(value) == value);
}

Tensor on_simplex(const Tensor& value, const Tensor& parameter) {
  const double epsilon = std::max(limits_of(value.dtype()).epsilon, limits_of(parameter.dtype()).epsilon);
  const double rounding = static_cast<double>(value.size(-1)) * epsilon;
  return all(value >= 0, {-1}) & (abs(sum(value, {-1}) - 1) <= std::max(1e-6, rounding));
}

Tensor counts_within(const Tensor& supported, const Tensor& value, const Tensor& parameter) {
  return within(supported, is_floating(value.dtype()) ? value : value.to(parameter.dtype()), 0);
}

Tensor log_or_impossible(const Tensor& x) {
  const Tensor possible = x != 0;
  return minus_infinity_outside(possible, log(where(possible, x, 1)));
}

Tensor weighted(const Tensor& weights, const Tensor& x) {
  return weights * where((weights == 0) & logical_not(isfinite(x)), 0, x);
}

Tensor minus_infinity_outside(const Tensor& supported, const Tensor& density) {
  return where(supported, density, -std::numeric_limits<double>::infinity());
}

Tensor log1p_square(const Tensor& x) {
  const Tensor size = abs(x), is_large = size > 1e4, large = where(is_large, size, 1e4);
  return where(is_large, 2 * log(large) + square(reciprocal(large)), log1p(square(where(is_large, 0, x))));
}

TensorOptions options_of(const Tensor& parameter) { return {.dtype = parameter.dtype(), .device = parameter.device()}; }

Shape joined(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (const std::int64_t size : b) shape.push_back(size);
  return shape;
}

Tensor sum_rightmost(const Tensor& x, int count) {
  if (count == 0) return x;
  Shape dims;
  for (int dim = -count; dim < 0; ++dim) dims.push_back(dim);
  return sum(x, dims);
}

}  // namespace detail

}  // namespace minima::distributions
