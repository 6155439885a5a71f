#pragma once

#include <minima/io/archives/inflate.h>

#include <cstdint>
#include <string>

namespace minima {

/// Reads a tar archive (POSIX ustar and pax, GNU long names) from front to back. Links, folders and devices are passed
/// over. Every header's check sum must match, and the archive must end as every writer of tar archives ends it: with a
/// block of zeros, behind which at most 10,240 more follow and nothing else. Without, the archive was cut off; with
/// more zeros or anything else behind, a piece of it is lost (or archives were put one behind the other). What lies
/// inside a file has no check sum unless the archive is compressed. Errors are FormatError: `SOURCE: byte OFFSET: …`,
/// the offset being that in the archive as it inflates.
class MINIMA_API TarReader {
 public:
  struct Entry {
    std::string name;  ///< control characters as `\x1b`
    std::uint64_t size = 0;
    std::uint64_t data = 0;  ///< where the content begins
  };

  /// `source` must outlive the reader; `name` is for messages.
  TarReader(ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// Goes to the next file; false at the end of the archive.
  bool next(Entry& entry);
  /// The whole content of the entry that `next` found. More than `most` bytes are refused. Memory grows with what is
  /// there, not with what the header promises; whoever collects several entries has to limit their sum.
  void read(const Entry& entry, std::string& content, std::uint64_t most = std::uint64_t{1} << 31);

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const;
  bool read_block(unsigned char* block);
  void expect_end(std::uint64_t at);
  std::string read_text(std::uint64_t size, std::uint64_t most);
  void pass_over(std::uint64_t bytes);

  ByteSource& source_;
  std::string name_;
  std::uint64_t at_ = 0;
  std::uint64_t left_ = 0;  ///< of the present entry with its padding
  bool ended_ = false;
};

}  // namespace minima
