#pragma once

#include <minima/tensor/tensor.h>

#include <string>

namespace minima::data {

/// Reads an IDX file (the format of MNIST), plain or gzip-compressed: two zero bytes, a type, the number of dimensions,
/// the sizes, then the values row-major, numbers big-endian.
///
/// Types: 0x08 uint8, 0x09 int8, 0x0B int16 (becomes int32), 0x0C int32, 0x0D float32, 0x0E float64. Sizes are checked
/// against the file's length before memory is allocated, and no more is inflated than the header promised. Throws
/// FileError, or FormatError with path and offset.
MINIMA_API Tensor read_idx(const std::string& path);

}  // namespace minima::data
