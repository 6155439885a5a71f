#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace minima {

/// Bytes from front to back, of which nobody knows how many there are before the end. Errors are FormatError with the
/// source's name and the offset in the (compressed) file.
class MINIMA_API ByteSource {
 public:
  virtual ~ByteSource();
  /// Up to `bytes` bytes; fewer only at the end.
  virtual std::size_t read(void* to, std::size_t bytes) = 0;
  /// Goes past so many bytes; false if the end comes first.
  virtual bool skip(std::size_t bytes);
};

/// Opens what is in memory, and must stay there: as it is, or inflated where it is gzip or zstd data by their first
/// bytes. Inflating gives one piece after the other, so memory does not depend on what the data inflate to. Throws
/// ValueError for zstd where minima was built without it.
MINIMA_API std::unique_ptr<ByteSource> open_bytes(std::span<const std::byte> bytes, const std::string& source);

namespace detail {
/// Gzip or zstd data by their first bytes.
MINIMA_API bool is_compressed(std::span<const std::byte> bytes);
/// In zstd.cpp.
std::unique_ptr<ByteSource> open_zstd(std::span<const std::byte> bytes, const std::string& source);
}  // namespace detail

}  // namespace minima
