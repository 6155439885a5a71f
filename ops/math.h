#pragma once

#include <minima/ops/math_cpu.h>

#include <type_traits>

#ifdef __CUDA_ARCH__
#include <cmath>
#endif

// The mathematics that pointwise functors are written in, for float and double, on both devices. On the CPU loops of
// them vectorise; on CUDA they are the device functions. All treat ±0, infinities, NaN, subnormal numbers, overflow and
// underflow as the C library does. How exact each is: ops/math_accuracy.h.

namespace minima::math {

template <class T> inline constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double>;

#ifdef __CUDA_ARCH__
#define MINIMA_MATH_CALL(on_cpu, on_cuda) return on_cuda
#else
#define MINIMA_MATH_CALL(on_cpu, on_cuda) return on_cpu
#endif

/// eˣ
template <class T> requires is_real<T> MINIMA_MATH T exp(T x) { MINIMA_MATH_CALL(cpu::exp(x), ::exp(x)); }
/// eˣ - 1, exact near 0
template <class T> requires is_real<T> MINIMA_MATH T expm1(T x) { MINIMA_MATH_CALL(cpu::expm1(x), ::expm1(x)); }
/// Natural logarithm; -inf at 0, NaN below.
template <class T> requires is_real<T> MINIMA_MATH T log(T x) { MINIMA_MATH_CALL(cpu::log(x), ::log(x)); }
/// log(1 + x), exact near 0
template <class T> requires is_real<T> MINIMA_MATH T log1p(T x) { MINIMA_MATH_CALL(cpu::log1p(x), ::log1p(x)); }
template <class T> requires is_real<T> MINIMA_MATH T tanh(T x) { MINIMA_MATH_CALL(cpu::tanh(x), ::tanh(x)); }
/// 1 / (1 + e⁻ˣ), with full relative precision on both sides
template <class T> requires is_real<T> MINIMA_MATH T sigmoid(T x) {
  MINIMA_MATH_CALL(cpu::sigmoid(x), (x < 0 ? ::exp(x) : T(1)) / (1 + ::exp(-::fabs(x))));
}
/// The error function 2/√π ∫₀ˣ exp(-t²) dt
template <class T> requires is_real<T> MINIMA_MATH T erf(T x) { MINIMA_MATH_CALL(cpu::erf(x), ::erf(x)); }
/// The C library's; its loops stay scalar on the CPU.
template <class T> requires is_real<T> MINIMA_MATH T sin(T x) { MINIMA_MATH_CALL(cpu::sin(x), ::sin(x)); }
template <class T> requires is_real<T> MINIMA_MATH T cos(T x) { MINIMA_MATH_CALL(cpu::cos(x), ::cos(x)); }
/// xʸ, the C library's; its loops stay scalar on the CPU.
template <class T> requires is_real<T> MINIMA_MATH T pow(T x, T y) { MINIMA_MATH_CALL(cpu::pow(x, y), ::pow(x, y)); }
template <class T> requires is_real<T> MINIMA_MATH T sqrt(T x) { MINIMA_MATH_CALL(cpu::sqrt(x), ::sqrt(x)); }
/// 1 / √x
template <class T> requires is_real<T> MINIMA_MATH T rsqrt(T x) { MINIMA_MATH_CALL(1 / cpu::sqrt(x), ::rsqrt(x)); }
/// Rounds down.
template <class T> requires is_real<T> MINIMA_MATH T floor(T x) { MINIMA_MATH_CALL(cpu::floor(x), ::floor(x)); }
/// Rounds to the nearest integer, halves to the even one (as PyTorch and NumPy).
template <class T> requires is_real<T> MINIMA_MATH T round(T x) { MINIMA_MATH_CALL(cpu::rint(x), ::rint(x)); }
/// a·b + c, rounded once where the hardware can, else twice.
template <class T> requires is_real<T> MINIMA_MATH T fma(T a, T b, T c) {
  MINIMA_MATH_CALL(cpu::fma(a, b, c), ::fma(a, b, c));
}

#undef MINIMA_MATH_CALL

/// condition ? a : b with both computed, which is what vectorises.
template <class T> MINIMA_MATH T select(bool condition, T a, T b) { return condition ? a : b; }
template <class T> MINIMA_MATH bool isnan(T x) { return x != x; }
template <class T> requires is_real<T> MINIMA_MATH bool isfinite(T x) {
  return cpu::absolute(x) < cpu::Format<T>::infinity;
}
/// |x| for any arithmetic type; the most negative integer stays itself.
template <class T> MINIMA_MATH T abs(T x) {
  if constexpr (is_real<T>) return cpu::absolute(x);
  else if constexpr (std::is_unsigned_v<T>) return x;
  else return static_cast<T>(x < 0 ? 0 - static_cast<std::make_unsigned_t<T>>(x) : static_cast<std::make_unsigned_t<T>>(x));
}
/// -1, 0 or 1; 0 for NaN.
template <class T> MINIMA_MATH T sign(T x) { return static_cast<T>((x > 0) - (x < 0)); }
/// The larger; NaN if either is.
template <class T> MINIMA_MATH T max(T a, T b) { return a > b || isnan(a) ? a : b; }
/// The smaller; NaN if either is.
template <class T> MINIMA_MATH T min(T a, T b) { return a < b || isnan(a) ? a : b; }

}  // namespace minima::math
