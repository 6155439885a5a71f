#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace minima::data {

/// A memory-mapped file of tokens.
///
/// Two layouts: llm.c's, recognised by its magic number (a header of 256 int32: magic 20240520, version 1, count, then
/// uint16 tokens; or magic 20240801, version 7, uint32 tokens), and nanoGPT's (uint16, no header). Throws FileError, or
/// FormatError with path and offset, also if the header's count does not match the file's size.
class MINIMA_API TokenFile {
 public:
  explicit TokenFile(const std::string& path);
  /// Any file as a sequence of bytes, tokens 0 to 255: a text corpus without a tokenizer.
  static TokenFile of_bytes(const std::string& path);

  std::int64_t size() const { return tokens_.numel() / static_cast<std::int64_t>(width_); }
  /// Copies the tokens first … first + count - 1 to `to`; throws IndexError outside the file.
  void read(std::int64_t first, std::int64_t count, std::int64_t* to) const;

 private:
  TokenFile() = default;
  Tensor tokens_;  ///< uint8: the bytes of the tokens; keeps the mapping alive
  std::size_t width_ = 1;
};

/// Writes tokens in llm.c's layout, as uint16 if all fit, else uint32. Throws ValueError for a token outside uint32 and
/// for 2³¹ tokens or more.
MINIMA_API void write_tokens(const std::string& path, std::span<const std::int64_t> tokens);

namespace detail {

/// The same for `count` tokens up to `largest`, which `next` appends to an empty vector, some at each call.
void write_tokens(const std::string& path, std::int64_t count, std::int64_t largest,
                  const Function<void(std::vector<std::int64_t>&)>& next);

}  // namespace detail

/// Windows of `length` tokens, `stride` apart, for next-token prediction: a batch is {inputs, targets}, both int64
/// [B, length], where targets are shifted by one token. A partial window at the end is dropped.
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
