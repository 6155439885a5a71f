#include <minima/data/tokenizers/split.h>

#include <minima/data/tokenizers/unicode.h>
#include <minima/io/text/utf8.h>

#include <cstddef>
#include <string_view>

namespace minima::data::detail {

namespace {

// The scanner tries a pattern's alternatives in their order, as the regular expression would. Alternatives that could
// begin at a character are told apart by its class, so only white space ever has to look back.

class Scanner {
 public:
  Scanner(std::string_view text, std::size_t at) : text_(text), begin_(at) {}

  std::size_t gpt2() const {
    const Character first = character_at(text_, begin_);
    if (text_[begin_] == '\'')
      if (const std::size_t length = contraction(false)) return begin_ + length;
    if (!is_space(first.kind)) return run(begin_, first.kind);
    const std::size_t next = begin_ + 1;
    if (text_[begin_] == ' ' && next < text_.size())
      if (const Character second = character_at(text_, next); !is_space(second.kind)) return run(next, second.kind);
    return white_space();
  }

  /// Llama 3's and Qwen's: they differ in the number of digits.
  std::size_t llama3(int digits) const {
    const Character first = character_at(text_, begin_);
    if (text_[begin_] == '\'')
      if (const std::size_t length = contraction(true)) return begin_ + length;
    if (first.kind == CharacterClass::letter) return run(begin_, CharacterClass::letter);
    if (first.kind == CharacterClass::number) return number(digits);
    const std::size_t next = begin_ + first.length;
    if (first.kind != CharacterClass::newline && next < text_.size() &&
        character_at(text_, next).kind == CharacterClass::letter)
      return run(next, CharacterClass::letter);
    if (first.kind == CharacterClass::other) return newlines(run(begin_, CharacterClass::other));
    if (text_[begin_] == ' ' && next < text_.size() && character_at(text_, next).kind == CharacterClass::other)
      return newlines(run(next, CharacterClass::other));
    if (const std::size_t end = white_space_to_newline(); end > begin_) return end;
    return white_space();
  }

 private:
  static bool is_space(CharacterClass kind) { return kind == CharacterClass::space || kind == CharacterClass::newline; }

  /// The end of the characters of one class from `at` on.
  std::size_t run(std::size_t at, CharacterClass kind) const {
    while (at < text_.size()) {
      const Character next = character_at(text_, at);
      if (next.kind != kind) break;
      at += next.length;
    }
    return at;
  }

  std::size_t number(int digits) const {
    std::size_t at = begin_;
    for (int i = 0; i < digits && at < text_.size(); ++i) {
      const Character next = character_at(text_, at);
      if (next.kind != CharacterClass::number) break;
      at += next.length;
    }
    return at;
  }

  std::size_t newlines(std::size_t at) const {
    while (at < text_.size() && (text_[at] == '\r' || text_[at] == '\n')) ++at;
    return at;
  }

  /// \s*[\r\n]+: up to the last newline of the white space; `begin_` if it has none.
  std::size_t white_space_to_newline() const {
    std::size_t end = begin_;
    for (std::size_t at = begin_; at < text_.size();) {
      const Character next = character_at(text_, at);
      if (!is_space(next.kind)) break;
      at += next.length;
      if (next.kind == CharacterClass::newline) end = at;
    }
    return end;
  }

  /// \s+(?!\S)|\s+: the last white space before something else is left to it, unless it is the only one.
  std::size_t white_space() const {
    std::size_t at = begin_, last = begin_;
    while (at < text_.size()) {
      const Character next = character_at(text_, at);
      if (!is_space(next.kind)) return last > begin_ ? last : at;
      last = at;
      at += next.length;
    }
    return at;
  }

  /// The length of 's, 't, 're, 've, 'm, 'll or 'd, or 0. Regular expressions that ignore case take ſ (U+017F) for an
  /// s.
  std::size_t contraction(bool any_case) const {
    const auto letter = [&](std::size_t offset) {
      if (begin_ + offset >= text_.size()) return '\0';
      const char c = text_[begin_ + offset];
      return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    const char first = letter(1), second = letter(2);
    switch (first) {
      case 's':
      case 't':
      case 'm':
      case 'd': return 2;
      case 'r':
      case 'v': return second == 'e' ? 3 : 0;
      case 'l': return second == 'l' ? 3 : 0;
      default: return any_case && text_.substr(begin_ + 1, 2) == "\xC5\xBF" ? 3 : 0;
    }
  }

  std::string_view text_;
  std::size_t begin_;
};

/// Bytes of the character that `text` begins with; 1 if it is not UTF-8.
std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return length <= text.size() && find_invalid_utf8(text.substr(0, length)) == length ? length : 1;
}

}  // namespace

std::string_view regular_expression(SplitPattern pattern) {
  switch (pattern) {
    case SplitPattern::none: return "";
    case SplitPattern::gpt2: return R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
    case SplitPattern::llama3:
      return R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    case SplitPattern::qwen2:
      return R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    case SplitPattern::characters: return R"([\s\S])";
  }
  return "";
}

std::size_t piece_end(SplitPattern pattern, std::string_view text, std::size_t begin) {
  switch (pattern) {
    case SplitPattern::none: return text.size();
    case SplitPattern::gpt2: return Scanner(text, begin).gpt2();
    case SplitPattern::llama3: return Scanner(text, begin).llama3(3);
    case SplitPattern::qwen2: return Scanner(text, begin).llama3(1);
    case SplitPattern::characters: return begin + utf8_length(text.substr(begin));
  }
  return text.size();
}

}  // namespace minima::data::detail
