#pragma once

#include <minima/io/posix_file.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <string_view>

namespace minima {

/// Writes event files that TensorBoard shows: `tensorboard --logdir runs`.
///
///     EventWriter events("runs/first");
///     events.scalar("train/loss", loss, step);
///
/// A record is one write at the end of the file, so a killed run loses nothing that returned. Errors are FileError.
class MINIMA_API EventWriter {
 public:
  /// Starts a file of its own in `folder`, which is made if need be.
  explicit EventWriter(const std::string& folder);

  void scalar(const std::string& tag, double value, std::int64_t step);
  /// The distribution of a tensor's finite elements over `buckets` of one width. Waits for the device.
  void histogram(const std::string& tag, const Tensor& values, std::int64_t step, int buckets = 30);
  void text(const std::string& tag, const std::string& text, std::int64_t step);

  const std::string& path() const { return path_; }

 private:
  void write_summary(const std::string& value, std::int64_t step);
  void write_record(std::string_view event);

  std::string path_;
  detail::Descriptor file_;
};

namespace detail {
/// CRC-32C (Castagnoli), as RFC 3720 has it.
MINIMA_API std::uint32_t crc32c(std::string_view data);
}  // namespace detail

}  // namespace minima
