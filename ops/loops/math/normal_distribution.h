#pragma once

#include <minima/ops/loops/math/math.h>

// The standard normal distribution for functors, such as the exact gelu.

namespace minima::math {

template <class T> struct Normal {
  T density;     ///< φ(x) = exp(-x²/2) / √2π
  T cumulative;  ///< Φ(x) = erfc(-x/√2) / 2, with small relative error even far below 0, where 1 + erf(x/√2) has no
                 ///< digits left
};

template <class T> requires is_real<T> MINIMA_MATH Normal<T> normal(T x) {
  constexpr T at_zero = T(0.39894228040143268);
#ifdef __CUDA_ARCH__
  return {exp(T(-0.5) * x * x) * at_zero, ::normcdf(x)};
#else
  // The density is 0 beyond `far`. In float it reaches 2^-126 there, the limit of exp2_rough.
  constexpr T far = cpu::is_float<T> ? T(13.16) : T(40);
  const T size = cpu::absolute(x), a = size > far ? far : size;
  // Mills' ratio (1 - Φ(a)) / φ(a) is P(t) / (a + 4) with t = (a - 4) / (a + 4).
  const T scale = 1 / (a + 4), t = (a - 4) * scale;
  T p, power;
  if constexpr (cpu::is_float<T>) {
    power = cpu::exp2_rough(a * a * T(-0.72134752044448170));
    p = cpu::poly(t, 1.89321911f, -1.52377033f, 0.970409989f, -0.467553139f, 0.151388556f, -0.018830372f,
                  -0.00871346053f, 0.00391983241f, 0.000324171415f, -0.000394344184f);
  } else {
    power = exp(T(-0.5) * a * a);
    p = cpu::long_poly(t, 1.8932190633084853, -1.523770910819983, 0.9704095548675884, -0.4675409629983781,
                       0.15139176231244347, -0.018900450860304858, -0.008722295274260125, 0.004087855661108637,
                       0.0003342446162328441, -0.0005792691439164002, -4.783264259417208e-06, 8.809493632053581e-05,
                       1.7963971214040778e-06, -1.484070957232045e-05, -1.5787665654677373e-06, 2.563178850836918e-06,
                       6.829633831673466e-07, -3.922932522029295e-07, -2.1774195022039326e-07, 3.66737949934239e-08,
                       5.3711037651589576e-08, 3.5919778637323777e-09, -9.35134044482434e-09, -2.142295344399263e-09,
                       8.53083886026053e-10, 2.946488876280441e-10);
  }
  const T density = size > far ? T(0) : power * at_zero;
  const T tail = density * scale * p;
  return {density, select(x < T(0), tail, 1 - tail)};
#endif
}

}  // namespace minima::math
