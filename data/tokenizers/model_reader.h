#pragma once

#include <minima/data/tokenizers/tables.h>
#include <minima/io/files/format_error.h>
#include <minima/io/text/json_reader.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::data::detail {

/// Characters of byte-level files as bytes again.
class ByteReader {
 public:
  ByteReader() {
    for (int byte = 0; byte < 256; ++byte)
      bytes_.emplace(byte_character(static_cast<std::uint8_t>(byte)), static_cast<char>(byte));
  }

  /// Throws FormatError at the reader's place if a character stands for no byte.
  std::string read(std::string_view text, const JsonReader& in) const {
    std::string bytes;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = static_cast<unsigned char>(text[at]) < 128 ? 1 : 2;
      const auto found = bytes_.find(std::string(text.substr(at, length)));
      if (found == bytes_.end())
        in.fail("the token \"" + minima::detail::printable(text) +
                "\" is not in byte-level form; is this SentencePiece's vocabulary?");
      bytes += found->second;
      at += length;
    }
    return bytes;
  }

 private:
  std::unordered_map<std::string, char> bytes_;
};

/// Collects vocabulary and merges of one file, in whatever order they come.
class ModelReader {
 public:
  using Token = BytePairs::Token;
  static constexpr std::size_t max_tokens = std::size_t{1} << 24;

  ModelReader(JsonReader& in, Tokenizer::Tables& tables) : in_(in), tables_(tables) {}

  void vocabulary() {
    in_.begin_object();
    for (std::string key; in_.next_key(key);) {
      const Token token = token_number();
      const auto added = texts_.find(token);
      place(token, added != texts_.end() && added->second == key ? key : bytes_.read(key, in_));
    }
  }
  /// The vocabulary may list this added token, too, and spells it as it is.
  void expect_text(Token token, const std::string& text) { texts_.emplace(token, text); }

  void merges() {
    in_.begin_array();
    while (in_.next_item()) {
      std::string left, right;
      if (in_.peek() == JsonReader::Kind::array) {
        in_.begin_array();
        left = item();
        right = item();
        if (in_.next_item()) in_.fail("a merge has more than two parts");
      } else {
        const std::string both = in_.string();
        const std::size_t space = both.find(' ');
        if (space == std::string::npos) in_.fail("a merge without a space between its parts");
        left = both.substr(0, space);
        right = both.substr(space + 1);
      }
      merges_.emplace_back(bytes_.read(left, in_), bytes_.read(right, in_));
    }
  }

  Token token_number() {
    const std::int64_t number = in_.integer();
    if (number < 0 || static_cast<std::uint64_t>(number) >= max_tokens) in_.fail(str("the token number ", number));
    return static_cast<Token>(number);
  }

  void place(Token token, const std::string& bytes) {
    if (token >= tables_.tokens.size()) {
      // Numbers are dense in sound files, so memory stays near the file's size in any other.
      if (token > 4 * in_.offset() + 1024) in_.fail(str("the token number ", token, " leaves a gap"));
      tables_.tokens.resize(token + 1);
    }
    if (!tables_.tokens[token].empty() && tables_.tokens[token] != bytes)
      in_.fail(str("two tokens have the number ", token));
    tables_.tokens[token] = bytes;
  }

  /// Merges become pairs of numbers once the vocabulary is known.
  void link() {
    std::unordered_map<std::string_view, Token> numbers;
    for (Token token = 0; token < tables_.tokens.size(); ++token) numbers.emplace(tables_.tokens[token], token);
    for (const auto& [left, right] : merges_) {
      const auto first = numbers.find(left), second = numbers.find(right);
      if (first == numbers.end() || second == numbers.end() || !numbers.contains(left + right))
        in_.fail("a merge of \"" + minima::detail::printable(left) + "\" and \"" + minima::detail::printable(right) +
                 "\", which the vocabulary lacks");
      tables_.merges.emplace_back(first->second, second->second);
    }
  }

 private:
  std::string item() {
    if (!in_.next_item()) in_.fail("a merge has two parts");
    return in_.string();
  }

  JsonReader& in_;
  Tokenizer::Tables& tables_;
  ByteReader bytes_;
  std::unordered_map<Token, std::string> texts_;  ///< of added tokens
  std::vector<std::pair<std::string, std::string>> merges_;
};

}  // namespace minima::data::detail
