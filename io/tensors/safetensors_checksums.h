#pragma once

#include <minima/io/tensors/safetensors_header.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Checksums are a value in a safetensors file's metadata, so other readers accept the file: `crc32c`, the CRC-32C of
// everything before the data (with its own eight digits as zeros), then that of each tensor's data in the header's
// order.

namespace minima::detail {

inline constexpr const char* checksum_key = "minima.crc32c";

/// A placeholder of the final length for so many tensors.
std::string checksum_placeholder(std::size_t tensors);
/// Replaces the placeholder in `start`, the bytes before the data.
void fill_in_checksums(std::string& start, std::span<const std::uint32_t> tensors);
/// Moves the checksums, if any, from the metadata to the entries. If `verify`, throws FormatError unless the checksum
/// of `start` matches.
void take_checksums(SafetensorsHeader& header, std::string_view start, const std::string& source, bool verify);

}  // namespace minima::detail
