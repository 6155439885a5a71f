#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace minima {

/// A file's content as memory, read by the system page by page when touched. The pages are private: writing to them
/// (an optimizer step on loaded weights) changes this process's copy, never the file.
///
/// Replacing the file by a rename, as AtomicFile does, leaves a mapping as it was; cutting it short under a mapping
/// ends the process with SIGBUS, as everywhere. Errors are FileError with the path.
class MINIMA_API MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept
      : path_(std::move(other.path_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::string path_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace minima
