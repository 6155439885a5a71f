#include <minima/distributions/continuous/standard_gamma.h>

#include <minima/autograd/hooks.h>
#include <minima/autograd/mode.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace minima::distributions::detail {

namespace {

constexpr TensorOptions double_on(Device device) { return {.dtype = DType::float64, .device = device}; }

/// Marsaglia and Tsang 2000 for vectors; concentrations below 1 draw with one more and multiply by U^(1/c).
Tensor draw_logarithms(const Tensor& concentration, RandomGenerator* generator) {
  const NoGrad constant;
  const TensorOptions options = double_on(concentration.device());
  const Tensor valid = (concentration > 0) & isfinite(concentration);
  const Tensor c = where(valid, concentration, 1), small = c < 1;
  const Tensor d = where(small, c + 1, c) - 1. / 3;
  Tensor result = empty(c.shape(), options);
  Tensor missing = arange(c.numel(), {.device = options.device});
  while (missing.numel() > 0) {
    const Tensor shift = index_select(d, 0, missing), x = randn(missing.shape(), options, generator);
    const Tensor log_u = log1p(neg(rand(missing.shape(), options, generator)));
    const Tensor root = 1 + x * rsqrt(9 * shift), cube = root * square(root);
    const Tensor log_cube = 3 * log(clamp_min(root, 1e-300));
    const Tensor taken = (root > 0) & (log_u < 0.5 * square(x) + shift * (1 - cube + log_cube));
    index_put_(result, {masked_select(missing, taken)}, masked_select(log(shift) + log_cube, taken));
    missing = masked_select(missing, logical_not(taken));
  }
  const Tensor log_u = log1p(neg(rand(c.shape(), options, generator)));
  return where(valid, where(small, result + log_u / c, result), std::nan(""));
}

/// Nodes and weights of Gauss and Legendre's quadrature on [0, 1].
struct Quadrature {
  static constexpr int size = 32;
  std::vector<double> nodes, weights;
};

Quadrature gauss_legendre() {
  constexpr int n = Quadrature::size;
  Quadrature rule;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 0;
    for (int step = 0; step < 8; ++step) {
      double before = 1, value = x;
      for (int k = 2; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      slope = n * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    rule.nodes.push_back((1 - x) / 2);
    rule.weights.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

/// For x ≤ 2, from F = xᶜ / Γ(c) · Σ (-x)ᵏ / (k! (c + k)). The part of ψ(c) that cancels for small c is cancelled.
Tensor by_series(const Tensor& c, const Tensor& log_x) {
  constexpr int terms = 26;
  const Tensor x = exp(log_x), minus_x = neg(x);
  Tensor power = ones_like(x), sum = reciprocal(c), rest = zeros_like(x);
  for (int k = 1; k <= terms; ++k) {
    power = power * minus_x / k;
    const Tensor term = power / (c + k);
    sum = sum + term;
    rest = rest + term * k / (c * (c + k));
  }
  return neg(exp(x)) * ((log_x - digamma(c + 1)) * sum + rest);
}

/// For x ≥ 2: ∫ (log t - ψ(c)) density(t) dt over the side of x where the integrand has one sign, t = x·exp(±s). The
/// interval ends where the density has fallen by e⁻⁴⁰.
Tensor by_quadrature(const Tensor& c, const Tensor& log_x) {
  static const Quadrature rule = gauss_legendre();
  const Tensor x = exp(log_x), distance = log_x - digamma(c);
  Tensor side, length;
  {
    const NoGrad constant;
    const Tensor is_right = distance >= 0;
    side = where(is_right, 1, -1).to(DType::float64);
    const Tensor right = 80 / (x - c + sqrt(square(x - c) + 80 * x));
    const Tensor slope = 40 - 2 * (c - x);
    const Tensor left = (slope + sqrt(square(slope) + 320 * c)) / (2 * c);
    length = where(is_right, right, left);
  }
  const Tensor nodes = from_vector(rule.nodes, {Quadrature::size, 1}, x.device());
  const Tensor weights = from_vector(rule.weights, {Quadrature::size, 1}, x.device());
  const Tensor s = length * nodes, signed_s = side * s;
  const Tensor density = exp(c * signed_s - x * expm1(signed_s));
  return sum(weights * density * (s + side * distance), 0) * length;
}

/// log_x as a differentiable function of the concentration.
Tensor reparametrised(const Tensor& concentration, const Tensor& log_x) {
  if (!is_grad_enabled() || !concentration.requires_grad()) return log_x;
  const Tensor zero = concentration - concentration.detach();
  register_hook(zero, [concentration, log_x](const Tensor& gradient) {
    return gradient * log_gamma_derivative(concentration, reparametrised(concentration, log_x));
  });
  return log_x + zero;
}

}  // namespace

Tensor log_gamma_derivative(const Tensor& concentration, const Tensor& log_x) {
  constexpr std::int64_t block = 65536;  // bounds the memory of the quadrature
  std::vector<Tensor> parts;
  const std::int64_t count = concentration.numel();
  for (std::int64_t start = 0; start < count; start += block) {
    const std::int64_t stop = start + block < count ? start + block : count;
    const Tensor c = slice(concentration, 0, start, stop), y = slice(log_x, 0, start, stop);
    const double edge = std::numbers::ln2;
    parts.push_back(where(y <= edge, by_series(c, minimum(y, edge)), by_quadrature(c, maximum(y, edge))));
  }
  return parts.empty() ? zeros_like(concentration) : cat(parts);
}

Tensor log_standard_gamma(const Tensor& concentration, RandomGenerator* generator) {
  const Tensor flat = reshape(concentration, {-1}).to(DType::float64);
  return reshape(reparametrised(flat, draw_logarithms(flat.detach(), generator)), concentration.shape());
}

}  // namespace minima::distributions::detail
