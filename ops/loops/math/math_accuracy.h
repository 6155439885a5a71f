#pragma once

namespace minima::math {

/// The largest error of a function of ops/loops/math/math.h on the CPU, in units in the last place of the exact result:
/// measured over the floats and over random and special doubles, rounded up a little. Tests enforce it, and the docs
/// are generated from it.
struct Accuracy {
  const char* function;
  double float32_ulp;
  double float64_ulp;
};

inline constexpr Accuracy accuracy[] = {
    {"exp", 1.1, 1.1},     {"expm1", 1.5, 2.0}, {"log", 0.9, 0.8},   {"log1p", 1.5, 1.3}, {"tanh", 2.0, 2.6},
    {"sigmoid", 2.4, 2.4}, {"erf", 1.8, 1.4},   {"sin", 0.6, 0.6},   {"cos", 0.6, 0.6},   {"sqrt", 0.5, 0.5},
    {"rsqrt", 1.5, 1.5},   {"floor", 0.0, 0.0}, {"round", 0.0, 0.0},
};

}  // namespace minima::math
