#include "simulated/ptx/text/tokens.h"

#include "simulated/ptx/text/module.h"

#include <algorithm>
#include <cctype>

namespace simulated::ptx {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

}  // namespace

Tokens::Tokens(std::string_view text) : text_(text) { advance(); }

void Tokens::advance() {
  last_end_ = at_;
  for (;;) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      break;
    }
  }
  start_ = at_;
  if (at_ == text_.size()) {
    current_ = {};
    return;
  }
  if (text_[at_] == '"') {
    at_ = std::min(text_.find('"', at_ + 1), text_.size() - 1) + 1;
  } else if (is_word(text_[at_])) {
    while (at_ < text_.size() && (is_word(text_[at_]) || text_.substr(at_, 2) == "::"))
      at_ += text_[at_] == ':' ? 2 : 1;
  } else {
    ++at_;
  }
  current_ = text_.substr(start_, at_ - start_);
}

std::string_view Tokens::next() {
  const std::string_view word = current_;
  if (word.empty()) fail("the text ends here");
  advance();
  return word;
}

bool Tokens::accept(std::string_view word) {
  if (current_ != word) return false;
  advance();
  return true;
}

void Tokens::expect(std::string_view word) {
  if (!accept(word)) fail("expected " + std::string(word) + " before " + std::string(current_));
}

std::string_view Tokens::skip_block() {
  const std::size_t begin = start_;
  std::size_t depth = 1, at = begin;
  for (; at < text_.size(); ++at) {
    if (text_[at] == '{') ++depth;
    if (text_[at] == '}' && --depth == 0) break;
  }
  if (at >= text_.size()) fail("a brace is not closed");
  at_ = at + 1;
  advance();
  return text_.substr(begin, at - begin);
}

void Tokens::skip_line() {
  at_ = std::min(text_.find('\n', start_), text_.size());
  advance();
}

void Tokens::fail(const std::string& what) const {
  const std::string_view before = text_.substr(0, start_);
  const std::size_t line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  throw SyntaxError("PTX, line " + std::to_string(line + 1) + ": " + what + ": " +
                    std::string(text_.substr(begin, std::min(text_.find('\n', start_), text_.size()) - begin)));
}

}  // namespace simulated::ptx
