#pragma once

#include <minima/tensor/base/dtype.h>

namespace minima::pointwise {

/// Converts `count` contiguous elements.
using Convert = void (*)(void* to, const void* from, std::int64_t count);

/// The converter between two dtypes: as static_cast, except that half types round to nearest even from float and that
/// floating → integer saturates (8-bit types wrap); nonzero is true. Null if the types are equal. Throws
/// DTypeError between complex and other dtypes.
MINIMA_API Convert converter(DType to, DType from);

}  // namespace minima::pointwise
