#pragma once

#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace minima::data::detail {

/// The key and extension of a file, by webdataset's rules: `a/b.SEG.png` → `a/b` and `seg.png`. Nothing for files that
/// belong to no sample: names without a dot after the folder, hidden files (unless webdataset gives them the folder's
/// name as key), and those of metadata, `__NAME__` or in a folder `__NAME__/`.
std::optional<std::pair<std::string, std::string>> split_sample_name(const std::string& name);

/// Finds files that a sample has twice.
class RepeatedParts {
 public:
  /// Throws FormatError if the sample `key`, which the last calls were for, too, already had this extension. `at` is
  /// the file's position.
  void check(const std::string& key, const std::string& extension, const std::string& source, std::uint64_t at);
  void clear() { extensions_.clear(); }

 private:
  std::set<std::string> extensions_;
};

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
