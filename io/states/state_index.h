#pragma once

#include <minima/io/state.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace minima::detail {

/// `index.json` of a state, which is written last: a folder without it is no state.
///
///     {"format": 1, "id": "…", "step": 100, "time": "2026-11-28T23:59:59Z", "metric": 0.91,
///      "files": [{"name": "rank-00000-of-00002.safetensors", "bytes": 4096, "crc32c": "1f2e3d4c"}, …],
///      "values": {"model.epoch": "3", …},
///      "crc32c": "01234567"}
///
/// A file's checksum is that of everything before its data, which holds the checksums of the data. The last one is that
/// of the text with its own digits as zeros.
struct MINIMA_API StateIndex {
  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint32_t start_crc = 0;
  };
  std::string id;
  std::int64_t step = 0;
  std::string time;  ///< UTC
  double metric = std::numeric_limits<double>::quiet_NaN();
  std::vector<File> files;  ///< in the order of ranks
  State values;             ///< texts

  /// Throws ValueError for values that are not UTF-8.
  std::string text() const;
  /// Throws FormatError starting with `source` for anything that `text` does not write.
  static StateIndex parse(std::string_view text, const std::string& source);
};

inline constexpr const char* index_name = "index.json";
inline constexpr std::size_t largest_index = std::size_t{1} << 28;

/// Reads and parses FOLDER/index.json. Throws FileError or FormatError.
MINIMA_API StateIndex read_index(const std::string& folder);

/// Eight hexadecimal digits.
MINIMA_API std::string crc_digits(std::uint32_t crc);

}  // namespace minima::detail
