#pragma once

#include <minima/ops/math/math_cpu.h>

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
