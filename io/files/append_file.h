#pragma once

#include <minima/io/files/posix_file.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace minima::detail {

/// A file that grows by whole records, each appended by a single write: readers see only complete records, and a killed
/// program loses none for which `append` has returned. A record that could be written only in part is truncated away,
/// so the next one starts at a record boundary.
class MINIMA_API AppendFile {
 public:
  /// Opens or creates `path`, with additional `flags` for open(2).
  explicit AppendFile(const std::string& path, int flags = 0);

  /// Throws FileError, in which case the file holds no part of the record.
  void append(std::string_view record);
  /// Truncates the file to its first `size` bytes.
  void shorten(std::uint64_t size);
  const std::string& path() const { return path_; }

 private:
  void cut_torn_record();

  std::string path_;
  Descriptor file_;
  // The range of a partial record that could not be truncated away yet; both 0 if there is none.
  std::int64_t torn_begin_ = 0, torn_end_ = 0;
};

}  // namespace minima::detail
