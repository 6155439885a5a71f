#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace minima::detail {

/// CRC-32C (Castagnoli), as RFC 3720 has it. Going on with what came so far: crc32c(b, n, crc32c(a, m)) is the sum of
/// both pieces together. Where the processor has SSE 4.2 this runs at the speed of memory.
MINIMA_API std::uint32_t crc32c(const void* data, std::size_t bytes, std::uint32_t before = 0);
inline std::uint32_t crc32c(std::string_view text) { return crc32c(text.data(), text.size()); }

/// As TFRecord files hold it, so that sums of data with sums in them stay useful.
inline std::uint32_t masked_crc32c(std::string_view text) {
  const std::uint32_t sum = crc32c(text);
  return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

/// The same sum without the processor's instruction.
MINIMA_API std::uint32_t crc32c_portable(const void* data, std::size_t bytes, std::uint32_t before = 0);

}  // namespace minima::detail
