#pragma once

#include <minima/io/tensors/safetensors_header.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Checksums are one value of a safetensors file's metadata, so the file stays one for every reader: `crc32c`, the
// CRC-32C of what lies in front of the data with these eight digits as zeros, and that of each tensor's data, in the
// header's order.

namespace minima::detail {

inline constexpr const char* kChecksumKey = "minima.crc32c";

/// As long as the value for so many tensors will be.
std::string checksum_placeholder(std::size_t tensors);
/// Puts the sums in the place of the placeholder in a file's `start`.
void fill_in_checksums(std::string& start, std::span<const std::uint32_t> tensors);
/// Moves the checksums, if there are any, from the metadata into the entries. Throws FormatError if the one of `start`
/// is wrong, unless that is not to be verified.
void take_checksums(SafetensorsHeader& header, std::string_view start, const std::string& source, bool verify);

}  // namespace minima::detail
