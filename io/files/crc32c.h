#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace minima::detail {

/// CRC-32C (Castagnoli, RFC 3720). Can be continued: crc32c(b, n, crc32c(a, m)) is the checksum of a followed by b.
/// Uses SSE 4.2 if the processor has it.
MINIMA_API std::uint32_t crc32c(const void* data, std::size_t bytes, std::uint32_t before = 0);
inline std::uint32_t crc32c(std::string_view text) { return crc32c(text.data(), text.size()); }

/// Masked as in TFRecord files, whose data may themselves contain checksums.
inline std::uint32_t masked_crc32c(std::string_view text) {
  const std::uint32_t sum = crc32c(text);
  return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

/// The same without SSE 4.2.
MINIMA_API std::uint32_t crc32c_portable(const void* data, std::size_t bytes, std::uint32_t before = 0);

}  // namespace minima::detail
