#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

// The CPU side of ops/loops/math/math.h. Branch-free, so that loops over these functions vectorise: every case is
// computed for every argument (giving nonsense where it does not apply), comparisons select among the results, and
// exponents are assembled from bits. Assumes round-to-nearest without -ffast-math; multiply-adds may or may not be
// fused. The polynomials are minimax fits; math_accuracy.h lists their errors.

/// Always inlined: an actual call would prevent the loop around it from vectorising.
#define MINIMA_MATH MINIMA_HD __attribute__((always_inline)) inline

namespace minima::math::cpu {

template <class T> struct Format;
template <> struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction = 23, bias = 127;
  static constexpr float log2_e = 1.44269502f;
  /// ln 2 in two parts; n · ln2_high is exact for every exponent n.
  static constexpr float ln2_high = 0.693145751953125f, ln2_low = 1.42860677e-06f;
  static constexpr float smallest_normal = 0x1p-126f, infinity = __builtin_huge_valf();
  static constexpr Bits sqrt_half = 0x3f3504f3u;
};
template <> struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction = 52, bias = 1023;
  static constexpr double log2_e = 1.4426950408889634;
  static constexpr double ln2_high = 0.6931471805601177, ln2_low = -1.7239444525614835e-13;
  static constexpr double smallest_normal = 0x1p-1022, infinity = __builtin_huge_val();
  static constexpr Bits sqrt_half = 0x3fe6a09e667f3bcdull;
};

template <class T> inline constexpr bool is_float = sizeof(T) == 4;
template <class T> using Bits = typename Format<T>::Bits;

template <class T> MINIMA_MATH Bits<T> bits(T x) { return __builtin_bit_cast(Bits<T>, x); }
template <class T> MINIMA_MATH T value(Bits<T> b) { return __builtin_bit_cast(T, b); }
template <class T> MINIMA_MATH T absolute(T x) { return value<T>(bits(x) & (~Bits<T>{0} >> 1)); }
template <class T> MINIMA_MATH T with_sign(T magnitude, T sign) {
  constexpr Bits<T> mask = ~Bits<T>{0} >> 1;
  return value<T>((bits(magnitude) & mask) | (bits(sign) & ~mask));
}
/// condition ? a : b. For float by bits, because g++ 12 turns two nested selections into three.
template <class T> MINIMA_MATH T choose(bool condition, T a, T b) {
  if constexpr (!is_float<T>) return condition ? a : b;
  const Bits<T> mask = Bits<T>{0} - static_cast<Bits<T>>(condition);
  return value<T>((bits(a) & mask) | (bits(b) & ~mask));
}

/// c0 + c1·x + c2·x² + …
template <class T> MINIMA_MATH T poly(T, T c) { return c; }
template <class T, class... C> MINIMA_MATH T poly(T x, T c0, C... c) { return poly(x, c...) * x + c0; }
/// The same, with the first six terms evaluated separately: halves the dependency chain, the bottleneck of long
/// polynomials.
template <class T, class... C> MINIMA_MATH T long_poly(T x, T c0, T c1, T c2, T c3, T c4, T c5, C... c) {
  const T square = x * x;
  return poly(x, c...) * (square * square * square) + poly(x, c0, c1, c2, c3, c4, c5);
}

/// x = n·ln 2 + r with |r| ≤ ln 2 / 2. The low bits of `biased` hold n + 2·bias, the others are meaningless.
template <class T> struct Reduced {
  T r;
  Bits<T> biased;
};
template <class T> MINIMA_MATH Reduced<T> reduce(T x) {
  using F = Format<T>;
  // Adding 1.5 · 2^fraction rounds to an integer and leaves it in the low bits.
  constexpr T shift = static_cast<T>(Bits<T>{3} << (F::fraction - 1)) + 2 * F::bias;
  const T shifted = x * F::log2_e + shift;
  const T n = shifted - shift;
  return {(x - n * F::ln2_high) - n * F::ln2_low, bits(shifted)};
}
/// 2^(e - bias) from the low bits of e.
template <class T> MINIMA_MATH T power_of_two(Bits<T> e) { return value<T>(e << Format<T>::fraction); }

/// exp(r) - 1 for |r| ≤ ln 2 / 2, with small relative error even near 0.
template <class T> MINIMA_MATH T expm1_small(T r) {
  T q;
  if constexpr (is_float<T>)
    q = poly(r, 0.5f, 0.166666359f, 0.0416665114f, 0.00834151264f, 0.00139305368f, 0.000150430802f);
  else
    q = poly(r, 0.5, 0.16666666666666677, 0.041666666666666685, 0.008333333333321813, 0.0013888888888894909,
             0.00019841269885284264, 2.480158727440145e-05, 2.75572452163003e-06, 2.7557334951970776e-07,
             2.5108663522018595e-08, 2.089187316851284e-09);
  return r * r * q + r;
}
/// The same with small error relative to exp(r) only: one coefficient shorter.
template <class T> MINIMA_MATH T expm1_rough(T r) {
  T q;
  if constexpr (is_float<T>) q = poly(r, 0.49999994f, 0.166665167f, 0.0416681021f, 0.00836920086f, 0.00138391962f);
  else
    q = poly(r, 0.5000000000000011, 0.16666666666666435, 0.04166666666652575, 0.008333333333475936,
             0.0013888888944886479, 0.00019841269554841243, 2.480149170692582e-05, 2.7557536099441183e-06,
             2.7630773924590036e-07, 2.501822027174235e-08);
  return r * r * q + r;
}

/// Beyond these exp is infinite or 0.
template <class T> inline constexpr T exp_highest = is_float<T> ? T(89) : T(710);
template <class T> inline constexpr T exp_lowest = is_float<T> ? T(-104) : T(-746);

template <class T> MINIMA_MATH T exp(T x) {
  const auto [r, biased] = reduce(x);
  // 2^n in two factors: the first product is a normal number, so only the second may be subnormal.
  const T half = power_of_two<T>(biased >> 1), other = power_of_two<T>(biased - (biased >> 1));
  const T y = (expm1_rough(r) * half + half) * other;
  return choose(x > exp_highest<T>, Format<T>::infinity, choose(x < exp_lowest<T>, T(0), y));
}

template <class T> MINIMA_MATH T expm1(T x) {
  const auto [r, biased] = reduce(x);
  // 2^n · expm1(r) + (2^n - 1), halved for now because 2^n itself may overflow.
  const T half = power_of_two<T>(biased - Format<T>::bias - 1);
  const T y = (half * expm1_small(r) + (half - T(0.5))) * 2;
  // Where x² / 2 is negligible; also preserves -0 and subnormals.
  const bool tiny = absolute(x) < (is_float<T> ? T(0x1p-24) : T(0x1p-53));
  const T limited = choose(x < (is_float<T> ? T(-18) : T(-38)), T(-1), choose(tiny, x, y));
  return choose(x > exp_highest<T>, Format<T>::infinity, limited);
}

/// u = 2^e · m with m in [√½, √2): returns bits that encode both. u is positive and normal.
template <class T> MINIMA_MATH Bits<T> split(T u) {
  return bits(u) - Format<T>::sqrt_half + (Bits<T>{1} << (8 * sizeof(T) - 2));
}
template <class T> MINIMA_MATH T mantissa(Bits<T> parts) {
  return value<T>((parts & ((Bits<T>{1} << Format<T>::fraction) - 1)) + Format<T>::sqrt_half);
}
/// e + bias + 1, as an integer.
template <class T> MINIMA_MATH Bits<T> exponent(Bits<T> parts) { return parts >> Format<T>::fraction; }
template <class T> MINIMA_MATH T exponent_value(Bits<T> parts) {
  constexpr T big = static_cast<T>(Bits<T>{1} << Format<T>::fraction);
  return value<T>(exponent<T>(parts) | bits(big)) - (big + (Format<T>::bias + 1));
}
/// log(1 + f) + e · ln 2 for √½ ≤ 1 + f < √2.
template <class T> MINIMA_MATH T log_sum(T f, T e) {
  using F = Format<T>;
  if constexpr (is_float<T>) {
    const T cubic = poly(f, 0.333333313f, -0.250008255f, 0.200012654f, -0.166232288f, 0.14200668f, -0.131602913f,
                         0.1277017f, -0.0764571279f);
    const T square = f * f;
    return e * F::ln2_high + ((square * f * cubic + e * F::ln2_low - T(0.5) * square) + f);
  } else {
    // log((1 + s) / (1 - s)) = 2s + s·R(s²), with 2s = f - s·f.
    const T s = f / (2 + f), z = s * s, half_square = T(0.5) * f * f;
    const T rest = z * poly(z, 0.6666666666666735, 0.39999999999409386, 0.28571428743668625, 0.22222198430773946,
                            0.18183572295527572, 0.15313832477881814, 0.14798268756120422);
    return e * F::ln2_high - ((half_square - (s * (half_square + rest) + e * F::ln2_low)) - f);
  }
}

template <class T> MINIMA_MATH T log(T x) {
  using F = Format<T>;
  constexpr T up = static_cast<T>(Bits<T>{1} << (F::fraction + 1));
  const bool subnormal = x < F::smallest_normal;
  const Bits<T> parts = split(subnormal ? x * up : x);
  const T e = exponent_value<T>(parts) - (subnormal ? T(F::fraction + 1) : T(0));
  const T y = log_sum(mantissa<T>(parts) - 1, e);
  const T outside = x == 0 ? -F::infinity : x < 0 ? T(__builtin_nanf("")) : x;
  return x > 0 && x < F::infinity ? y : outside;
}

template <class T> MINIMA_MATH T log1p(T x) {
  using F = Format<T>;
  const Bits<T> parts = split(1 + x);
  // f = 2^-e (1 + x) - 1 without rounding 1 + x; scaled by four because 2^-e may be subnormal.
  const T scale = power_of_two<T>(2 * F::bias + 3 - exponent<T>(parts));
  const T f = x * scale * T(0.25) + (scale * T(0.25) - 1);
  const T y = log_sum(f, exponent_value<T>(parts));
  const T outside = x == -1 ? -F::infinity : x < -1 ? T(__builtin_nanf("")) : x;
  const bool tiny = absolute(x) < (is_float<T> ? T(0x1p-24) : T(0x1p-53));
  return x > -1 && x < F::infinity && !tiny ? y : outside;
}

/// 2^t for -bias < t < bias; in float with an error of 2^-23 only, enough where the result is a small part of a sum.
template <class T> MINIMA_MATH T exp2_rough(T t) {
  using F = Format<T>;
  constexpr T shift = static_cast<T>(Bits<T>{3} << (F::fraction - 1)) + F::bias;
  const T shifted = t + shift, r = t - (shifted - shift);
  T p;
  if constexpr (is_float<T>)
    p = poly(r, 1.0f, 0.693147004f, 0.240222231f, 0.0555064976f, 0.00967244525f, 0.00132973189f);
  else
    p = long_poly(r, 1.0, 0.6931471805599453, 0.24022650695910172, 0.055504108664824574, 0.009618129107577091,
                  0.0013333558145567103, 0.00015403530478820155, 1.5252734738548362e-05, 1.3215424503895064e-06,
                  1.0177655863849208e-07, 7.075612476794411e-09, 4.5193331711974037e-10);
  return p * power_of_two<T>(bits(shifted));
}

template <class T> MINIMA_MATH T tanh(T x) {
  const T a = absolute(x);
  if constexpr (is_float<T>) {
    const T z = a * a;
    const T near = z * a * poly(z, -0.333332807f, 0.133314058f, -0.0537365153f, 0.0206281822f, -0.00569233717f) + a;
    const T middle = 1 - 2 / (exp2_rough(a * (2 * Format<T>::log2_e)) + 1);
    const T far = a > T(9.02) ? T(1) : middle;
    return with_sign(a < T(0.625) ? near : far, x);
  } else {
    // A direct polynomial up to 0.625 would be as long as all of this.
    const auto [r, biased] = reduce(2 * a);
    const T scale = power_of_two<T>(biased - Format<T>::bias);
    const T m = scale * expm1_small(r) + (scale - 1);
    return with_sign(a > T(19.07) ? T(1) : m / (m + 2), x);
  }
}

/// 1 / (1 + e⁻ˣ), as 2^-h / (2^-h + e⁻ˣ · 2^-h), because e⁻ˣ overflows where the result is still subnormal.
template <class T> MINIMA_MATH T sigmoid(T x) {
  const auto [r, biased] = reduce(-x);
  const Bits<T> half = biased >> 1;
  const T down = power_of_two<T>(2 * Format<T>::bias - half), other = power_of_two<T>(biased - half);
  const T y = down / (down + (expm1_rough(r) * other + other));
  return choose(x > -exp_lowest<T>, T(1), choose(x < exp_lowest<T>, T(0), y));
}

template <class T> MINIMA_MATH T erf(T x) {
  const T a = absolute(x), z = x * x;
  T near, far;  // erf(x)/x - 1 as a polynomial in x², and log2(erfc(|x|)) as one in |x|
  if constexpr (is_float<T>) {
    near = poly(z, 0.128379151f, -0.376125038f, 0.112819217f, -0.0267704912f, 0.00499895308f, -0.000602075481f);
    far = poly(a, -0.000256144936f, -1.62699842f, -0.919083357f, -0.150093868f, 0.0321389064f, -0.00440827571f,
               0.000284469046f);
  } else {
    near = long_poly(z, 0.1283791670955126, -0.376126389031841, 0.11283791670971097, -0.026866170648031203,
                     0.005223977652705836, -0.0008548328537993457, 0.00012055386353863656, -1.4926887923849776e-05,
                     1.6481214004586235e-06, -1.6559407244304473e-07, 1.6033265181784292e-08, -1.6561718955225835e-09,
                     1.4542092934073476e-10);
    far = long_poly(a, -7.40445659042859e-07, -1.6278995621723744, -0.9184832207725508, -0.14816808521935398,
                    0.02739395626935483, 0.0005966038623889396, -0.0027684496591300666, 0.0011152623047161558,
                    -0.0001970040227299964, -2.8167928693652697e-05, 3.25090208947789e-05, -1.2376856591743908e-05,
                    3.051078649011992e-06, -5.331818056853144e-07, 6.626904738080901e-08, -5.612222197615101e-09,
                    2.9147987086634984e-10, -7.018994549281263e-12);
  }
  const T beyond = a > (is_float<T> ? T(4) : T(6)) ? T(1) : 1 - exp2_rough(far);
  return a < (is_float<T> ? T(0.9) : T(1)) ? x * near + x : with_sign(beyond, x);
}

// Single instructions, or the C library's functions: accurate, and rarely a bottleneck.
template <class T> MINIMA_MATH T sqrt(T x) {
  if constexpr (is_float<T>) return __builtin_sqrtf(x);
  else return __builtin_sqrt(x);
}
template <class T> MINIMA_MATH T floor(T x) {
  if constexpr (is_float<T>) return __builtin_floorf(x);
  else return __builtin_floor(x);
}
template <class T> MINIMA_MATH T rint(T x) {
  if constexpr (is_float<T>) return __builtin_rintf(x);
  else return __builtin_rint(x);
}
template <class T> MINIMA_MATH T sin(T x) {
  if constexpr (is_float<T>) return __builtin_sinf(x);
  else return __builtin_sin(x);
}
template <class T> MINIMA_MATH T cos(T x) {
  if constexpr (is_float<T>) return __builtin_cosf(x);
  else return __builtin_cos(x);
}
template <class T> MINIMA_MATH T pow(T x, T y) {
  if constexpr (is_float<T>) return __builtin_powf(x, y);
  else return __builtin_pow(x, y);
}
template <class T> MINIMA_MATH T fma(T a, T b, T c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  if constexpr (is_float<T>) return __builtin_fmaf(a, b, c);
  else return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

}  // namespace minima::math::cpu

namespace minima::math {

/// exp(x) for x ≤ 0 on the CPU, as softmax needs it, with two thirds of exp's instructions: results below the smallest
/// normal number are 0, all others are exp's up to a rounding. NaN stays.
template <class T> MINIMA_MATH T exp_nonpositive(T x) {
  constexpr T lowest = cpu::is_float<T> ? T(-87.33654) : T(-708.39641853226408);  // log of the smallest normal number
  const auto [r, biased] = cpu::reduce(x);
  const T scale = cpu::power_of_two<T>(biased - cpu::Format<T>::bias);
  return cpu::choose(x < lowest, T(0), cpu::expm1_rough(r) * scale + scale);
}

}  // namespace minima::math
