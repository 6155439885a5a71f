#pragma once

#include <minima/ops/loops/math/math_cpu.h>

#include <type_traits>

#ifdef __CUDA_ARCH__
#include <cmath>
#endif

// The mathematical functions for pointwise functors, for float and double, on both devices. On the CPU, loops over them
// vectorise; on CUDA they are the device functions. All treat ±0, infinities, NaN, subnormals, overflow and underflow
// as the C library does. ops/loops/math/math_accuracy.h lists their errors.

namespace minima::math {

template <class T> inline constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double>;

#ifdef __CUDA_ARCH__
#define MINIMA_MATH_CALL(on_cpu, on_cuda) return on_cuda
#else
#define MINIMA_MATH_CALL(on_cpu, on_cuda) return on_cpu
#endif

/// eˣ
template <class T> requires is_real<T> MINIMA_MATH T exp(T x) { MINIMA_MATH_CALL(cpu::exp(x), ::exp(x)); }
/// eˣ - 1, accurate near 0
template <class T> requires is_real<T> MINIMA_MATH T expm1(T x) { MINIMA_MATH_CALL(cpu::expm1(x), ::expm1(x)); }
/// Natural logarithm; -inf at 0, NaN below.
template <class T> requires is_real<T> MINIMA_MATH T log(T x) { MINIMA_MATH_CALL(cpu::log(x), ::log(x)); }
/// log(1 + x), accurate near 0
template <class T> requires is_real<T> MINIMA_MATH T log1p(T x) { MINIMA_MATH_CALL(cpu::log1p(x), ::log1p(x)); }
template <class T> requires is_real<T> MINIMA_MATH T tanh(T x) { MINIMA_MATH_CALL(cpu::tanh(x), ::tanh(x)); }
/// 1 / (1 + e⁻ˣ), with full relative accuracy in both tails
template <class T> requires is_real<T> MINIMA_MATH T sigmoid(T x) {
  MINIMA_MATH_CALL(cpu::sigmoid(x), (x < 0 ? ::exp(x) : T(1)) / (1 + ::exp(-::fabs(x))));
}
/// The error function 2/√π ∫₀ˣ exp(-t²) dt
template <class T> requires is_real<T> MINIMA_MATH T erf(T x) { MINIMA_MATH_CALL(cpu::erf(x), ::erf(x)); }
/// The C library's, whose loops do not vectorise on the CPU; see ops/loops/math/by_double.h.
template <class T> requires is_real<T> MINIMA_MATH T sin(T x) { MINIMA_MATH_CALL(cpu::sin(x), ::sin(x)); }
template <class T> requires is_real<T> MINIMA_MATH T cos(T x) { MINIMA_MATH_CALL(cpu::cos(x), ::cos(x)); }
/// xʸ, likewise.
template <class T> requires is_real<T> MINIMA_MATH T pow(T x, T y) { MINIMA_MATH_CALL(cpu::pow(x, y), ::pow(x, y)); }
template <class T> requires is_real<T> MINIMA_MATH T sqrt(T x) { MINIMA_MATH_CALL(cpu::sqrt(x), ::sqrt(x)); }
/// 1 / √x
template <class T> requires is_real<T> MINIMA_MATH T rsqrt(T x) { MINIMA_MATH_CALL(1 / cpu::sqrt(x), ::rsqrt(x)); }
/// Rounds down.
template <class T> requires is_real<T> MINIMA_MATH T floor(T x) { MINIMA_MATH_CALL(cpu::floor(x), ::floor(x)); }
/// Rounds to the nearest integer, ties to even (as PyTorch and NumPy).
template <class T> requires is_real<T> MINIMA_MATH T round(T x) { MINIMA_MATH_CALL(cpu::rint(x), ::rint(x)); }
/// a·b + c, rounded once if the hardware can, else twice.
template <class T> requires is_real<T> MINIMA_MATH T fma(T a, T b, T c) {
  MINIMA_MATH_CALL(cpu::fma(a, b, c), ::fma(a, b, c));
}

#undef MINIMA_MATH_CALL

/// condition ? a : b with both operands evaluated, so that loops vectorise.
template <class T> MINIMA_MATH T select(bool condition, T a, T b) { return condition ? a : b; }
/// The same by bit masks, for any arithmetic type: if a and b are plain loads, g++ 12 turns select into a branch.
template <class T> MINIMA_MATH T blend(bool condition, T a, T b) {
#ifdef __CUDA_ARCH__
  return condition ? a : b;
#else
  if constexpr (std::is_same_v<T, bool>) {
    return (condition & a) | (!condition & b);
  } else {
    using Word =
        std::conditional_t<sizeof(T) == 8, std::uint64_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                              std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
    const auto mask = static_cast<Word>(Word{0} - static_cast<Word>(condition));
    const Word bits = (__builtin_bit_cast(Word, a) & mask) | (__builtin_bit_cast(Word, b) & static_cast<Word>(~mask));
    return __builtin_bit_cast(T, bits);
  }
#endif
}
template <class T> MINIMA_MATH bool isnan(T x) { return x != x; }
template <class T> requires is_real<T> MINIMA_MATH bool isfinite(T x) {
  return cpu::absolute(x) < cpu::Format<T>::infinity;
}
/// |x| for any arithmetic type; the most negative integer stays itself.
template <class T> MINIMA_MATH T abs(T x) {
  if constexpr (is_real<T>) return cpu::absolute(x);
  else if constexpr (std::is_unsigned_v<T>) return x;
  else
    return static_cast<T>(x < 0 ? 0 - static_cast<std::make_unsigned_t<T>>(x)
                                : static_cast<std::make_unsigned_t<T>>(x));
}
/// -1, 0 or 1; 0 for NaN.
template <class T> MINIMA_MATH T sign(T x) { return static_cast<T>((x > 0) - (x < 0)); }
/// The larger; NaN if either is.
template <class T> MINIMA_MATH T max(T a, T b) { return blend((a > b) | isnan(a), a, b); }
/// The smaller; NaN if either is.
template <class T> MINIMA_MATH T min(T a, T b) { return blend((a < b) | isnan(a), a, b); }

}  // namespace minima::math
