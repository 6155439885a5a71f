#pragma once

#include <minima/tensor/dtype.h>
#include <minima/tensor/shape.h>

#include <cstddef>
#include <span>
#include <string>

namespace minima::detail {

/// What stands before the data of a .npy file, checked against the number of bytes that follow.
struct NpyHeader {
  char kind = 'f';                ///< NumPy's letter: b, i, u, f
  std::size_t item_bytes = 4;     ///< of an element in the file
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape;
  DType dtype = DType::float32;   ///< what elements become
  std::size_t data = 0;           ///< where they start
};

/// Reads the header of a whole file's bytes; `source` is for the messages.
NpyHeader read_npy_header(std::span<const std::byte> file, const std::string& source);

}  // namespace minima::detail
