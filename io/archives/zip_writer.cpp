#include <minima/io/archives/zip_writer.h>

#include <minima/io/archives/zip_records.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <zlib.h>
#include <algorithm>

namespace minima {

using namespace detail::zip;

namespace {

constexpr std::uint16_t padding_tag = 0x4246;                   ///< PyTorch's own, "FB"
constexpr std::uint16_t utf8_names = 0x0800, day_one = 0x0021;  ///< 1980-01-01

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFu);
}

std::uint64_t small(std::uint64_t value) { return std::min(value, in_64); }
bool is_large(std::uint64_t value) { return value >= in_64; }

/// The fields that local and central headers share, from the version needed on.
void put_common(std::string& out, bool zip64, std::uint32_t crc, std::uint64_t size, std::size_t name_bytes,
                std::size_t extra_bytes) {
  put(out, zip64 ? 45 : 20, 2);
  put(out, utf8_names, 2);
  put(out, 0, 2);  // stored
  put(out, 0, 2);
  put(out, day_one, 2);
  put(out, crc, 4);
  put(out, small(size), 4);
  put(out, small(size), 4);
  put(out, name_bytes, 2);
  put(out, extra_bytes, 2);
}

/// zlib counts in 32 bits.
std::uint32_t crc_of(std::span<const std::byte> data) {
  std::uint32_t crc = 0;
  for (std::size_t at = 0; at < data.size(); at += std::size_t{1} << 30) {
    const std::size_t piece = std::min(data.size() - at, std::size_t{1} << 30);
    crc = static_cast<std::uint32_t>(
        ::crc32(crc, reinterpret_cast<const Bytef*>(data.data() + at), static_cast<uInt>(piece)));
  }
  return crc;
}

}  // namespace

void ZipWriter::write(const std::string& bytes) {
  write_(bytes.data(), bytes.size());
  at_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::span<const std::byte> data, std::size_t alignment) {
  const Member member{.name = name, .crc = crc_of(data), .size = data.size(), .header = at_};
  std::string extra;
  if (is_large(member.size)) {
    put(extra, 1, 2);
    put(extra, 16, 2);
    put(extra, member.size, 8);
    put(extra, member.size, 8);
  }
  constexpr std::size_t field_bytes = 4;
  if (const std::size_t over = (at_ + local_bytes + name.size() + extra.size()) % alignment; over != 0) {
    std::size_t padding = alignment - over;
    while (padding < field_bytes) padding += alignment;
    put(extra, padding_tag, 2);
    put(extra, padding - field_bytes, 2);
    extra.append(padding - field_bytes, '\0');
  }
  std::string header;
  put(header, local_signature, 4);
  put_common(header, is_large(member.size), member.crc, member.size, name.size(), extra.size());
  write(header + name + extra);
  write_(data.data(), data.size());
  at_ += data.size();
  members_.push_back(member);
}

void ZipWriter::finish() {
  const std::uint64_t start = at_;
  for (const Member& member : members_) {
    std::string numbers, extra;
    if (is_large(member.size)) put(numbers, member.size, 8), put(numbers, member.size, 8);
    if (is_large(member.header)) put(numbers, member.header, 8);
    if (!numbers.empty()) {
      put(extra, 1, 2);
      put(extra, numbers.size(), 2);
      extra += numbers;
    }
    std::string record;
    put(record, central_signature, 4);
    put(record, extra.empty() ? 20 : 45, 2);
    put_common(record, !extra.empty(), member.crc, member.size, member.name.size(), extra.size());
    put(record, 0, 2);  // no comment
    put(record, 0, 2);  // first volume
    put(record, 0, 2);
    put(record, 0, 4);
    put(record, small(member.header), 4);
    write(record + member.name + extra);
  }
  const std::uint64_t end = at_, size = end - start, count = members_.size();
  std::string record;
  if (count >= 0xFFFF || is_large(size) || is_large(start)) {
    put(record, end64_signature, 4);
    put(record, 44, 8);  // bytes that follow
    put(record, 45, 2);
    put(record, 45, 2);
    put(record, 0, 8);  // first volume
    put(record, count, 8);
    put(record, count, 8);
    put(record, size, 8);
    put(record, start, 8);
    put(record, locator64_signature, 4);
    put(record, 0, 4);
    put(record, end, 8);
    put(record, 1, 4);
  }
  put(record, end_signature, 4);
  put(record, 0, 4);
  put(record, std::min<std::uint64_t>(count, 0xFFFF), 2);
  put(record, std::min<std::uint64_t>(count, 0xFFFF), 2);
  put(record, small(size), 4);
  put(record, small(start), 4);
  put(record, 0, 2);
  write(record);
}

}  // namespace minima
