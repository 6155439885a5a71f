#pragma once

#include <minima/io/files/crc32c.h>
#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <fcntl.h>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace minima::detail {

/// A file of a state while it is written, in pieces that are summed while they are in the cache. Errors say how many
/// bytes had been written.
class WriteStream {
 public:
  static constexpr std::size_t piece_bytes = std::size_t{1} << 18;  ///< fits in the cache for the checksum

  /// Creates a file of `total` bytes, which must not exist. Writes at most so many bytes a second; 0: no limit.
  WriteStream(const std::string& path, std::size_t total, double bytes_per_second)
      : path_(path),
        total_(total),
        bytes_per_second_(bytes_per_second),
        file_(open_file(path, O_WRONLY | O_CREAT | O_EXCL, "cannot create")) {}

  /// Returns the checksum, continued from `sum`.
  std::uint32_t write(const void* data, std::size_t bytes, std::uint32_t sum = 0) {
    for (std::size_t at = 0; at < bytes; at += piece_bytes) {
      const std::size_t piece = std::min(bytes - at, piece_bytes);
      const auto* const from = static_cast<const std::byte*>(data) + at;
      sum = crc32c(from, piece, sum);
      with_progress([&] { write_all(file_, from, piece, path_); });
      written_ += piece;
      start_write_back();
      slow_down();
    }
    return sum;
  }
  void rewrite_start(const std::string& start) {
    with_progress([&] { write_all_at(file_, 0, start.data(), start.size(), path_); });
  }
  /// Flushes the file to disk and closes it.
  void finish() {
    with_progress([&] { sync_file(file_, path_); });
    file_ = Descriptor();
  }

 private:
  template <class F>
  void with_progress(F&& f) const {
    try {
      f();
    } catch (const FileError& error) {
      throw FileError(str(error.what(), " (after ", written_, " of ", total_, " bytes)"));
    }
  }
  /// Otherwise the system keeps everything for the flush at the end.
  void start_write_back() {
#ifdef SYNC_FILE_RANGE_WRITE
    if (written_ - told_ < write_back_bytes) return;
    ::sync_file_range(file_.number(), static_cast<off64_t>(told_), static_cast<off64_t>(written_ - told_),
                      SYNC_FILE_RANGE_WRITE);
    told_ = written_;
#endif
  }
  void slow_down() const {
    if (bytes_per_second_ <= 0) return;
    const std::chrono::duration<double> due(std::min(static_cast<double>(written_) / bytes_per_second_, 1e9));
    std::this_thread::sleep_until(begin_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(due));
  }

  static constexpr std::size_t write_back_bytes = std::size_t{16} << 20;  ///< after which the disk is told to start

  std::string path_;
  std::size_t total_, written_ = 0, told_ = 0;
  double bytes_per_second_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Descriptor file_;
};

}  // namespace minima::detail
