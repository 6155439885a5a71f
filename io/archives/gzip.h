#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace minima {

/// Inflates gzip data piece by piece, so that a reader never holds more than its format promised. Every member's check
/// sum and length are verified. The raw deflate data inside zip archives have neither; they are one piece. Errors are
/// FormatError: `SOURCE: byte OFFSET: …`, the offset being that in the compressed data.
class MINIMA_API GzipReader {
 public:
  enum class Kind { gzip, raw };

  /// `compressed` must outlive the reader.
  GzipReader(std::span<const std::byte> compressed, std::string source, Kind kind = Kind::gzip);
  ~GzipReader();

  /// The next `bytes` bytes of the inflated data; throws if there are fewer.
  void read(void* to, std::size_t bytes);
  /// Up to `bytes` bytes; fewer only at the end of the data.
  std::size_t read_some(void* to, std::size_t bytes);
  /// Throws unless everything has been read, the check sum is right, and nothing follows.
  void expect_end();

  /// The most that so many compressed bytes can inflate to (deflate cannot do better than 1032 : 1).
  static std::size_t largest_inflated(std::size_t compressed) { return compressed * 1032; }
  /// The data start as gzip does.
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
