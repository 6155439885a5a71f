#include <minima/ops/creation/creation.h>
#include <minima/ops/fft/stft.h>
#include <minima/ops/op.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace minima {

namespace {

/// value(k / N), where N is n for periodic windows, else n - 1.
template <class F>
Tensor window_of(const char* op, std::int64_t n, bool periodic, TensorOptions options, F value) {
  if (n < 0) throw ValueError(str(op, ": n must not be negative, got ", n));
  if (!is_floating(options.dtype)) throw DTypeError(str(op, ": needs a floating dtype, got ", options.dtype));
  detail::expect_room(n, sizeof(double), op);
  const double whole = static_cast<double>(periodic ? n : n - 1);
  std::vector<double> values(static_cast<std::size_t>(n), 1);
  for (std::size_t k = 0; n > 1 && k < values.size(); ++k) values[k] = value(static_cast<double>(k) / whole);
  return from_vector(values, {n}, options.device).to(options.dtype);
}

double cosine(double turns) { return std::cos(2 * std::numbers::pi * turns); }

/// Σ (x/2)^2k / k!², which converges for every x.
double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= x / 2 / k * (x / 2 / k);
    sum += term;
  }
  return sum;
}

}  // namespace

Tensor hann_window(std::int64_t n, bool periodic, TensorOptions options) {
  return window_of("hann_window", n, periodic, options, [](double at) { return 0.5 - 0.5 * cosine(at); });
}

Tensor hamming_window(std::int64_t n, bool periodic, double alpha, double beta, TensorOptions options) {
  return window_of("hamming_window", n, periodic, options, [=](double at) { return alpha - beta * cosine(at); });
}

Tensor blackman_window(std::int64_t n, bool periodic, TensorOptions options) {
  return window_of("blackman_window", n, periodic, options,
                   [](double at) { return 0.42 - 0.5 * cosine(at) + 0.08 * cosine(2 * at); });
}

Tensor bartlett_window(std::int64_t n, bool periodic, TensorOptions options) {
  return window_of("bartlett_window", n, periodic, options, [](double at) { return 1 - std::fabs(2 * at - 1); });
}

Tensor kaiser_window(std::int64_t n, bool periodic, double beta, TensorOptions options) {
  return window_of("kaiser_window", n, periodic, options, [=](double at) {
    const double middle = 2 * at - 1;
    return bessel_i0(beta * std::sqrt(std::max(0.0, 1 - middle * middle))) / bessel_i0(beta);
  });
}

}  // namespace minima
