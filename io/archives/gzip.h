#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace minima {

/// Inflates gzip data in pieces, so a reader never holds more than its format promises. Verifies the checksum and
/// length of every member. Raw deflate data (inside zip archives) have neither. Errors are FormatError: `SOURCE: byte
/// OFFSET: …`, with the offset in the compressed data.
class MINIMA_API GzipReader {
 public:
  enum class Kind { gzip, raw };

  /// `compressed` must outlive the reader.
  GzipReader(std::span<const std::byte> compressed, std::string source, Kind kind = Kind::gzip);
  ~GzipReader();

  /// Reads exactly `bytes` bytes of inflated data; throws if there are fewer.
  void read(void* to, std::size_t bytes);
  /// Reads up to `bytes` bytes; fewer only at the end of the data.
  std::size_t read_some(void* to, std::size_t bytes);
  /// Throws unless all data have been read, the checksum matches, and nothing follows.
  void expect_end();

  /// The largest size that `compressed` bytes can inflate to: deflate compresses at most 1032 : 1.
  static std::size_t largest_inflated(std::size_t compressed) { return compressed * 1032; }
  /// Whether the data start with gzip's magic number.
  static bool is_gzip(std::span<const std::byte> bytes);

 private:
  struct Inflater;
  [[noreturn]] void fail(const std::string& what) const;

  std::span<const std::byte> rest_;
  std::size_t size_;
  std::string source_;
  Kind kind_;
  std::unique_ptr<Inflater> inflater_;
  bool member_ended_ = false;
};

}  // namespace minima
