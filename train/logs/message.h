#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace minima::detail {

template <class T>
void append_bytes(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

/// Builds one message in the protocol buffer wire format:
///
///     const std::string point = Message().number(1, 0.5).bytes(2, Message().varint(1, 7).text()).text();
class Message {
 public:
  Message& varint(int field, std::uint64_t value) {
    tag(field, 0);
    append_varint(value);
    return *this;
  }
  Message& number(int field, double value) {
    tag(field, 1);
    append_bytes(text_, value);
    return *this;
  }
  Message& single(int field, float value) {
    tag(field, 5);
    append_bytes(text_, value);
    return *this;
  }
  /// A string, or the text of another message.
  Message& bytes(int field, std::string_view value) {
    tag(field, 2);
    append_varint(value.size());
    text_.append(value);
    return *this;
  }
  Message& numbers(int field, const std::vector<double>& values) {
    std::string packed;
    for (const double value : values) append_bytes(packed, value);
    return bytes(field, packed);
  }
  const std::string& text() const { return text_; }

 private:
  void tag(int field, int type) { append_varint(static_cast<std::uint64_t>(field << 3 | type)); }
  void append_varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) text_ += static_cast<char>(value | 128u);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

}  // namespace minima::detail
