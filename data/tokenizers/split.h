#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace minima::data {

/// The pattern that cuts a text into pieces before pairs are merged; no token crosses a cut. Each is a published
/// regular expression, applied by a scanner that takes time linear in the text.
enum class SplitPattern : std::uint8_t {
  none,        ///< the whole text is one piece
  gpt2,        ///< GPT-2, RoBERTa, GPT-J: words with a leading space, numbers of any length
  llama3,      ///< Llama 3, GPT-4 (cl100k): contractions in any case, at most three digits, newlines after punctuation
  qwen2,       ///< Qwen 2 to 3: the same with single digits
  characters,  ///< each character of UTF-8, and each byte that belongs to none
};

namespace detail {

/// The regular expression as tokenizer.json has it; empty for `none`.
MINIMA_API std::string_view regular_expression(SplitPattern pattern);

/// Where the piece that begins at `begin` < text.size() ends.
MINIMA_API std::size_t piece_end(SplitPattern pattern, std::string_view text, std::size_t begin);

}  // namespace detail

}  // namespace minima::data
