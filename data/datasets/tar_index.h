#pragma once

#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::data::detail {

/// `a/b.seg.png` → `a/b` and `seg.png`.
std::pair<std::string, std::string> split_sample_name(const std::string& name);

/// Where the files of an uncompressed archive lie.
struct TarIndex {
  struct File {
    std::string name;
    std::uint64_t data, size;  ///< of the content, inside the archive
  };
  std::vector<File> files;

  /// Goes through the archive's headers. Throws FormatError.
  static TarIndex of(const MappedFile& archive);
};

/// Reads what `kept_index` wrote for an archive of this size. `mark` tells states of an archive apart: false if the
/// file is of another one. Throws FormatError for a file that is no index, also if something lies outside the archive.
MINIMA_API bool read_tar_index(const std::string& path, const std::string& mark, std::uint64_t archive_size,
                               TarIndex& index);

/// As TarIndex::of, from `path` if it holds the index of this archive as it is now; else written there. Throws
/// FormatError for a file that is no index, FileError if it cannot be written.
MINIMA_API TarIndex kept_index(const MappedFile& archive, const std::string& path);

}  // namespace minima::data::detail
