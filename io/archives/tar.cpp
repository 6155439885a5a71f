#include <minima/io/archives/tar.h>

#include <minima/io/files/format_error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace minima {

namespace {

constexpr std::size_t block_size = 512;
constexpr std::uint64_t max_text = 1 << 20;  ///< limit for a name or a pax header
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 62;

std::uint64_t padded(std::uint64_t size) { return (size + block_size - 1) / block_size * block_size; }

std::string_view text_at(const unsigned char* block, std::size_t at, std::size_t size) {
  const char* begin = reinterpret_cast<const char*>(block) + at;
  return {begin, ::strnlen(begin, size)};
}

/// Octal digits, or GNU's big-endian number after a byte 0x80; false for anything else.
bool read_number(const unsigned char* block, std::size_t at, std::size_t size, std::uint64_t& value) {
  value = 0;
  if (block[at] == 0x80) {
    for (std::size_t i = 1; i < size; ++i) {
      if (value >> 56 != 0) return false;
      value = value << 8 | block[at + i];
    }
    return true;
  }
  std::size_t i = 0;
  while (i < size && block[at + i] == ' ') ++i;
  const std::size_t first = i;
  for (; i < size && block[at + i] >= '0' && block[at + i] <= '7'; ++i) value = value << 3 | (block[at + i] - '0');
  if (i == first) return false;
  for (; i < size; ++i)
    if (block[at + i] != ' ' && block[at + i] != 0) return false;
  return true;
}

/// Some old programs add up signed bytes.
bool checksum_matches(const unsigned char* block) {
  std::uint64_t expected = 0;
  if (!read_number(block, 148, 8, expected)) return false;
  std::int64_t sum = 0, signed_sum = 0;
  for (std::size_t i = 0; i < block_size; ++i) {
    const unsigned char byte = i >= 148 && i < 156 ? ' ' : block[i];
    sum += byte;
    signed_sum += static_cast<signed char>(byte);
  }
  const auto wanted = static_cast<std::int64_t>(expected);
  return sum == wanted || signed_sum == wanted;
}

bool is_file(char type) { return type == '0' || type == '\0' || type == '7'; }
/// Whether an entry that is no file has content: links, devices and folders have none, global headers do.
bool has_content(char type) { return type < '1' || type > '6'; }

bool is_zero(const unsigned char* block) {
  return std::all_of(block, block + block_size, [](unsigned char c) { return c == 0; });
}

/// Parses records `LENGTH KEY=VALUE\n`; false if they are malformed.
bool read_pax(std::string_view text, std::string& path, std::uint64_t& size, bool& has_size) {
  while (!text.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || length <= digits + 1 || length > text.size() || text[digits] != ' ' ||
        text[length - 1] != '\n')
      return false;
    const std::string_view record = text.substr(digits + 1, length - digits - 2);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
    if (key.starts_with("GNU.sparse.")) return false;  // the content is a list of segments
    if (key == "path") path = value;
    if (key == "size") {
      const auto number = std::from_chars(value.data(), value.data() + value.size(), size);
      if (number.ec != std::errc() || number.ptr != value.data() + value.size()) return false;
      has_size = true;
    }
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

void TarReader::fail(std::uint64_t at, const std::string& what) const { detail::throw_format_error(name_, at, what); }

void TarReader::read_block(unsigned char* block) {
  const std::size_t count = source_.read(block, block_size);
  if (count == 0)
    fail(at_,
         at_ == 0 ? "an empty file, not a tar archive" : "the archive does not end in a block of zeros: truncated?");
  if (count < block_size) fail(at_ + count, "the archive ends inside a header: truncated?");
  at_ += block_size;
}

/// Archives end in two blocks of zeros, and up to 19 more that pad the size to a multiple of 10,240 bytes (GNU tar,
/// Python). One is enough to know that nothing is missing. A longer run suggests a hole in the file.
void TarReader::expect_end(std::uint64_t at) {
  unsigned char piece[8 * block_size];
  while (const std::size_t count = source_.read(piece, sizeof piece)) {
    for (std::size_t i = 0; i < count; ++i)
      if (piece[i] != 0)
        fail(at_ + i, str("data after the end of the archive at byte ", at,
                          ": a header overwritten by zeros, or two concatenated archives?"));
    at_ += count;
    if (at_ - at > 21 * block_size)
      fail(at, "the archive ends in more zeros than its end marker has: is a part of it missing?");
  }
}

void TarReader::skip(std::uint64_t bytes) {
  if (!source_.skip(bytes)) fail(at_, str("the archive ends before the promised ", bytes, " bytes: truncated?"));
  at_ += bytes;
}

std::string TarReader::read_text(std::uint64_t size, std::uint64_t most) {
  if (size > most) fail(at_ - block_size, str("a name or extended header of ", size, " bytes"));
  std::string text(size, '\0');
  if (source_.read(text.data(), size) < size) fail(at_, "the archive ends inside an extended header: truncated?");
  at_ += size;
  skip(padded(size) - size);
  return text;
}

/// Holds what 'L' and 'x' headers say about the next entry.
struct TarReader::ExtendedHeader {
  std::string name;
  std::uint64_t size = 0;
  bool has_size = false;
};

std::uint64_t TarReader::size_in(const unsigned char* block) const {
  const std::uint64_t at = at_ - block_size + 124;
  std::uint64_t size = 0;
  if (!read_number(block, 124, 12, size)) fail(at, "the size is not a number");
  if (size > max_bytes) fail(at, str("a size of ", size, " bytes"));
  return size;
}

void TarReader::read_extended_header(char type, std::uint64_t size, ExtendedHeader& header) {
  const std::uint64_t at = at_;
  const std::string text = read_text(size, max_text);
  if (type == 'L') header.name = text.c_str();
  else if (!read_pax(text, header.name, header.size, header.has_size))
    fail(at, "a malformed pax header, or one of a sparse file, which is not supported");
  if (header.has_size && header.size > max_bytes) fail(at, str("a size of ", header.size, " bytes"));
}

std::string TarReader::name_in(const unsigned char* block, const ExtendedHeader& header) const {
  if (!header.name.empty()) return detail::printable(header.name);
  const bool ustar = std::memcmp(block + 257, "ustar\0", 6) == 0;
  const std::string prefix = ustar ? std::string(text_at(block, 345, 155)) : "", name(text_at(block, 0, 100));
  if (prefix.empty() && name.empty()) fail(at_ - block_size, "an entry without a name");
  return detail::printable(prefix.empty() ? name : str(prefix, "/", name));
}

bool TarReader::next(Entry& entry) {
  if (ended_) return false;
  skip(std::exchange(left_, 0));
  ExtendedHeader extended;
  unsigned char block[block_size];
  while (true) {
    read_block(block);
    const std::uint64_t at = at_ - block_size;
    if (is_zero(block)) {
      if (!extended.name.empty() || extended.has_size)
        fail(at, "the archive ends after an extended header, without the file it describes");
      expect_end(at);
      ended_ = true;
      return false;
    }
    if (!checksum_matches(block)) fail(at, "not a tar header: wrong checksum");
    const std::uint64_t size = size_in(block);
    const char type = static_cast<char>(block[156]);
    if (type == 'L' || type == 'x') {
      read_extended_header(type, size, extended);
      continue;
    }
    const std::uint64_t content = extended.has_size ? extended.size : size;
    if (type == 'S') fail(at, "sparse files are not supported; write the archive without --sparse");
    if (!is_file(type)) {
      if (has_content(type)) skip(padded(content));
      extended = {};
      continue;
    }
    entry = {name_in(block, extended), content, at_};
    if (type == '\0' && entry.name.ends_with('/')) {  // a folder of the format before POSIX
      extended = {};
      continue;
    }
    left_ = padded(content);
    return true;
  }
}

void TarReader::read(const Entry& entry, std::string& content, std::uint64_t most) {
  if (at_ != entry.data) fail(at_, str(entry.name, " was already read"));
  if (entry.size > most) fail(entry.data, str(entry.name, " has ", entry.size, " bytes; the limit is ", most));
  constexpr std::uint64_t piece_size = 1 << 20;
  content.clear();
  while (content.size() < entry.size) {
    const std::size_t before = content.size(),
                      wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece_size, entry.size - before));
    content.resize(before + wanted);
    const std::size_t got = source_.read(content.data() + before, wanted);
    at_ += got;
    if (got < wanted) fail(at_, str("the archive ends inside ", entry.name, ": truncated?"));
  }
  left_ = padded(entry.size) - entry.size;
}

}  // namespace minima
