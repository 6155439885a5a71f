#pragma once

#include <minima/io/text/json.h>
#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minima {

/// A pull parser for strict JSON (RFC 8259), so that a file format never builds more than it understands:
///
///     JsonReader in(text, "model.json");
///     in.begin_object();
///     for (std::string key; in.next_key(key);) sizes[key] = in.integer();
///     in.end();
///
/// Stricter than most parsers: the text must be UTF-8, keys must be unique within an object, integers must fit 64 bits,
/// nesting is limited, and only white space may follow. As in Python, a number outside of float64's range is ±infinity
/// or ±0. Every error is a FormatError that starts with `SOURCE: byte OFFSET: `.
class MINIMA_API JsonReader {
 public:
  static constexpr int depth_limit = 64;

  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  /// `text` must outlive the reader; `base` is its offset in the file, for messages.
  explicit JsonReader(std::string_view text, std::string source = "JSON", std::size_t base = 0,
                      JsonDialect dialect = JsonDialect::strict);

  /// The kind of the next value.
  Kind peek();

  void null();
  bool boolean();
  std::string string();
  /// Whether the next number has neither fraction nor exponent.
  bool number_is_integer();
  /// Whether the next number is negative.
  bool number_is_negative();
  std::int64_t integer();
  std::uint64_t unsigned_integer();
  double number();

  void begin_object();
  /// Advances to the next member and reads its key; false at the end of the object.
  bool next_key(std::string& key);
  void begin_array();
  /// Advances to the next element; false at the end of the array.
  bool next_item();
  /// Skips the next value.
  void skip();
  /// Throws unless only white space follows.
  void end();

  /// The offset in the file of the last value or key.
  std::size_t offset() const { return base_ + start_; }
  /// Throws FormatError at the last value or key.
  [[noreturn]] void fail(const std::string& what) const { fail_at(start_, what); }

 private:
  struct Key {
    std::string text;
    std::size_t at;
  };
  struct Level {
    bool is_object;
    bool first = true;
    std::vector<Key> keys;  ///< compared when the object closes
  };

  [[noreturn]] void fail_at(std::size_t at, const std::string& what) const;
  void skip_space();
  void start_value();
  void begin(bool object);
  bool next(char close);
  void expect_word(std::string_view word);
  std::string_view literal() const;
  std::string_view number_text();
  void refuse_repeated(std::vector<Key>& keys) const;
  void append_escape(std::string& out);
  std::uint32_t hex4();

  std::string_view text_;
  std::string source_;
  std::size_t base_;
  JsonDialect dialect_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  std::vector<Level> levels_;
};

}  // namespace minima
