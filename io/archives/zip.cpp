#include <minima/io/archives/zip.h>

#include <minima/io/archives/gzip.h>
#include <minima/io/files/format_error.h>
#include <minima/tensor/base/format.h>

#include <zlib.h>
#include <algorithm>

namespace minima {

namespace {

// Signatures and sizes of the archive's records.
constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::uint64_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kLocator64Bytes = 20;
constexpr std::uint64_t kIn64 = 0xFFFFFFFF;  ///< "see the zip64 field"

}  // namespace

void ZipArchive::fail(std::uint64_t at, const std::string& what) const {
  detail::throw_format_error(source_, at, what);
}

/// Little-endian, inside the archive or an error.
std::uint64_t ZipArchive::number(std::uint64_t at, int bytes) const {
  const auto count = static_cast<std::uint64_t>(bytes);
  if (at > bytes_.size() || count > bytes_.size() - at) fail(at, "the archive ends inside a record");
  std::uint64_t value = 0;
  for (std::uint64_t i = count; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(bytes_[at + i]);
  return value;
}

/// The end record is the last thing but for a comment of up to 65,535 bytes whose length it gives.
std::uint64_t ZipArchive::find_end() const {
  if (bytes_.size() < kEndBytes) fail(0, "not a zip archive");
  const std::uint64_t last = bytes_.size() - kEndBytes;
  for (std::uint64_t comment = 0; comment <= std::min<std::uint64_t>(last, 0xFFFF); ++comment)
    if (number(last - comment, 4) == kEnd && number(last - comment + 20, 2) == comment) return last - comment;
  fail(bytes_.size(), "not a zip archive, or cut off: there is no end record");
}

ZipArchive::Directory ZipArchive::find_directory() const {
  const std::uint64_t end = find_end();
  if (number(end + 4, 2) != 0 || number(end + 6, 2) != 0 || number(end + 8, 2) != number(end + 10, 2))
    fail(end, "the archive is a part of several");
  Directory directory{number(end + 10, 2), number(end + 12, 4), number(end + 16, 4)};
  std::uint64_t directory_end = end;
  if (directory.entries == 0xFFFF || directory.size == kIn64 || directory.offset == kIn64) {
    if (end < kLocator64Bytes || number(end - kLocator64Bytes, 4) != kLocator64)
      fail(end, "the zip64 locator is missing");
    directory_end = number(end - kLocator64Bytes + 8, 8);
    if (number(directory_end, 4) != kEnd64) fail(directory_end, "the zip64 end record is missing");
    directory = {number(directory_end + 32, 8), number(directory_end + 40, 8), number(directory_end + 48, 8)};
  }
  if (directory.offset > directory_end || directory.size != directory_end - directory.offset)
    fail(end, "the directory is not where the end record says");
  return directory;
}

ZipArchive::Entry ZipArchive::read_central(std::uint64_t& at, std::uint64_t end) const {
  if (number(at, 4) != kCentral) fail(at, "expected an entry of the directory");
  const std::uint64_t start = at, flags = number(at + 8, 2);
  const std::uint64_t name_bytes = number(at + 28, 2), extra_bytes = number(at + 30, 2),
                      comment_bytes = number(at + 32, 2);
  Entry entry{.name = {},
              .method = static_cast<int>(number(at + 10, 2)),
              .crc = static_cast<std::uint32_t>(number(at + 16, 4)),
              .compressed = number(at + 20, 4),
              .size = number(at + 24, 4),
              .header = number(at + 42, 4)};
  at += kCentralBytes;
  if (name_bytes + extra_bytes + comment_bytes > end - std::min(at, end))
    fail(start, "the entry goes past the directory's end");
  entry.name.assign(reinterpret_cast<const char*>(bytes_.data()) + at, name_bytes);
  at += name_bytes;

  // Extra fields are tag, length, data; tag 1 holds, in this order, those numbers that did not fit 32 bits.
  const std::uint64_t extra_end = at + extra_bytes;
  while (at + 4 <= extra_end) {
    const std::uint64_t tag = number(at, 2), field_end = at + 4 + number(at + 2, 2);
    if (field_end > extra_end) fail(at, "an extra field goes past its end");
    at += 4;
    if (tag == 1)
      for (std::uint64_t* value : {&entry.size, &entry.compressed, &entry.header})
        if (*value == kIn64) {
          if (at + 8 > field_end) fail(at, "the zip64 field is too short");
          *value = number(at, 8);
          at += 8;
        }
    at = field_end;
  }
  at = extra_end + comment_bytes;

  if (entry.name.empty()) fail(start, "an entry without a name");
  if (flags & 1u) fail(start, str(entry.name, " is encrypted"));
  if (entry.method != 0 && entry.method != 8)
    fail(start, str(entry.name, ": compression method ", entry.method, " is not read"));
  if (entry.method == 0 && entry.compressed != entry.size)
    fail(start, str(entry.name, ": a stored entry with two sizes"));
  return entry;
}

/// Finds the bytes behind the entry's own header, which must be in front of `limit`, the directory.
void ZipArchive::find_data(Entry& entry, std::uint64_t limit) const {
  if (entry.header > limit || limit - entry.header < kLocalBytes || number(entry.header, 4) != kLocal)
    fail(std::min<std::uint64_t>(entry.header, bytes_.size()), str(entry.name, ": its header is missing"));
  const std::uint64_t name_bytes = number(entry.header + 26, 2), extra_bytes = number(entry.header + 28, 2);
  entry.data = entry.header + kLocalBytes + name_bytes + extra_bytes;
  if (entry.data > limit || entry.compressed > limit - entry.data)
    fail(entry.header, str(entry.name, ": ", entry.compressed, " bytes do not fit the archive"));
  const std::string name(reinterpret_cast<const char*>(bytes_.data()) + entry.header + kLocalBytes, name_bytes);
  if (name != entry.name || static_cast<int>(number(entry.header + 8, 2)) != entry.method)
    fail(entry.header, str(entry.name, ": the directory and the entry disagree"));
  if (entry.size > GzipReader::largest_inflated(entry.compressed))
    fail(entry.header, str(entry.name, ": ", entry.compressed, " bytes cannot inflate to ", entry.size));
}

void ZipArchive::refuse_overlap() const {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->header < b->header; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->header < order[i - 1]->data + order[i - 1]->compressed)
      fail(order[i]->header, str(order[i]->name, " overlaps ", order[i - 1]->name));
  std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->name < b->name; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->name == order[i - 1]->name) fail(order[i]->header, str("there are two entries ", order[i]->name));
}

ZipArchive::ZipArchive(std::span<const std::byte> bytes, std::string source)
    : bytes_(bytes), source_(std::move(source)) {
  const Directory directory = find_directory();
  const std::uint64_t end = directory.offset + directory.size;
  std::uint64_t at = directory.offset;
  while (at < end) entries_.push_back(read_central(at, end));
  if (at != end || entries_.size() != directory.entries)
    fail(directory.offset,
         str("the directory has ", entries_.size(), " entries, the end record says ", directory.entries));
  for (Entry& entry : entries_) find_data(entry, directory.offset);
  refuse_overlap();
}

ZipArchive::Reader::Reader(const ZipArchive& archive, const Entry& entry)
    : archive_(archive), entry_(entry), rest_(archive.bytes_.subspan(entry.data, entry.compressed)), left_(entry.size) {
  if (entry.method != 0)
    inflated_ = std::make_unique<GzipReader>(rest_, str(archive.source_, ": ", detail::printable(entry.name)),
                                             GzipReader::Kind::raw);
}

ZipArchive::Reader::~Reader() = default;

void ZipArchive::Reader::read(void* to, std::size_t bytes) {
  if (bytes > left_) archive_.fail(entry_.header, str(entry_.name, ": ends ", bytes - left_, " bytes too early"));
  left_ -= bytes;
  auto next = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const std::size_t piece = std::min<std::size_t>(bytes, 1u << 18);  // stays in the cache for the check sum
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
  if (crc_ != entry_.crc) archive_.fail(entry_.header, str(entry_.name, ": the check sum is wrong"));
}

}  // namespace minima
