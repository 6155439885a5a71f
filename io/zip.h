#pragma once

#include <minima/tensor/api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace minima {

/// Reads a zip archive in memory (APPNOTE 6.3, with zip64): stored and deflated entries. The central directory and the
/// entries' own headers must agree, entries may not overlap nor share a name, what an entry inflates to is bounded by
/// the size it declares, and the check sum must match. Errors are FormatError: `SOURCE: byte OFFSET: …`.
class MINIMA_API ZipArchive {
 public:
  struct Entry {
    std::string name;
    int method = 0;               ///< 0 stored, 8 deflated
    std::uint32_t crc = 0;
    std::uint64_t compressed = 0; ///< bytes in the archive
    std::uint64_t size = 0;       ///< bytes of the content
    std::uint64_t header = 0;     ///< where its own header is
    std::uint64_t data = 0;       ///< where its bytes are
  };

  /// `bytes` must outlive the archive.
  ZipArchive(std::span<const std::byte> bytes, std::string source);

  const std::vector<Entry>& entries() const { return entries_; }
  /// The content of an entry.
  std::vector<std::byte> read(const Entry& entry) const;

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
