#pragma once

#include <minima/io/files/posix_file.h>

#include <cstddef>
#include <string>

namespace minima {

/// Replaces a file atomically: readers see the old content or all of the new one, even after a crash or a power loss.
/// Data go to a hidden temporary file in the same folder (`.NAME.XXXXXXXX.tmp`); `commit` flushes it to disk and
/// renames it. Without `commit`, the temporary is removed and the old file stays.
///
/// The next writer of the same file removes temporaries of killed runs. A lock protects those of running writers,
/// in this process or another.
///
/// Symbolic links are followed. An existing file keeps its permissions, and its owner and group where the process may
/// set them; if the group cannot be kept, its permissions are dropped. Other hard links to the old file keep the old
/// content; extended attributes are lost. Errors are FileError with the path and the system's text. Paths that are not
/// regular files (`/dev/null`) are rejected.
class MINIMA_API AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes) { detail::write_all(file_, data, bytes, path_); }
  void write(const std::string& text) { write(text.data(), text.size()); }
  /// Writes at an offset; gaps are zero.
  void write_at(std::size_t offset, const void* data, std::size_t bytes) {
    detail::write_all_at(file_, offset, data, bytes, path_);
  }
  /// Replaces the file. Nothing can be written afterwards. If this throws, the old content is intact, with one
  /// exception, named in the error: the file was replaced but its folder could not be flushed to disk, so a power loss
  /// may restore the old content.
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

/// Atomically replaces the content of `path`.
MINIMA_API void write_file(const std::string& path, const std::string& content);

namespace detail {
/// Removes temporaries in `folder` left by killed writers of files `NAME…`.
MINIMA_API void remove_leftovers(const std::string& folder, const std::string& name);
}  // namespace detail

}  // namespace minima
