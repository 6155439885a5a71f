#pragma once

#include <minima/data/tokenizers/byte_pairs.h>
#include <minima/data/tokenizers/split.h>
#include <minima/data/tokenizers/tokenizer.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::data {

/// The parts of a tokenizer. Its makers (files, training) fill the first members and call `finish`.
struct Tokenizer::Tables {
  using Token = detail::BytePairs::Token;

  struct Added {
    Token token;
    bool is_special = true;
    bool is_normalized = false;  ///< found in the normalised text, in which other added tokens are not found any more
  };
  /// Spells an added token as texts are searched for it.
  struct Spelling {
    std::string text;
    Token token = 0;
    bool is_special = true;
  };
  using Spellings = std::array<std::vector<Spelling>, 256>;  ///< by the first byte, longest first

  SplitPattern pattern = SplitPattern::none;
  bool normalizes = false;      ///< to form C
  bool adds_space = false;      ///< before a text that does not begin with one
  bool ignores_merges = false;  ///< a piece that is a token itself needs no merges (Llama 3)
  std::vector<std::string> tokens;
  std::vector<std::pair<Token, Token>> merges;  ///< in their order
  std::vector<Added> added;                     ///< tokens that are found before the text is cut
  std::vector<Token> before, after;             ///< what `add_special_tokens` adds

  // --- from here on made by `finish` ---
  std::unordered_map<std::string_view, Token> numbers;
  std::array<Token, 256> byte_tokens{};
  detail::BytePairs pairs;
  std::vector<bool> is_special;
  Spellings in_text, in_normalized;  ///< added tokens
  bool seeks_in_normalized = false;
  std::uint64_t id = 0;

  /// Throws ValueError for a merge whose result is no token, and for two tokens of the same bytes.
  void finish();
};

namespace detail {

/// The character that stands for a byte in the files of byte-level tokenizers: itself if it is printable in Latin-1,
/// else the next free one from U+0100 on.
std::string byte_character(std::uint8_t byte);
/// All bytes in the order of their characters.
std::array<std::uint8_t, 256> bytes_in_order();

}  // namespace detail

}  // namespace minima::data
