#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace minima {

/// Writes a zip archive (APPNOTE 6.3) front to back, with zip64 where sizes or offsets need it. Members are stored, not
/// deflated, so that readers can map them. Output is deterministic: members have no time.
class MINIMA_API ZipWriter {
 public:
  /// `write` appends bytes to the archive.
  explicit ZipWriter(Function<void(const void*, std::size_t)> write) : write_(std::move(write)) {}

  /// Adds a member whose data start at a multiple of `alignment`, at most 4096. `name` is not checked.
  void add(const std::string& name, std::span<const std::byte> data, std::size_t alignment = 1);
  /// Writes the directory. Nothing can be added afterwards.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint32_t crc;
    std::uint64_t size, header;
  };
  void write(const std::string& bytes);

  Function<void(const void*, std::size_t)> write_;
  std::uint64_t at_ = 0;
  std::vector<Member> members_;
};

}  // namespace minima
