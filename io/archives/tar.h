#pragma once

#include <minima/io/archives/inflate.h>

#include <cstdint>
#include <string>

namespace minima {

/// Reads a tar archive (POSIX ustar and pax, GNU long names) sequentially. Skips links, folders and devices.
///
/// Detects truncated and damaged archives: every header's checksum must match, and the archive must end in a block of
/// zeros with at most 10,240 bytes of padding and nothing after it. The contents of files have no checksum unless the
/// archive is compressed. Errors are FormatError: `SOURCE: byte OFFSET: …`, with the offset in the inflated archive.
class MINIMA_API TarReader {
 public:
  struct Entry {
    std::string name;  ///< control characters as `\x1b`
    std::uint64_t size = 0;
    std::uint64_t data = 0;  ///< offset of the content
  };

  /// `source` must outlive the reader; `name` is for messages.
  TarReader(ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// Advances to the next file; false at the end of the archive.
  bool next(Entry& entry);
  /// Reads the content of the entry that `next` found. Throws FormatError if it has more than `most` bytes. Memory
  /// grows with the bytes actually read, not with the size in the header.
  void read(const Entry& entry, std::string& content, std::uint64_t most = std::uint64_t{1} << 31);

 private:
  struct ExtendedHeader;

  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const;
  void read_block(unsigned char* block);
  std::uint64_t size_in(const unsigned char* block) const;
  void read_extended_header(char type, std::uint64_t size, ExtendedHeader& header);
  std::string name_in(const unsigned char* block, const ExtendedHeader& header) const;
  void expect_end(std::uint64_t at);
  std::string read_text(std::uint64_t size, std::uint64_t most);
  void skip(std::uint64_t bytes);

  ByteSource& source_;
  std::string name_;
  std::uint64_t at_ = 0;
  std::uint64_t left_ = 0;  ///< unread bytes of the current entry and its padding
  bool ended_ = false;
};

}  // namespace minima
