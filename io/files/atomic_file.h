#pragma once

#include <minima/io/files/posix_file.h>

#include <cstddef>
#include <string>

namespace minima {

/// Replaces a file in one step: readers see the old content or the whole new one, also after a crash or a power loss.
/// What is written goes to a hidden temporary file beside it (`.NAME.XXXXXX.tmp`); `commit` flushes that to the disk
/// and renames it. Without `commit` the temporary is removed and the old file stays.
///
/// Leftovers of killed runs are removed by the next writer of the same file. The temporary of a writer that still
/// runs, here or in another process, is recognised by its lock and left alone.
///
/// A symbolic link is followed. An existing file keeps its permissions, and its owner and group where the process may
/// give files away; a group that cannot be kept takes its permissions with it. Other hard links to the old file keep
/// the old content; extended attributes are lost. Errors are FileError with the path and the system's text; something
/// that is not a regular file (`/dev/null`) is refused.
class MINIMA_API AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes) { detail::write_all(file_, data, bytes, path_); }
  void write(const std::string& text) { write(text.data(), text.size()); }
  /// At a place of its own; what is written nowhere is zero.
  void write_at(std::size_t offset, const void* data, std::size_t bytes) {
    detail::write_all_at(file_, offset, data, bytes, path_);
  }
  /// Makes the new content the file's. Nothing can be written afterwards. If this throws, the old content is still
  /// there, but for one error that says so: the file was replaced, and its folder could not be flushed to the disk, so
  /// that a power loss may bring the old content back.
  void commit();

 private:
  /// Removed with the object.
  struct Temporary {
    std::string path;
    ~Temporary();
  };
  std::string path_;
  Temporary temporary_;
  detail::Descriptor file_;
};

/// Replaces `path` by `content` in one step.
MINIMA_API void write_file(const std::string& path, const std::string& content);

namespace detail {
/// Removes temporaries in `folder` that writers of files `NAME…` left when they were killed.
MINIMA_API void remove_leftovers(const std::string& folder, const std::string& name);
}  // namespace detail

}  // namespace minima
