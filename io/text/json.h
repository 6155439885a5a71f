#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima {

/// Selects the texts that JsonReader accepts.
enum class JsonDialect : std::uint8_t {
  strict,
  python,  ///< also NaN, Infinity and -Infinity, as Python's json.dumps writes; integers past 64 bits are numbers
};

/// A JSON value. Objects keep the order of their members. Integers are exact over the ranges of int64 and uint64.
///
///     Json run = Json::object();
///     run.set("epochs", 5);
///     run.set("lr", 0.1);
///     write_file("run.json", run.text(2));
class MINIMA_API Json {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, unsigned_integer, number, string, array, object };
  using Member = std::pair<std::string, Json>;

  Json() = default;
  /// A number or a boolean. An unsigned value that fits int64 has the kind `integer`, so equal numbers are equal
  /// values.
  template <class T>
  requires std::is_arithmetic_v<T> Json(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      kind_ = Kind::number;
      number_ = static_cast<double>(value);
    } else {
      integer_ = static_cast<std::int64_t>(value);
      if constexpr (std::is_same_v<T, bool>) kind_ = Kind::boolean;
      else kind_ = std::is_unsigned_v<T> && integer_ < 0 ? Kind::unsigned_integer : Kind::integer;
    }
  }
  Json(std::string value) : kind_(Kind::string), string_(std::move(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  static Json array(std::vector<Json> items = {});
  static Json object(std::vector<Member> members = {});

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }

  // These throw a ValueError that names both kinds if the value is of another kind. `number` also accepts integers.
  bool boolean() const;
  std::int64_t integer() const;
  std::uint64_t unsigned_integer() const;
  double number() const;
  const std::string& string() const;
  const std::vector<Json>& items() const;
  const std::vector<Member>& members() const;

  /// The member's value, null if there is none.
  const Json* find(std::string_view key) const;
  /// The member's value; throws ValueError if there is none.
  const Json& at(std::string_view key) const;
  /// Adds the member or replaces its value.
  void set(std::string_view key, Json value);
  void push_back(Json value);

  /// Parses a text as strictly as JsonReader, with its errors.
  static Json parse(std::string_view text, const std::string& source = "JSON",
                    JsonDialect dialect = JsonDialect::strict);
  /// JSON text that reads back as the same value; `indent` 0 puts all on one line. Throws ValueError for NaN,
  /// infinities and strings that are not UTF-8.
  std::string text(int indent = 0) const;
  /// A copy that `text` takes even if it holds names of any bytes: those that are not UTF-8 become U+FFFD.
  Json with_valid_utf8() const;

  friend bool operator==(const Json& a, const Json& b);

 private:
  void expect(Kind kind) const;
  void append_to(std::string& out, int indent, int depth) const;

  Kind kind_ = Kind::null;
  union {
    std::int64_t integer_ = 0;  ///< also boolean, and unsigned_integer's bits
    double number_;
  };
  std::string string_;
  std::vector<Json> items_;
  std::vector<Member> members_;
};

/// `text` as a quoted JSON string. Throws ValueError if it is not UTF-8.
MINIMA_API std::string json_quoted(std::string_view text);
/// The same for a name that a program chose: each byte that is not UTF-8 becomes U+FFFD.
MINIMA_API std::string json_quoted_name(std::string_view text);

}  // namespace minima
