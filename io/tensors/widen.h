#pragma once

#include <minima/io/files/format_error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

// Integers in files of types that minima lacks: int16 and uint16 become int32, uint32 becomes int64, and so does
// uint64, whose numbers must fit.

namespace minima::detail {

template <class From, class To>
void widen(const std::byte* from, To* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    to[i] = static_cast<To>(value);
  }
}

/// Converts `count` integers of 2 or 4 bytes, 4 being unsigned, to elements of a tensor from position `done` on.
inline void widen_into(const Tensor& tensor, std::size_t done, const std::byte* from, std::size_t item_bytes,
                       bool is_unsigned, std::size_t count) {
  if (item_bytes == 4) widen<std::uint32_t>(from, tensor.data<std::int64_t>() + done, count);
  else if (is_unsigned) widen<std::uint16_t>(from, tensor.data<std::int32_t>() + done, count);
  else widen<std::int16_t>(from, tensor.data<std::int32_t>() + done, count);
}

/// Throws FormatError if one of the uint64 with these bytes does not fit int64. `at` is the offset of the first.
inline void check_uint64(const std::byte* bytes, std::size_t count, const std::string& source, std::uint64_t at) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    if (value >> 63) throw_format_error(source, at + i * sizeof value, str(value, " does not fit int64"));
  }
}

}  // namespace minima::detail
