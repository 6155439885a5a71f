#pragma once

#include <minima/tensor/base/dtype.h>

namespace minima::pointwise {

/// Converts `count` elements that lie one after the other.
using Convert = void (*)(void* to, const void* from, std::int64_t count);

/// As static_cast converts; to a half type by way of float, rounding to nearest even; anything but 0 is true. Null
/// where the types are the same. What a float beyond the range of an integer type becomes is unspecified.
MINIMA_API Convert converter(DType to, DType from);

}  // namespace minima::pointwise
