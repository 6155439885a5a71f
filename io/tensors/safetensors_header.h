#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace minima::detail {

/// The header of a safetensors file, checked against the file's size.
struct SafetensorsHeader {
  struct Entry {
    std::string name;
    DType dtype = DType::float32;
    Shape shape;
    std::size_t begin = 0;  ///< offset in the file
    std::size_t end = 0;
    std::size_t at = 0;     ///< where the header speaks of it, for messages
    std::uint32_t crc = 0;  ///< of the data, if the header has checksums
  };
  struct Text {
    std::string name;
    std::string text;
  };
  std::vector<Entry> entries;
  std::vector<Text> metadata;  ///< without the checksums
  bool has_checksums = false;
};

/// The largest header that the format permits.
inline constexpr std::size_t kLargestSafetensorsHeader = 100'000'000;

/// How many bytes precede the data, according to the first bytes (kSafetensorsProbe, or all) of a file of `file_size`.
/// Throws FormatError that says what the file is instead, if that can be seen: PyTorch's checkpoint, say.
inline constexpr std::size_t kSafetensorsProbe = 512;
MINIMA_API std::size_t safetensors_start_size(std::span<const std::byte> first, std::size_t file_size,
                                              const std::string& source);

/// Reads the header from what lies in front of the data, or more, of a file of `file_size` bytes. Throws FormatError
/// starting with `source`, also for a header whose checksum is wrong if it is to `verify` that.
MINIMA_API SafetensorsHeader read_safetensors_header(std::span<const std::byte> start, std::size_t file_size,
                                                     const std::string& source, bool verify = true);

/// How a file is laid out: its first bytes, and where in it the data of each entry begin. The entries' places are found
/// here, not given. Throws as write_safetensors does.
struct SafetensorsLayout {
  std::string start;
  std::vector<std::size_t> begins;
  std::vector<std::size_t> order;  ///< of the entries in the file
};
MINIMA_API SafetensorsLayout lay_out_safetensors(std::span<const SafetensorsHeader::Entry> entries,
                                                 std::span<const SafetensorsHeader::Text> metadata);

/// `F32` for float32, …
MINIMA_API const char* safetensors_name(DType dtype);

}  // namespace minima::detail
