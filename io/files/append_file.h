#pragma once

#include <minima/io/files/posix_file.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace minima::detail {

/// A file that grows by whole records, each one write at its end: whoever looks at it sees whole records, and a killed
/// program loses none that `append` returned from. What a failed write leaves of its record is cut off again, so that
/// the next one starts where it should.
class MINIMA_API AppendFile {
 public:
  /// Opens `path`, or makes it; `flags` of open(2) come in addition.
  explicit AppendFile(const std::string& path, int flags = 0);

  /// Throws FileError; the file then holds nothing of the record.
  void append(std::string_view record);
  /// Truncates the file to its first `size` bytes.
  void shorten(std::uint64_t size);
  const std::string& path() const { return path_; }

 private:
  void cut_torn_record();

  std::string path_;
  Descriptor file_;
  // Of a record that could be written only in part and, so far, not be cut off. None: both 0.
  std::int64_t torn_begin_ = 0, torn_end_ = 0;
};

}  // namespace minima::detail
