#include <minima/io/archives/tar.h>

#include <minima/io/files/format_error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

namespace minima {

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kMostText = 1 << 20;  ///< of a name or a pax header

std::uint64_t padded(std::uint64_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

std::string_view text_at(const unsigned char* block, std::size_t at, std::size_t size) {
  const char* begin = reinterpret_cast<const char*>(block) + at;
  return {begin, ::strnlen(begin, size)};
}

/// Octal digits, or GNU's big-endian number after a first byte of 0x80; false for anything else.
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

bool check_sum_matches(const unsigned char* block) {
  std::uint64_t expected = 0, sum = 0;
  if (!read_number(block, 148, 8, expected)) return false;
  for (std::size_t i = 0; i < kBlock; ++i) sum += i >= 148 && i < 156 ? ' ' : block[i];
  return sum == expected;
}

bool is_zero(const unsigned char* block) {
  return std::all_of(block, block + kBlock, [](unsigned char c) { return c == 0; });
}

/// Records are `LENGTH KEY=VALUE\n`; false if they are not.
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
    if (key.starts_with("GNU.sparse.")) return false;  // the content is a map of pieces
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

bool TarReader::read_block(unsigned char* block) {
  const std::size_t count = source_.read(block, kBlock);
  if (count == 0) return false;
  if (count < kBlock) fail(at_ + count, "the archive ends inside a header: cut off?");
  at_ += kBlock;
  return true;
}

/// The end is two blocks of zeros, and up to 19 more to make the size a multiple of 10,240 bytes (GNU tar, Python). One
/// is enough to know that nothing is missing. A longer run is what a lost piece of the file reads as.
void TarReader::expect_end(std::uint64_t at) {
  unsigned char piece[8 * kBlock];
  while (const std::size_t count = source_.read(piece, sizeof piece)) {
    for (std::size_t i = 0; i < count; ++i)
      if (piece[i] != 0)
        fail(at_ + i, str("something follows the end of the archive at byte ", at,
                          ": a header overwritten by zeros, or two archives in one file?"));
    at_ += count;
    if (at_ - at > 21 * kBlock)
      fail(at, "zeros to the end of the archive, more than mark an end: a piece of it is lost?");
  }
}

void TarReader::pass_over(std::uint64_t bytes) {
  if (!source_.skip(bytes)) fail(at_, str("the archive ends before the ", bytes, " bytes that it promises: cut off?"));
  at_ += bytes;
}

std::string TarReader::read_text(std::uint64_t size, std::uint64_t most) {
  if (size > most) fail(at_ - kBlock, str("a name or extended header of ", size, " bytes"));
  std::string text(size, '\0');
  if (source_.read(text.data(), size) < size) fail(at_, "the archive ends inside an extended header: cut off?");
  at_ += size;
  pass_over(padded(size) - size);
  return text;
}

bool TarReader::next(Entry& entry) {
  if (ended_) return false;
  pass_over(std::exchange(left_, 0));
  std::string long_name;
  std::uint64_t long_size = 0;
  bool has_size = false;
  unsigned char block[kBlock];
  while (true) {
    if (!read_block(block))
      fail(at_, at_ == 0 ? "an empty file, not a tar archive"
                         : "the archive ends without the block of zeros that marks its end: cut off?");
    const std::uint64_t at = at_ - kBlock;
    if (is_zero(block)) {
      if (!long_name.empty() || has_size)
        fail(at, "the archive ends after an extended header, without the file it describes");
      expect_end(at);
      ended_ = true;
      return false;
    }
    if (!check_sum_matches(block)) fail(at, "not a tar header: its check sum is wrong");
    std::uint64_t size = 0;
    if (!read_number(block, 124, 12, size)) fail(at + 124, "the size is no number");
    const char type = static_cast<char>(block[156]);
    if (size > std::uint64_t{1} << 62) fail(at + 124, str("a size of ", size, " bytes"));
    if (type == 'L' || type == 'x') {  // GNU's long name; pax header of the next entry
      const std::string text = read_text(size, kMostText);
      if (type == 'L') long_name = text.c_str();
      else if (!read_pax(text, long_name, long_size, has_size))
        fail(at + kBlock, "a broken pax header, or a sparse file's, which is not read");
      continue;
    }
    if (has_size) size = long_size;
    if (size > std::uint64_t{1} << 62) fail(at, str("a size of ", size, " bytes"));
    if (type == 'S') fail(at, "a sparse file, which is not read; write the archive without --sparse");
    const bool file = type == '0' || type == '\0' || type == '7';
    if (!file) {  // folders, links, devices, global headers: only the last has content
      const bool has_content =
          type == 'g' || (type != '1' && type != '2' && type != '3' && type != '4' && type != '5' && type != '6');
      if (has_content) pass_over(padded(size));
      long_name.clear();
      has_size = false;
      continue;
    }
    const bool ustar = std::memcmp(block + 257, "ustar\0", 6) == 0;
    const std::string_view prefix = ustar ? text_at(block, 345, 155) : std::string_view();
    entry.name = !long_name.empty() ? long_name
                 : prefix.empty()   ? std::string(text_at(block, 0, 100))
                                    : str(std::string(prefix), "/", std::string(text_at(block, 0, 100)));
    if (entry.name.empty()) fail(at, "an entry without a name");
    entry.name = detail::printable(entry.name);
    entry.size = size;
    entry.data = at_;
    left_ = padded(size);
    return true;
  }
}

void TarReader::read(const Entry& entry, std::string& content, std::uint64_t most) {
  if (at_ != entry.data) fail(at_, str(entry.name, " has been read already"));
  if (entry.size > most) fail(entry.data, str(entry.name, " has ", entry.size, " bytes, at most ", most, " are read"));
  constexpr std::uint64_t kPiece = 1 << 20;
  content.clear();
  while (content.size() < entry.size) {
    const std::size_t before = content.size(),
                      wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, entry.size - before));
    content.resize(before + wanted);
    const std::size_t got = source_.read(content.data() + before, wanted);
    at_ += got;
    if (got < wanted) fail(at_, str("the archive ends inside ", entry.name, ": cut off?"));
  }
  left_ = padded(entry.size) - entry.size;
}

}  // namespace minima
