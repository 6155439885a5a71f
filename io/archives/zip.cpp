#include <minima/io/archives/zip.h>

#include <minima/io/archives/gzip.h>
#include <minima/io/archives/zip_records.h>
#include <minima/io/files/format_error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>
#include <algorithm>

namespace minima {

using namespace detail::zip;

void ZipArchive::fail(std::uint64_t at, const std::string& what) const {
  detail::throw_format_error(source_, at, what);
}

/// Reads a little-endian number; fails outside the archive.
std::uint64_t ZipArchive::number(std::uint64_t at, int bytes) const {
  const auto count = static_cast<std::uint64_t>(bytes);
  if (at > bytes_.size() || count > bytes_.size() - at) fail(at, "the archive ends inside a record");
  std::uint64_t value = 0;
  for (std::uint64_t i = count; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(bytes_[at + i]);
  return value;
}

/// Only a comment of up to 65,535 bytes, whose length the end record gives, follows that record.
std::uint64_t ZipArchive::find_end() const {
  if (bytes_.size() < end_bytes) fail(0, "not a zip archive");
  const std::uint64_t last = bytes_.size() - end_bytes;
  for (std::uint64_t comment = 0; comment <= std::min<std::uint64_t>(last, 0xFFFF); ++comment)
    if (number(last - comment, 4) == end_signature && number(last - comment + 20, 2) == comment) return last - comment;
  fail(bytes_.size(), "not a zip archive, or truncated: there is no end record");
}

ZipArchive::Directory ZipArchive::find_directory() const {
  const std::uint64_t end = find_end();
  if (number(end + 4, 2) != 0 || number(end + 6, 2) != 0 || number(end + 8, 2) != number(end + 10, 2))
    fail(end, "multi-volume archives are not supported");
  Directory directory{number(end + 10, 2), number(end + 12, 4), number(end + 16, 4)};
  std::uint64_t directory_end = end;
  // PyTorch adds the records of zip64 to small archives, too.
  const bool has_64 = end >= locator64_bytes && number(end - locator64_bytes, 4) == locator64_signature;
  if (has_64) {
    directory_end = number(end - locator64_bytes + 8, 8);
    if (number(directory_end, 4) != end64_signature) fail(directory_end, "the zip64 end record is missing");
    const Directory small = directory;
    directory = {number(directory_end + 32, 8), number(directory_end + 40, 8), number(directory_end + 48, 8)};
    if ((small.members != 0xFFFF && small.members != directory.members) ||
        (small.size != in_64 && small.size != directory.size) ||
        (small.offset != in_64 && small.offset != directory.offset))
      fail(end, "the end record and that of zip64 disagree");
  } else if (directory.members == 0xFFFF || directory.size == in_64 || directory.offset == in_64) {
    fail(end, "the zip64 locator is missing");
  }
  if (directory.offset > directory_end || directory.size != directory_end - directory.offset)
    fail(end, "the directory is not where the end record says");
  return directory;
}

ZipArchive::Member ZipArchive::read_central_header(std::uint64_t& at, std::uint64_t end) const {
  if (number(at, 4) != central_signature) fail(at, "expected a directory record");
  const std::uint64_t start = at, flags = number(at + 8, 2);
  const std::uint64_t name_bytes = number(at + 28, 2), extra_bytes = number(at + 30, 2),
                      comment_bytes = number(at + 32, 2);
  Member member{.name = {},
                .method = static_cast<int>(number(at + 10, 2)),
                .crc = static_cast<std::uint32_t>(number(at + 16, 4)),
                .compressed = number(at + 20, 4),
                .size = number(at + 24, 4),
                .header = number(at + 42, 4)};
  at += central_bytes;
  if (name_bytes + extra_bytes + comment_bytes > end - std::min(at, end))
    fail(start, "the record exceeds the directory");
  member.name.assign(reinterpret_cast<const char*>(bytes_.data()) + at, name_bytes);
  at += name_bytes;

  read_zip64(member, at, at + extra_bytes);
  at += extra_bytes + comment_bytes;
  check_supported(member, start, flags);
  return member;
}

/// Extra fields are tag, length and data. Tag 1 holds, in this order, those of three numbers that do not fit 32 bits.
void ZipArchive::read_zip64(Member& member, std::uint64_t at, std::uint64_t end) const {
  while (at + 4 <= end) {
    const std::uint64_t tag = number(at, 2), field_end = at + 4 + number(at + 2, 2);
    if (field_end > end) fail(at, "an extra field exceeds the record");
    at += 4;
    if (tag == 1)
      for (std::uint64_t* value : {&member.size, &member.compressed, &member.header})
        if (*value == in_64) {
          if (at + 8 > field_end) fail(at, "the zip64 field is too short");
          *value = number(at, 8);
          at += 8;
        }
    at = field_end;
  }
}

void ZipArchive::check_supported(const Member& member, std::uint64_t at, std::uint64_t flags) const {
  if (member.name.empty()) fail(at, "a member without a name");
  if (flags & 1u) fail(at, str(member.name, " is encrypted"));
  if (member.method != 0 && member.method != 8)
    fail(at, str(member.name, ": compression method ", member.method, " is not supported"));
  if (member.method == 0 && member.compressed != member.size)
    fail(at, str(member.name, ": a stored member has two different sizes"));
}

/// Finds the data after the local header. They must end before `limit`, the start of the directory.
void ZipArchive::find_data(Member& member, std::uint64_t limit) const {
  if (member.header > limit || limit - member.header < local_bytes || number(member.header, 4) != local_signature)
    fail(std::min<std::uint64_t>(member.header, bytes_.size()), str(member.name, ": the local header is missing"));
  const std::uint64_t name_bytes = number(member.header + 26, 2), extra_bytes = number(member.header + 28, 2);
  member.data = member.header + local_bytes + name_bytes + extra_bytes;
  if (member.data > limit || member.compressed > limit - member.data)
    fail(member.header, str(member.name, ": ", member.compressed, " bytes do not fit in the archive"));
  const std::string name(reinterpret_cast<const char*>(bytes_.data()) + member.header + local_bytes, name_bytes);
  if (name != member.name || static_cast<int>(number(member.header + 8, 2)) != member.method)
    fail(member.header, str(member.name, ": the directory and the local header disagree"));
  if (member.size > GzipReader::largest_inflated(member.compressed))
    fail(member.header, str(member.name, ": ", member.compressed, " bytes cannot inflate to ", member.size));
}

void ZipArchive::check_overlap_and_names() const {
  std::vector<const Member*> order;
  order.reserve(members_.size());
  for (const Member& member : members_) order.push_back(&member);
  std::sort(order.begin(), order.end(), [](const Member* a, const Member* b) { return a->header < b->header; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->header < order[i - 1]->data + order[i - 1]->compressed)
      fail(order[i]->header, str(order[i]->name, " overlaps ", order[i - 1]->name));
  std::sort(order.begin(), order.end(), [](const Member* a, const Member* b) { return a->name < b->name; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->name == order[i - 1]->name) fail(order[i]->header, str("there are two members ", order[i]->name));
}

ZipArchive::ZipArchive(std::span<const std::byte> bytes, std::string source)
    : bytes_(bytes), source_(std::move(source)) {
  const Directory directory = find_directory();
  const std::uint64_t end = directory.offset + directory.size;
  std::uint64_t at = directory.offset;
  while (at < end) members_.push_back(read_central_header(at, end));
  if (at != end || members_.size() != directory.members)
    fail(directory.offset,
         str("the directory has ", members_.size(), " members, but the end record says ", directory.members));
  for (Member& member : members_) find_data(member, directory.offset);
  check_overlap_and_names();
}

ZipArchive::Reader::Reader(const ZipArchive& archive, const Member& member)
    : archive_(archive), member_(member), rest_(archive.raw(member)), left_(member.size) {
  if (member.method != 0)
    inflated_ = std::make_unique<GzipReader>(rest_, str(archive.source_, ": ", detail::printable(member.name)),
                                             GzipReader::Kind::raw);
}

ZipArchive::Reader::~Reader() = default;

void ZipArchive::Reader::read(void* to, std::size_t bytes) {
  if (bytes > left_) archive_.fail(member_.header, str(member_.name, ": ends ", bytes - left_, " bytes too early"));
  left_ -= bytes;
  auto next = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const std::size_t piece = std::min<std::size_t>(bytes, 1u << 18);  // stays in the cache for the checksum
    if (inflated_) inflated_->read(next, piece);
    else std::copy_n(rest_.begin(), piece, next), rest_ = rest_.subspan(piece);
    crc_ = static_cast<std::uint32_t>(::crc32(crc_, reinterpret_cast<const Bytef*>(next), static_cast<uInt>(piece)));
    next += piece;
    bytes -= piece;
  }
}

void ZipArchive::Reader::finish() {
  std::byte rest[4096];
  while (left_ > 0) read(rest, std::min<std::uint64_t>(left_, sizeof rest));
  if (inflated_) inflated_->expect_end();
  if (crc_ != member_.crc) archive_.fail(member_.header, str(member_.name, ": wrong checksum"));
}

}  // namespace minima
