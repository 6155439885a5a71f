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
  struct TensorInfo {
    std::string name;
    DType dtype = DType::float32;
    std::size_t item_bytes = 0;  ///< of an element in the file, when read
    bool is_unsigned = false;    ///< of two bytes or more in the file
    Shape shape;
    std::size_t begin = 0;  ///< offset in the file
    std::size_t end = 0;
    std::size_t at = 0;     ///< position in the header, for messages
    std::uint32_t crc = 0;  ///< of the data, if the file has checksums
  };
  struct Text {
    std::string name;
    std::string text;
  };
  std::vector<TensorInfo> entries;
  std::vector<Text> metadata;  ///< without the checksums
  bool has_checksums = false;
};

/// The largest header that the format allows.
inline constexpr std::size_t largest_safetensors_header = 100'000'000;

/// The number of bytes before the data, from the first safetensors_probe bytes (or all) of a file. Throws a FormatError
/// that names the actual format of other known files, such as PyTorch checkpoints.
inline constexpr std::size_t safetensors_probe = 512;
MINIMA_API std::size_t safetensors_start_size(std::span<const std::byte> first, std::size_t file_size,
                                              const std::string& source);

/// Parses the header. `start` holds at least everything before the data. Throws FormatError starting with `source`; if
/// `verify`, also for a wrong header checksum.
MINIMA_API SafetensorsHeader read_safetensors_header(std::span<const std::byte> start, std::size_t file_size,
                                                     const std::string& source, bool verify = true);

/// The layout of a file to be written: everything before the data, and the offset of each entry's data. Offsets in the
/// entries themselves are ignored. Throws as write_safetensors does.
struct SafetensorsLayout {
  std::string start;
  std::vector<std::size_t> begins;
  std::vector<std::size_t> order;  ///< of the entries in the file
};
MINIMA_API SafetensorsLayout lay_out_safetensors(std::span<const SafetensorsHeader::TensorInfo> entries,
                                                 std::span<const SafetensorsHeader::Text> metadata);

/// `F32` for float32, …
MINIMA_API const char* safetensors_name(DType dtype);

}  // namespace minima::detail
