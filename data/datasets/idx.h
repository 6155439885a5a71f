#pragma once

#include <minima/tensor/tensor.h>

#include <string>

namespace minima::data {

/// Reads an IDX file (the format of MNIST), plain or gzip-compressed: two zero bytes, a type, the number of dimensions,
/// the sizes, then the values row-major, numbers big-endian.
///
/// Types: 0x08 uint8, 0x09 int8, 0x0B int16 (read as int32), 0x0C int32, 0x0D float32, 0x0E float64. Checks the sizes
/// against the file's length before it allocates, and inflates no more than the header promises. Throws FileError, or
/// FormatError with path and offset.
MINIMA_API Tensor read_idx(const std::string& path);

}  // namespace minima::data
