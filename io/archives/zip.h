#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace minima {

class GzipReader;

/// Reads a zip archive in memory (APPNOTE 6.3, with zip64): stored and deflated members. The central directory must
/// agree with the local headers, members must not overlap or share a name, a member must inflate to its declared size,
/// and its checksum must match. Errors are FormatError: `SOURCE: byte OFFSET: …`.
class MINIMA_API ZipArchive {
 public:
  struct Member {
    std::string name;
    int method = 0;  ///< 0 stored, 8 deflated
    std::uint32_t crc = 0;
    std::uint64_t compressed = 0;  ///< bytes in the archive
    std::uint64_t size = 0;        ///< bytes of the content
    std::uint64_t header = 0;      ///< offset of the local header
    std::uint64_t data = 0;        ///< offset of the data
  };

  /// `bytes` must outlive the archive.
  ZipArchive(std::span<const std::byte> bytes, std::string source);

  const std::vector<Member>& members() const { return members_; }
  /// The member's bytes as the archive holds them: the content of a stored one.
  std::span<const std::byte> raw(const Member& member) const { return bytes_.subspan(member.data, member.compressed); }
  /// Reads a member sequentially. The data are verified only by `finish`, which compares the checksum.
  class MINIMA_API Reader {
   public:
    /// `archive` must outlive the reader.
    Reader(const ZipArchive& archive, const Member& member);
    ~Reader();
    /// Reads exactly `bytes` bytes; throws FormatError if there are fewer.
    void read(void* to, std::size_t bytes);
    /// Reads the rest; throws FormatError unless the checksum matches and nothing follows.
    void finish();

   private:
    const ZipArchive& archive_;
    const Member& member_;
    std::span<const std::byte> rest_;  ///< of a stored member
    std::unique_ptr<GzipReader> inflated_;
    std::uint64_t left_;
    std::uint32_t crc_ = 0;
  };

 private:
  struct Directory {
    std::uint64_t members, size, offset;
  };
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const;
  std::uint64_t number(std::uint64_t at, int bytes) const;
  std::uint64_t find_end() const;
  Directory find_directory() const;
  Member read_central_header(std::uint64_t& at, std::uint64_t end) const;
  void read_zip64(Member& member, std::uint64_t at, std::uint64_t end) const;
  void check_supported(const Member& member, std::uint64_t at, std::uint64_t flags) const;
  void find_data(Member& member, std::uint64_t limit) const;
  void check_overlap_and_names() const;

  std::span<const std::byte> bytes_;
  std::string source_;
  std::vector<Member> members_;
};

}  // namespace minima
