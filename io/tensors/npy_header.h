#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace minima::detail {

/// The header of a .npy file, checked against the file's size.
struct NpyHeader {
  char kind = 'f';             ///< NumPy's letter: b, i, u, f, c
  std::size_t item_bytes = 4;  ///< size of an element in the file
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape;
  DType dtype = DType::float32;  ///< of the tensor
  std::size_t data = 0;          ///< offset of the data

  bool is_uint64() const { return kind == 'u' && item_bytes == 8; }  ///< whose numbers may not fit int64
};

/// The longest header accepted.
inline constexpr std::size_t largest_npy_header = 12 + 10'000;  // NumPy's own limit

/// Reads the header of a file of `size` bytes. `start` holds the whole file or at least its first largest_npy_header
/// bytes; `source` is for messages.
NpyHeader read_npy_header(std::span<const std::byte> start, std::uint64_t size, const std::string& source);

}  // namespace minima::detail
