#include <core/random_stream.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace at::detail {

namespace m = minima;

namespace {

/// float64 for float64, float32 for other floating dtypes.
m::DType compute_dtype(m::DType dtype) { return dtype == m::float64 ? m::float64 : m::float32; }

/// A contiguous tensor of `shape`, filled by f(T* data, count) where T is float or double as dtype asks.
template <class F>
m::Tensor filled(const m::Shape& shape, m::DType dtype, const F& f) {
  m::Tensor result = m::empty(shape, {.dtype = compute_dtype(dtype)});
  if (result.dtype() == m::float64) f(result.data<double>(), result.numel());
  else f(result.data<float>(), result.numel());
  return dtype == result.dtype() ? result : result.to(dtype);
}

/// Makes eight pairs of normal numbers out of 16 uniform ones (Box and Muller 1958).
template <class T>
void box_muller(T* x, T mean, T deviation) {
  for (int i = 0; i < 8; ++i) {
    const T radius = std::sqrt(T(-2) * std::log(T(1) - x[i])), angle = T(2 * std::numbers::pi) * x[i + 8];
    x[i] = radius * std::cos(angle) * deviation + mean;
    x[i + 8] = radius * std::sin(angle) * deviation + mean;
  }
}

}  // namespace

void MersenneTwister::seed(std::uint32_t seed) {
  state_[0] = seed;
  for (std::uint32_t i = 1; i < size; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  next_ = size;
}

void MersenneTwister::refill() {
  constexpr std::size_t shift = 397;
  const auto twist = [&](std::size_t i, std::size_t after, std::size_t far) {
    const std::uint32_t joined = (state_[i] & 0x80000000u) | (state_[after] & 0x7fffffffu);
    state_[i] = state_[far] ^ (joined >> 1) ^ (0x9908b0dfu & -(joined & 1));
  };
  for (std::size_t i = 0; i < size - shift; ++i) twist(i, i + 1, i + shift);
  for (std::size_t i = size - shift; i < size - 1; ++i) twist(i, i + 1, i + shift - size);
  twist(size - 1, 0, shift - 1);
  for (std::size_t i = 0; i < size; ++i) {
    std::uint32_t y = state_[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    numbers_[i] = y ^ (y >> 18);
  }
  next_ = 0;
}

template <class T>
T RandomStream::draw_uniform(int digits) {
  if constexpr (std::is_same_v<T, double>)
    return static_cast<T>(random64() & ((std::uint64_t{1} << digits) - 1)) / static_cast<T>(std::uint64_t{1} << digits);
  else return static_cast<T>(random() & ((1u << digits) - 1)) / static_cast<T>(1u << digits);
}

double RandomStream::draw_normal() {
  if (next_normal_) return *std::exchange(next_normal_, std::nullopt);
  const double angle = 2 * std::numbers::pi * draw_uniform<double>();
  const double radius = std::sqrt(-2 * std::log1p(-draw_uniform<double>()));
  next_normal_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

m::Tensor RandomStream::uniform(const m::Shape& shape, m::DType dtype, double low, double high) {
  return filled(shape, dtype, [&]<class T>(T* x, std::int64_t count) {
    const T from = static_cast<T>(low), width = static_cast<T>(high) - from;
    const int digits = dtype == m::float16 ? 11 : dtype == m::bfloat16 ? 8 : std::numeric_limits<T>::digits;
    for (std::int64_t i = 0; i < count; ++i) x[i] = draw_uniform<T>(digits) * width + from;
  });
}

m::Tensor RandomStream::normal(const m::Shape& shape, m::DType dtype, double mean, double deviation, bool contiguous) {
  return filled(shape, dtype, [&]<class T>(T* x, std::int64_t count) {
    if (count < 16 || !contiguous) {
      for (std::int64_t i = 0; i < count; ++i) x[i] = static_cast<T>(draw_normal() * deviation + mean);
      return;
    }
    const auto make_normal = [&](T* block) { box_muller(block, static_cast<T>(mean), static_cast<T>(deviation)); };
    for (std::int64_t i = 0; i < count; ++i) x[i] = draw_uniform<T>();
    for (std::int64_t i = 0; i + 16 <= count; i += 16) make_normal(x + i);
    if (count % 16 == 0) return;
    // The last block overlaps the one before and is redrawn.
    for (std::int64_t i = count - 16; i < count; ++i) x[i] = draw_uniform<T>();
    make_normal(x + count - 16);
  });
}

m::Tensor RandomStream::exponential(const m::Shape& shape, m::DType dtype, double rate) {
  return filled(shape, dtype, [&]<class T>(T* x, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) x[i] = static_cast<T>(-std::log1p(-draw_uniform<double>()) / rate);
  });
}

m::Tensor RandomStream::integers(const m::Shape& shape, m::DType dtype, std::int64_t low, std::uint64_t count) {
  m::Tensor result = m::empty(shape, {.dtype = m::int64});
  std::int64_t* x = result.data<std::int64_t>();
  const bool wide = count == 0 || count >= std::uint64_t{1} << 28;
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    const std::uint64_t bits = wide ? random64() : random();
    x[i] = static_cast<std::int64_t>((count == 0 ? bits : bits % count) + static_cast<std::uint64_t>(low));
  }
  return dtype == m::int64 ? result : result.to(dtype);
}

m::Tensor RandomStream::bernoulli(const m::Shape& shape, m::DType dtype, double p) {
  // A uniform float64 has 53 bits and is below p if they are below p·2⁵³.
  constexpr std::uint64_t all = std::uint64_t{1} << 53;
  const auto limit = static_cast<std::uint64_t>(std::ceil(p * static_cast<double>(all)));
  const auto fill = [&]<class T>(T* x, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) x[i] = (random64() & (all - 1)) < limit ? 1 : 0;
  };
  return m::is_floating(dtype) ? filled(shape, dtype, fill) : filled(shape, m::float32, fill).to(dtype);
}

m::Tensor RandomStream::bernoulli(const m::Tensor& p) {
  const m::Tensor wide = m::contiguous(p.to(compute_dtype(p.dtype())));
  return filled(p.shape(), p.dtype(), [&]<class T>(T* x, std::int64_t count) {
    const T* probabilities = wide.data<T>();
    for (std::int64_t i = 0; i < count; ++i) x[i] = draw_uniform<T>() < probabilities[i] ? 1 : 0;
  });
}

double RandomStream::draw_gamma(double concentration) {
  if (concentration == 0) return 0;
  double scale = 1;
  if (concentration < 1) {
    scale = std::pow(1 - draw_uniform<double>(), 1 / concentration);
    concentration += 1;
  }
  const double d = concentration - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    double x, y;
    do {
      x = draw_normal();
      y = 1 + c * x;
    } while (y <= 0);
    const double v = y * y * y, u = 1 - draw_uniform<double>(), square = x * x;
    if (u < 1 - 0.0331 * square * square || std::log(u) < 0.5 * square + d * (1 - v + std::log(v)))
      return scale * d * v;
  }
}

m::Tensor RandomStream::gamma(const m::Tensor& concentration) {
  const m::Tensor wide = m::contiguous(concentration.to(m::float64));
  return filled(wide.shape(), m::float64, [&]<class T>(T* x, std::int64_t count) {
    const double* concentrations = wide.data<double>();
    for (std::int64_t i = 0; i < count; ++i) x[i] = static_cast<T>(draw_gamma(concentrations[i]));
  });
}

m::Tensor RandomStream::permutation(std::int64_t n, m::DType dtype) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const bool wide = n >= std::numeric_limits<std::uint32_t>::max() / 20;
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    const std::uint64_t step = (wide ? random64() : random()) % static_cast<std::uint64_t>(n - i);
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(i) + step]);
  }
  return m::from_vector(order, {n}).to(dtype);
}

}  // namespace at::detail
