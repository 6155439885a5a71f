#include <minima/io/text/json.h>

#include <minima/io/text/json_reader.h>
#include <minima/io/text/utf8.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima {

namespace {

const char* name(Json::Kind kind) {
  constexpr const char* names[] = {"null",     "a boolean", "an integer", "an integer above int64",
                                   "a number", "a string",  "an array",   "an object"};
  return names[static_cast<int>(kind)];
}

Json read_value(JsonReader& in) {
  switch (in.peek()) {
    case JsonReader::Kind::null: in.null(); return {};
    case JsonReader::Kind::boolean: return in.boolean();
    case JsonReader::Kind::string: return in.string();
    case JsonReader::Kind::number:
      if (!in.number_is_integer()) return in.number();
      return in.number_is_negative() ? Json(in.integer()) : Json(in.unsigned_integer());
    case JsonReader::Kind::array: {
      Json array = Json::array();
      for (in.begin_array(); in.next_item();) array.push_back(read_value(in));
      return array;
    }
    case JsonReader::Kind::object: break;
  }
  std::vector<Json::Member> members;
  in.begin_object();
  for (std::string key; in.next_key(key);) members.emplace_back(key, read_value(in));
  return Json::object(std::move(members));
}

/// Always with a point or an exponent, so that 1.0 does not read back as an integer.
std::string number_text(double value) {
  if (!std::isfinite(value)) throw ValueError(str("JSON: cannot represent ", value));
  std::string text = str(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void append_line(std::string& out, int indent, int depth) {
  if (indent == 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth), ' ');
}

}  // namespace

Json Json::array(std::vector<Json> items) {
  Json result;
  result.kind_ = Kind::array;
  result.items_ = std::move(items);
  return result;
}

Json Json::object(std::vector<Member> members) {
  Json result;
  result.kind_ = Kind::object;
  result.members_ = std::move(members);
  return result;
}

void Json::expect(Kind kind) const {
  if (kind_ != kind) throw ValueError(str("JSON: expected ", name(kind), ", got ", name(kind_)));
}

bool Json::boolean() const {
  expect(Kind::boolean);
  return integer_ != 0;
}

std::int64_t Json::integer() const {
  expect(Kind::integer);
  return integer_;
}

std::uint64_t Json::unsigned_integer() const {
  if (kind_ != Kind::unsigned_integer) expect(Kind::integer);
  if (kind_ == Kind::integer && integer_ < 0) throw ValueError(str("JSON: expected an integer ≥ 0, got ", integer_));
  return static_cast<std::uint64_t>(integer_);
}

double Json::number() const {
  if (kind_ == Kind::integer) return static_cast<double>(integer_);
  if (kind_ == Kind::unsigned_integer) return static_cast<double>(static_cast<std::uint64_t>(integer_));
  expect(Kind::number);
  return number_;
}

const std::string& Json::string() const {
  expect(Kind::string);
  return string_;
}

const std::vector<Json>& Json::items() const {
  expect(Kind::array);
  return items_;
}

const std::vector<Json::Member>& Json::members() const {
  expect(Kind::object);
  return members_;
}

const Json* Json::find(std::string_view key) const {
  for (const Member& member : members())
    if (member.first == key) return &member.second;
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  const Json* value = find(key);
  if (!value) throw ValueError(str("JSON: the object has no member \"", std::string(key), "\""));
  return *value;
}

void Json::set(std::string_view key, Json value) {
  expect(Kind::object);
  for (Member& member : members_)
    if (member.first == key) {
      member.second = std::move(value);
      return;
    }
  members_.emplace_back(key, std::move(value));
}

void Json::push_back(Json value) {
  expect(Kind::array);
  items_.push_back(std::move(value));
}

Json Json::parse(std::string_view text, const std::string& source, JsonDialect dialect) {
  JsonReader in(text, source, 0, dialect);
  Json value = read_value(in);
  in.end();
  return value;
}

void Json::append_to(std::string& out, int indent, int depth) const {
  switch (kind_) {
    case Kind::null: out += "null"; return;
    case Kind::boolean: out += integer_ ? "true" : "false"; return;
    case Kind::integer: out += str(integer_); return;
    case Kind::unsigned_integer: out += str(static_cast<std::uint64_t>(integer_)); return;
    case Kind::number: out += number_text(number_); return;
    case Kind::string: out += json_quoted(string_); return;
    case Kind::array:
    case Kind::object: break;
  }
  const bool is_object = kind_ == Kind::object;
  const std::size_t count = is_object ? members_.size() : items_.size();
  out += is_object ? '{' : '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += indent ? "," : ", ";
    append_line(out, indent, depth + 1);
    if (is_object) out += json_quoted(members_[i].first) + ": ";
    (is_object ? members_[i].second : items_[i]).append_to(out, indent, depth + 1);
  }
  if (count > 0) append_line(out, indent, depth);
  out += is_object ? '}' : ']';
}

std::string Json::text(int indent) const {
  std::string out;
  append_to(out, indent, 0);
  return out;
}

bool operator==(const Json& a, const Json& b) {
  if (a.kind_ != b.kind_) return false;
  if (a.kind_ == Json::Kind::number) return a.number_ == b.number_;
  return a.integer_ == b.integer_ && a.string_ == b.string_ && a.items_ == b.items_ && a.members_ == b.members_;
}

Json Json::with_valid_utf8() const {
  Json result = *this;
  result.string_ = minima::with_valid_utf8(string_);
  for (Json& item : result.items_) item = item.with_valid_utf8();
  for (auto& [key, value] : result.members_) key = minima::with_valid_utf8(key), value = value.with_valid_utf8();
  return result;
}

std::string json_quoted(std::string_view text) {
  const std::size_t bad = find_invalid_utf8(text);
  if (bad != text.size()) throw ValueError(str("JSON: the string is not UTF-8 at its byte ", bad));
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) {
          out += c;
        } else {
          constexpr const char* digits = "0123456789abcdef";
          out += "\\u00";
          out += digits[c >> 4];
          out += digits[c & 15];
        }
    }
  }
  return out + '"';
}

std::string json_quoted_name(std::string_view text) { return json_quoted(with_valid_utf8(text)); }

}  // namespace minima
