#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <string>
#include <utility>

// System calls for files. Errors are FileError with path, action and reason: `weights.bin: cannot open for reading: No
// such file or directory`.

namespace minima::detail {

/// Owns a file descriptor.
class MINIMA_API Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// Throws FileError: `PATH: ACTION: TEXT OF ERRNO`.
[[noreturn]] MINIMA_API void throw_file_error(const std::string& path, const std::string& action, int error);

/// open(2) with O_CLOEXEC, repeated when interrupted. `action` is for the message: "cannot open for reading".
MINIMA_API Descriptor open_file(const std::string& path, int flags, const std::string& action);
/// A file open for reading.
struct OpenedFile {
  Descriptor file;
  std::size_t size = 0;
};
/// Opens a regular file; throws for folders, pipes and devices.
MINIMA_API OpenedFile open_regular(const std::string& path);
/// The size of a regular file; 0 if there is none, and for other kinds (`/dev/stdout`).
MINIMA_API std::size_t size_of_file(const std::string& path);
/// Reads exactly `bytes` bytes at an offset; throws FormatError if the file is shorter.
MINIMA_API void read_all_at(const Descriptor& file, std::size_t offset, void* to, std::size_t bytes,
                            const std::string& path);
/// Writes everything or throws.
MINIMA_API void write_all(const Descriptor& file, const void* data, std::size_t bytes, const std::string& path);
/// The same at an offset.
MINIMA_API void write_all_at(const Descriptor& file, std::size_t offset, const void* data, std::size_t bytes,
                             const std::string& path);
/// Flushes the file to disk.
MINIMA_API void sync_file(const Descriptor& file, const std::string& path);
/// Flushes renames and new names in a folder to disk, if the file system can.
MINIMA_API void sync_folder(const std::string& folder);

/// `a/b/c` → `a/b`; `c` → `.`; `/c` → `/`.
MINIMA_API std::string folder_of(const std::string& path);
/// `a/b/c` → `c`.
MINIMA_API std::string file_name_of(const std::string& path);

}  // namespace minima::detail
