#pragma once

#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace minima::data {

/// A long sequence of tokens in a file, memory-mapped: nothing is read until it is used.
///
/// Layouts: that of llm.c (a header of 256 int32: magic 20240520, version 1, count, then uint16; or magic 20240801,
/// version 7, uint32), recognised by its magic number, and that of nanoGPT (only uint16, no header). Sizes are checked
/// against the file's. Throws FileError, or FormatError with path and offset.
class MINIMA_API TokenFile {
 public:
  explicit TokenFile(const std::string& path);
  /// Any file as a sequence of bytes, the tokens 0 to 255: a text corpus without a tokenizer.
  static TokenFile of_bytes(const std::string& path);

  std::int64_t size() const { return tokens_.numel() / static_cast<std::int64_t>(width_); }
  /// Copies `count` tokens from `first` on; throws IndexError outside the file.
  void read(std::int64_t first, std::int64_t count, std::int64_t* to) const;

 private:
  TokenFile() = default;
  Tensor tokens_;  ///< uint8: the bytes of the tokens; keeps the mapping alive
  std::size_t width_ = 1;
};

/// Writes tokens in the llm.c layout, uint16 if all fit, else uint32. Throws ValueError for a negative or larger token
/// and for 2³¹ tokens or more.
MINIMA_API void write_tokens(const std::string& path, std::span<const std::int64_t> tokens);

/// Stretches of `length` tokens, `stride` apart, for predicting the next one: a batch is {inputs, targets}, both int64
/// [B, length], the targets one token further. Every stretch is whole; what is left at the end is not used.
class MINIMA_API TokenDataset {
 public:
  TokenDataset(TokenFile file, std::int64_t length, std::int64_t stride);
  /// Without overlap.
  TokenDataset(TokenFile file, std::int64_t length) : TokenDataset(std::move(file), length, length) {}

  std::int64_t size() const { return count_; }
  std::array<Tensor, 2> fetch(std::span<const std::int64_t> indices) const;

 private:
  TokenFile file_;
  std::int64_t length_;
  std::int64_t stride_;
  std::int64_t count_;
};

}  // namespace minima::data
