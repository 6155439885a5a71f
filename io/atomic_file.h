#pragma once

#include <minima/io/posix_file.h>

#include <cstddef>
#include <string>

namespace minima {

/// Replaces a file in one step: readers see the old content or the whole new one, also after a crash or a power loss.
/// What is written goes to a hidden temporary file beside it (`.NAME.XXXXXX.tmp`); `commit` flushes that to the disk and
/// renames it. Without `commit` the temporary is removed and the old file stays.
///
/// Leftovers of killed runs are removed by the next writer of the same file. The temporary of a writer that still
/// runs, here or in another process, is recognised by its lock and left alone.
///
/// A symbolic link is followed; an existing file keeps its permissions. Errors are FileError with the path and the
/// system's text; something that is not a regular file (`/dev/null`) is refused.
class MINIMA_API AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes) { detail::write_all(file_, data, bytes, path_); }
  void write(const std::string& text) { write(text.data(), text.size()); }
  /// At a place of its own; what is written nowhere is zero.
  void write_at(std::size_t offset, const void* data, std::size_t bytes) { detail::write_all_at(file_, offset, data, bytes, path_); }
  /// Makes the new content the file's. Nothing can be written afterwards.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  detail::Descriptor file_;
};

/// Replaces `path` by `content` in one step.
MINIMA_API void write_file(const std::string& path, const std::string& content);

}  // namespace minima
