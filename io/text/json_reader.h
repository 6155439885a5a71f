#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minima {

/// Reads strict JSON (RFC 8259) piece by piece, so that a file format never builds more than it understands:
///
///     JsonReader in(text, "model.json");
///     in.begin_object();
///     for (std::string key; in.next_key(key);) sizes[key] = in.integer();
///     in.end();
///
/// Stricter than most: the text must be UTF-8, a key may occur once per object, integers must fit 64 bits, numbers
/// float64, nesting is limited, nothing but white space may follow. Every error is a FormatError that starts with
/// `SOURCE: byte OFFSET: `.
class MINIMA_API JsonReader {
 public:
  static constexpr int kDepthLimit = 64;

  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  /// `text` must outlive the reader; `base` is where it starts in its file, for the offsets in messages.
  explicit JsonReader(std::string_view text, std::string source = "JSON", std::size_t base = 0);

  /// What comes next.
  Kind peek();

  void null();
  bool boolean();
  std::string string();
  /// True if the number that comes next has neither fraction nor exponent.
  bool number_is_integer();
  /// True if the number that comes next is negative.
  bool number_is_negative();
  std::int64_t integer();
  std::uint64_t unsigned_integer();
  double number();

  void begin_object();
  /// Moves to the next member and gives its key; false after the last one, which closes the object.
  bool next_key(std::string& key);
  void begin_array();
  /// Moves to the next element; false after the last one, which closes the array.
  bool next_item();
  /// Passes over the next value, whatever it is.
  void skip();
  /// Nothing may follow.
  void end();

  /// Where in the file the last value or key started.
  std::size_t offset() const { return base_ + start_; }
  /// Throws FormatError at the place of the last value or key that was read.
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
  std::string_view number_text();
  void refuse_repeated(std::vector<Key>& keys) const;
  void append_escape(std::string& out);
  std::uint32_t hex4();

  std::string_view text_;
  std::string source_;
  std::size_t base_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  std::vector<Level> levels_;
};

}  // namespace minima
