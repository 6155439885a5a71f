#pragma once

#include <span>

namespace minima::test {

/// y[i] = function(x[i]) as a loop that the compiler vectorises.
struct MathLoop {
  const char* function;
  void (*on_float)(float* y, const float* x, long count);
  void (*on_double)(double* y, const double* x, long count);
};

/// The functions of ops/loops/math/math.h, compiled with the library's flags (vector instructions, fused multiply-adds)
/// …
std::span<const MathLoop> library_math_loops();
/// … and without flags, like a user's file.
std::span<const MathLoop> plain_math_loops();

}  // namespace minima::test
