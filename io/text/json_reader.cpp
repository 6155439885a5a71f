#include <minima/io/text/json_reader.h>

#include <minima/io/files/format_error.h>
#include <minima/io/text/json.h>
#include <minima/io/text/number.h>
#include <minima/io/text/utf8.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace minima {

namespace {

bool fits_64_bits(std::string_view integer) {
  std::int64_t value = 0;
  std::uint64_t larger = 0;
  const char *begin = integer.data(), *end = begin + integer.size();
  return std::from_chars(begin, end, value).ec == std::errc() || std::from_chars(begin, end, larger).ec == std::errc();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80u | ((code >> shift) & 0x3Fu)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0u | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0u | code >> 12);
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0u | code >> 18);
    tail(12), tail(6), tail(0);
  }
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string source, std::size_t base, JsonDialect dialect)
    : text_(text), source_(std::move(source)), base_(base), dialect_(dialect) {
  const std::size_t bad = find_invalid_utf8(text_);
  if (bad != text_.size()) fail_at(bad, "is not UTF-8");
}

void JsonReader::fail_at(std::size_t at, const std::string& what) const {
  detail::throw_format_error(source_, base_ + at, what);
}

void JsonReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

void JsonReader::start_value() {
  skip_space();
  start_ = at_;
  if (at_ == text_.size()) fail_at(at_, "ends where a value should be");
}

JsonReader::Kind JsonReader::peek() {
  start_value();
  switch (const char c = text_[at_]) {
    case 'n': return Kind::null;
    case 't':
    case 'f': return Kind::boolean;
    case '"': return Kind::string;
    case '[': return Kind::array;
    case '{': return Kind::object;
    default:
      if (c != '-' && !is_digit(c) && literal().empty()) fail("expected a JSON value");
      return Kind::number;
  }
}

void JsonReader::expect_word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) fail("expected " + std::string(word));
  at_ += word.size();
}

void JsonReader::null() {
  start_value();
  expect_word("null");
}

bool JsonReader::boolean() {
  if (peek() != Kind::boolean) fail("expected true or false");
  const bool value = text_[at_] == 't';
  expect_word(value ? "true" : "false");
  return value;
}

// --- numbers ---

/// The number in Python's dialect at this place that is a word; empty without one.
std::string_view JsonReader::literal() const {
  if (dialect_ == JsonDialect::python)
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
      if (text_.substr(at_, word.size()) == word) return word;
  return {};
}

std::string_view JsonReader::number_text() {
  if (peek() != Kind::number) fail("expected a number");
  if (const std::string_view word = literal(); !word.empty()) {
    at_ += word.size();
    return word;
  }
  const auto digits = [&] {
    const std::size_t first = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ == first) fail_at(at_, "expected a digit");
  };
  if (text_[at_] == '-') ++at_;
  const std::size_t first = at_;
  digits();
  if (text_[first] == '0' && at_ > first + 1) fail("a number may not start with 0");
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    digits();
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    digits();
  }
  return text_.substr(start_, at_ - start_);
}

bool JsonReader::number_is_integer() {
  const std::string_view text = number_text();
  at_ = start_;
  if (dialect_ == JsonDialect::python && !fits_64_bits(text)) return false;
  return text.find_first_of(".eENI") == std::string_view::npos;
}

bool JsonReader::number_is_negative() {
  const bool negative = number_text()[0] == '-';
  at_ = start_;
  return negative;
}

std::int64_t JsonReader::integer() {
  const std::string_view text = number_text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) fail(str("does not fit a 64-bit integer: ", std::string(text)));
  if (end != text.data() + text.size()) fail(str("expected an integer, got ", std::string(text)));
  return value;
}

std::uint64_t JsonReader::unsigned_integer() {
  const std::string_view text = number_text();
  if (text[0] == '-') fail(str("expected an integer that is not negative, got ", std::string(text)));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) fail(str("does not fit a 64-bit integer: ", std::string(text)));
  if (end != text.data() + text.size()) fail(str("expected an integer, got ", std::string(text)));
  return value;
}

double JsonReader::number() {
  const std::string_view text = number_text();
  double value = 0;
  read_float64(text, value);
  return value;
}

// --- strings ---

std::uint32_t JsonReader::hex4() {
  std::uint32_t value = 0;
  const std::string_view digits = text_.substr(at_, 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || digits.size() != 4 || end != digits.data() + 4)
    fail_at(at_, "expected four hexadecimal digits");
  at_ += 4;
  return value;
}

void JsonReader::append_escape(std::string& out) {
  const std::size_t from = at_ - 1;
  const char letter = at_ < text_.size() ? text_[at_++] : '\0';
  switch (letter) {
    case '"':
    case '\\':
    case '/': out += letter; return;
    case 'b': out += '\b'; return;
    case 'f': out += '\f'; return;
    case 'n': out += '\n'; return;
    case 'r': out += '\r'; return;
    case 't': out += '\t'; return;
    case 'u': break;
    default: fail_at(from, "unknown escape in a string");
  }
  std::uint32_t code = hex4();
  if (code >= 0xD800 && code < 0xDC00) {
    if (text_.substr(at_, 2) != "\\u") fail_at(from, "half of a surrogate pair");
    at_ += 2;
    const std::uint32_t low = hex4();
    if (low < 0xDC00 || low > 0xDFFF) fail_at(from, "half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code <= 0xDFFF) {
    fail_at(from, "half of a surrogate pair");
  }
  append_utf8(out, code);
}

std::string JsonReader::string() {
  if (peek() != Kind::string) fail("expected a string");
  ++at_;
  std::string out;
  while (true) {
    const std::size_t plain = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20)
      ++at_;
    out.append(text_, plain, at_ - plain);
    if (at_ == text_.size()) fail("the string does not end");
    const char c = text_[at_++];
    if (c == '"') return out;
    if (c != '\\') fail_at(at_ - 1, "a control character in a string");
    append_escape(out);
  }
}

// --- nesting ---

void JsonReader::begin(bool object) {
  if (peek() != (object ? Kind::object : Kind::array)) fail(object ? "expected an object" : "expected an array");
  if (levels_.size() == depth_limit) fail(str("nested deeper than ", depth_limit, " levels"));
  ++at_;
  levels_.push_back({.is_object = object, .keys = {}});
}

void JsonReader::begin_object() { begin(true); }
void JsonReader::begin_array() { begin(false); }

bool JsonReader::next(char close) {
  Level& level = levels_.back();
  skip_space();
  start_ = at_;
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c == close) {
    ++at_;
    return false;
  }
  if (!level.first) {
    if (c != ',') fail(str("expected , or ", close));
    ++at_;
  }
  level.first = false;
  return true;
}

bool JsonReader::next_item() {
  if (next(']')) return true;
  levels_.pop_back();
  return false;
}

bool JsonReader::next_key(std::string& key) {
  if (!next('}')) {
    refuse_repeated(levels_.back().keys);
    levels_.pop_back();
    return false;
  }
  key = string();
  levels_.back().keys.push_back({key, start_});
  skip_space();
  if (at_ == text_.size() || text_[at_] != ':') fail_at(at_, "expected :");
  ++at_;
  return true;
}

void JsonReader::refuse_repeated(std::vector<Key>& keys) const {
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    const int order = a.text.compare(b.text);
    return order != 0 ? order < 0 : a.at < b.at;
  });
  const auto same = [](const Key& a, const Key& b) { return a.text == b.text; };
  const auto first = std::adjacent_find(keys.begin(), keys.end(), same);
  if (first != keys.end()) fail_at((first + 1)->at, str("the key \"", first->text, "\" occurs twice in one object"));
}

void JsonReader::skip() {
  switch (peek()) {
    case Kind::null: return null();
    case Kind::boolean: boolean(); return;
    case Kind::number: number_is_integer() ? void(number_text()) : void(number()); return;
    case Kind::string: string(); return;
    case Kind::array:
      for (begin_array(); next_item();) skip();
      return;
    case Kind::object: begin_object();
  }
  for (std::string key; next_key(key);) skip();
}

void JsonReader::end() {
  skip_space();
  if (at_ != text_.size()) fail_at(at_, "something follows the end of the JSON value");
}

}  // namespace minima
