#pragma once

#include <minima/tensor/base/dtype.h>

#include <algorithm>
#include <cmath>

// What the arithmetic tables share.

namespace minima::test {

/// bool and an integer give int64.
inline DType number_dtype(DType dtype) { return dtype == boolean ? int64 : dtype; }

inline double nan_max(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }
inline double nan_min(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }

}  // namespace minima::test
