#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace simulated::ptx {

/// Reads the words of PTX text: identifiers with their dots (ld.global.u32), numbers, and single characters.
class Tokens {
 public:
  explicit Tokens(std::string_view text);

  /// The current word; empty at the end.
  std::string_view peek() const { return current_; }
  std::string_view next();
  bool at_end() const { return current_.empty(); }
  bool accept(std::string_view word);
  void expect(std::string_view word);
  /// Skips to after the brace that closes the one just read, and returns what is between them.
  std::string_view skip_block();
  /// Skips the rest of the line.
  void skip_line();
  /// The start of the current word, and the text from an earlier place to the last word's end.
  std::size_t position() const { return start_; }
  std::string_view since(std::size_t position) const { return text_.substr(position, last_end_ - position); }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void advance();

  std::string_view text_;
  std::size_t at_ = 0, start_ = 0, last_end_ = 0;
  std::string_view current_;
};

}  // namespace simulated::ptx
