#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace minima::detail {

/// What stands before the data of a .npy file, checked against the number of bytes that follow.
struct NpyHeader {
  char kind = 'f';             ///< NumPy's letter: b, i, u, f
  std::size_t item_bytes = 4;  ///< of an element in the file
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape;
  DType dtype = DType::float32;  ///< what elements become
  std::size_t data = 0;          ///< where they start
};

/// No header is longer.
inline constexpr std::size_t kLargestNpyHeader = 12 + 10'000;  // NumPy's own limit

/// Reads the header of a file of `size` bytes, of which `start` are the first: all, or at least kLargestNpyHeader.
/// `source` is for the messages.
NpyHeader read_npy_header(std::span<const std::byte> start, std::uint64_t size, const std::string& source);

}  // namespace minima::detail
