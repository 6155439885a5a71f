#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace minima {

/// A memory-mapped file. The mapping is private: writing to it (an optimizer step on loaded weights) changes this
/// process's copy, never the file.
///
/// Replacing the file by a rename, as AtomicFile does, leaves the mapping intact. Truncating the file kills the process
/// with SIGBUS when it reads the lost pages. Errors are FileError with the path.
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
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
  /// Takes the whole pages of a range out of this process's memory, where they count although the system shares them
  /// with its cache of the file; they come back when they are read again. What was written to them is lost.
  void release(std::size_t offset, std::size_t size) const noexcept;

 private:
  std::string path_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace minima
