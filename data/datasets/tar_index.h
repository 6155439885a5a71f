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

/// The positions of the files in an uncompressed archive.
struct TarIndex {
  struct File {
    std::string name;
    std::uint64_t data, size;  ///< offset in the archive and size of the content
  };
  std::vector<File> files;

  /// Scans the archive's headers. Throws FormatError.
  static TarIndex of(const MappedFile& archive);
};

/// Reads an index file for an archive of this size. `mark` identifies a version of the archive; false if the file's
/// differs. Throws FormatError for an invalid index and for entries outside the archive.
MINIMA_API bool read_tar_index(const std::string& path, const std::string& mark, std::uint64_t archive_size,
                               TarIndex& index);

/// TarIndex::of, cached in the file `path`, which is rewritten if the archive has changed. Throws FormatError for an
/// invalid index file, FileError if it cannot be written.
MINIMA_API TarIndex cached_index(const MappedFile& archive, const std::string& path);

}  // namespace minima::data::detail
