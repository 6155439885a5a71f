#include <minima/nn/init/init.h>

#include <minima/autograd/mode.h>
#include <minima/nn/init/skip.h>
#include <minima/nn/module/deferred.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/creation/random_range.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>

namespace minima::nn::init {

double calculate_gain(Nonlinearity nonlinearity, double negative_slope) {
  minima::detail::check_number("calculate_gain", "negative_slope", negative_slope, minima::detail::from_to(-1e6, 1e6));
  switch (nonlinearity) {
    case Nonlinearity::tanh: return 5.0 / 3;
    case Nonlinearity::relu: return std::sqrt(2.0);
    case Nonlinearity::leaky_relu: return std::sqrt(2 / (1 + negative_slope * negative_slope));
    case Nonlinearity::selu: return 0.75;
    case Nonlinearity::linear:
    case Nonlinearity::sigmoid: break;
  }
  return 1;
}

Fans fans(const Tensor& weight) {
  if (!weight.defined() || weight.rank() < 2)
    throw ShapeError(str("init: fan in and fan out need a weight of rank 2 or more, not ", weight));
  double field = 1;
  for (int i = 2; i < weight.rank(); ++i) field *= static_cast<double>(weight.shape()[i]);
  return {static_cast<double>(weight.size(1)) * field, static_cast<double>(weight.size(0)) * field};
}

const Tensor& constant_(const Tensor& x, double value) {
  const NoGrad guard;
  if (!detail::is_to_defer(x)) return fill_(x, value);
  fill_(empty({0}, {.dtype = x.dtype()}), value);  // checks the value
  return detail::defer(x, str("constant ", value),
                       [value](const Tensor& out, std::int64_t, RandomGenerator::Position) { fill_(out, value); });
}

const Tensor& ones_(const Tensor& x) { return constant_(x, 1); }
const Tensor& zeros_(const Tensor& x) { return constant_(x, 0); }

const Tensor& uniform_(const Tensor& x, double low, double high, RandomGenerator* generator) {
  if (Skip::is_on()) return x;
  const NoGrad guard;
  if (!detail::is_to_defer(x)) return minima::uniform_(x, low, high, generator);
  minima::uniform_(empty({0}, {.dtype = x.dtype()}), low, high);  // checks the bounds
  return detail::defer(
      x, str("uniform from ", low, " to ", high),
      [low, high](const Tensor& out, std::int64_t begin, RandomGenerator::Position start) {
        minima::detail::draw_uniform_range(out, begin, start, low, high);
      },
      generator, minima::detail::random_counters(x.dtype(), x.numel()));
}

const Tensor& normal_(const Tensor& x, double mean, double std, RandomGenerator* generator) {
  if (Skip::is_on()) return x;
  const NoGrad guard;
  if (!detail::is_to_defer(x)) return minima::normal_(x, mean, std, generator);
  minima::normal_(empty({0}, {.dtype = x.dtype()}), mean, std);  // checks the parameters
  return detail::defer(
      x, str("normal with mean ", mean, " and standard deviation ", std),
      [mean, std](const Tensor& out, std::int64_t begin, RandomGenerator::Position start) {
        minima::detail::draw_normal_range(out, begin, start, mean, std);
      },
      generator, minima::detail::random_counters(x.dtype(), x.numel()));
}

const Tensor& xavier_uniform_(const Tensor& x, double gain, RandomGenerator* generator) {
  const auto [in, out] = fans(x);
  const double bound = gain * std::sqrt(6 / (in + out));
  return init::uniform_(x, -bound, bound, generator);
}

const Tensor& xavier_normal_(const Tensor& x, double gain, RandomGenerator* generator) {
  const auto [in, out] = fans(x);
  return init::normal_(x, 0, gain * std::sqrt(2 / (in + out)), generator);
}

namespace {

/// The standard deviation that preserves the variance of activations (fan in) or gradients (fan out) across layers.
double kaiming_std(const Tensor& x, const Kaiming& options) {
  const auto [in, out] = fans(x);
  return calculate_gain(options.nonlinearity, options.negative_slope) / std::sqrt(options.mode == Fan::in ? in : out);
}

}  // namespace

const Tensor& kaiming_uniform_(const Tensor& x, Kaiming options, RandomGenerator* generator) {
  const double bound = std::sqrt(3.0) * kaiming_std(x, options);
  if (x.numel() > 0) init::uniform_(x, -bound, bound, generator);
  return x;
}

const Tensor& kaiming_normal_(const Tensor& x, Kaiming options, RandomGenerator* generator) {
  const double std = kaiming_std(x, options);
  if (x.numel() > 0) init::normal_(x, 0, std, generator);
  return x;
}

}  // namespace minima::nn::init
