#include <minima/io/tensors/npy_header.h>

#include <minima/io/files/format_error.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace minima::detail {

namespace {

constexpr std::size_t longest_text = largest_npy_header - 12;
constexpr int largest_npy_rank = 64;

struct Type {
  const char* code;  ///< without the byte order
  DType dtype;
};
constexpr Type types[] = {{"b1", DType::boolean},   {"i1", DType::int8},       {"u1", DType::uint8},
                          {"i2", DType::int32},     {"u2", DType::int32},      {"i4", DType::int32},
                          {"u4", DType::int64},     {"i8", DType::int64},      {"u8", DType::int64},
                          {"f2", DType::float16},   {"f4", DType::float32},    {"f8", DType::float64},
                          {"c8", DType::complex64}, {"c16", DType::complex128}};

/// Parses the header's dictionary, the only Python syntax that is supported:
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& source, std::size_t base)
      : text_(text), source_(source), base_(base) {}

  void read(NpyHeader& header) {
    expect('{');
    bool has_descr = false, has_order = false, has_shape = false;
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !has_descr) read_type(header), has_descr = true;
      else if (key == "fortran_order" && !has_order) header.fortran_order = boolean(), has_order = true;
      else if (key == "shape" && !has_shape) header.shape = shape(), has_shape = true;
      else fail(str("unknown or repeated key \"", std::string(key), "\""));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("something follows the header's dictionary");
    if (!has_descr || !has_order || !has_shape)
      fail(str("the header lacks ", !has_descr ? "descr" : !has_order ? "fortran_order" : "shape"));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw_format_error(source_, base_ + at_, what); }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(str("expected ", c));
  }

  std::string_view string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("expected a string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("the string does not end");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    if (value.find('\\') != std::string_view::npos) fail("an escape in a string");
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"False", "True"})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    fail("expected True or False");
  }

  Shape shape() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) fail("expected a size");
      if (shape.rank() == largest_npy_rank) fail(str("more than ", largest_npy_rank, " dimensions"));
      at_ = static_cast<std::size_t>(end - text_.data());
      accept('L');  // Python 2's suffix of long integers
      shape.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  void read_type(NpyHeader& header) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') fail("the array holds records, which are not supported");
    const std::string descr(string());
    if (descr.find('O') != std::string::npos)
      fail("the array holds Python objects (pickle), which can run code and are never read");
    const char order = descr.size() >= 3 ? descr[0] : '\0';
    for (const Type& type : types)
      if (order != '\0' && descr.substr(1) == type.code &&
          (order == '<' || order == '>' || (order == '|' && type.code[1] == '1'))) {
        header.kind = type.code[0];
        header.item_bytes = static_cast<std::size_t>(std::atoi(type.code + 1));
        header.big_endian = order == '>';
        header.dtype = type.dtype;
        return;
      }
    fail(str("the type ", descr, " is not supported"));
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t base_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> file, std::uint64_t file_size, const std::string& source) {
  const auto fail = [&](std::size_t at, const std::string& what) { throw_format_error(source, at, what); };
  constexpr std::string_view magic = "\x93NUMPY";
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(magic)) fail(0, "not a .npy file");
  if (text.size() < 10) fail(text.size(), "the file ends inside its header");
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3 || text[7] != 0) fail(6, str("unknown version ", version, ".", int{text[7]}));
  const std::size_t start = version == 1 ? 10 : 12;
  if (text.size() < start) fail(text.size(), "the file ends inside its header");
  std::size_t length = 0;
  for (std::size_t i = start; i-- > 8;) length = length << 8 | static_cast<unsigned char>(text[i]);
  if (length > longest_text) fail(8, str("a header of ", length, " bytes; the limit is ", longest_text));
  if (length > text.size() - start) fail(8, "the file ends inside its header");

  NpyHeader header;
  Dictionary(text.substr(start, length), source, start).read(header);
  header.data = start + length;
  // The tensor's dtype may be wider than the file's, and a size of 0 must not hide an overflow of the others.
  const std::size_t widest = std::max(header.item_bytes, sizeof(std::int64_t));
  auto extent = static_cast<std::int64_t>(widest);
  bool none = false;
  for (const std::int64_t size : header.shape) {
    if (__builtin_mul_overflow(extent, std::max<std::int64_t>(1, size), &extent))
      fail(start, str("shape ", header.shape, " is larger than any memory"));
    none |= size == 0;
  }
  const std::size_t bytes = none ? 0 : static_cast<std::size_t>(extent) / widest * header.item_bytes;
  if (bytes != file_size - header.data)
    fail(header.data,
         str("shape ", header.shape, " needs ", bytes, " bytes, but the file has ", file_size - header.data));
  return header;
}

}  // namespace minima::detail
