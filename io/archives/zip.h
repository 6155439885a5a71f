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

/// Reads a zip archive in memory (APPNOTE 6.3, with zip64): stored and deflated entries. The central directory and the
/// entries' own headers must agree, entries may not overlap nor share a name, what an entry inflates to is bounded by
/// the size it declares, and the check sum must match. Errors are FormatError: `SOURCE: byte OFFSET: …`.
class MINIMA_API ZipArchive {
 public:
  struct Entry {
    std::string name;
    int method = 0;  ///< 0 stored, 8 deflated
    std::uint32_t crc = 0;
    std::uint64_t compressed = 0;  ///< bytes in the archive
    std::uint64_t size = 0;        ///< bytes of the content
    std::uint64_t header = 0;      ///< where its own header is
    std::uint64_t data = 0;        ///< where its bytes are
  };

  /// `bytes` must outlive the archive.
  ZipArchive(std::span<const std::byte> bytes, std::string source);

  const std::vector<Entry>& entries() const { return entries_; }
  /// Reads an entry from front to back. The check sum is compared by `finish`: until then nothing that was read is
  /// sure.
  class MINIMA_API Reader {
   public:
    /// `archive` must outlive the reader.
    Reader(const ZipArchive& archive, const Entry& entry);
    ~Reader();
    /// The next `bytes` bytes; FormatError if the entry has fewer.
    void read(void* to, std::size_t bytes);
    /// Reads what is left; throws FormatError unless the check sum is right and nothing follows.
    void finish();

   private:
    const ZipArchive& archive_;
    const Entry& entry_;
    std::span<const std::byte> rest_;  ///< of a stored entry
    std::unique_ptr<GzipReader> inflated_;
    std::uint64_t left_;
    std::uint32_t crc_ = 0;
  };

 private:
  struct Directory {
    std::uint64_t entries, size, offset;
  };
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const;
  std::uint64_t number(std::uint64_t at, int bytes) const;
  std::uint64_t find_end() const;
  Directory find_directory() const;
  Entry read_central(std::uint64_t& at, std::uint64_t end) const;
  void find_data(Entry& entry, std::uint64_t limit) const;
  void refuse_overlap() const;

  std::span<const std::byte> bytes_;
  std::string source_;
  std::vector<Entry> entries_;
};

}  // namespace minima
