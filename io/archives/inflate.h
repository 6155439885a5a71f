#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace minima {

/// A sequential source of bytes of unknown length. Errors are FormatError with the source's name and the offset in the
/// (compressed) file.
class MINIMA_API ByteSource {
 public:
  virtual ~ByteSource();
  /// Reads up to `bytes` bytes; fewer only at the end.
  virtual std::size_t read(void* to, std::size_t bytes) = 0;
  /// Skips so many bytes; false if there are fewer.
  virtual bool skip(std::size_t bytes);
};

/// Opens bytes in memory, which must outlive the source. Inflates gzip and zstd data, recognised by their magic
/// numbers, in pieces of bounded size. Throws ValueError for zstd data if minima was built without it.
MINIMA_API std::unique_ptr<ByteSource> open_bytes(std::span<const std::byte> bytes, const std::string& source);

namespace detail {
/// Whether the data start with gzip's or zstd's magic number.
MINIMA_API bool is_compressed(std::span<const std::byte> bytes);
/// Defined in zstd.cpp.
std::unique_ptr<ByteSource> open_zstd(std::span<const std::byte> bytes, const std::string& source);
}  // namespace detail

}  // namespace minima
