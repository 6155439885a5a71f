#pragma once

#include <minima/io/files/append_file.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <string_view>
#include <utility>

namespace minima {

/// Writes event files that TensorBoard shows: `tensorboard --logdir runs`.
///
///     EventWriter events("runs/first");
///     events.scalar("train/loss", loss, step);
///
/// A record is one write at the end of the file, so a killed run loses nothing that returned. Errors are FileError; a
/// record that did not fit on the disk leaves no trace. `read_events` (event_reader.h) reads the file back.
class MINIMA_API EventWriter {
 public:
  /// Starts a file of its own in `folder`, which is made if need be.
  explicit EventWriter(const std::string& folder);
  /// Goes on with the file of an earlier run. A last record that a crash cut off is dropped. Throws FormatError for a
  /// file that is damaged in another way or no event file.
  static EventWriter resume(const std::string& path);

  void scalar(const std::string& tag, double value, std::int64_t step);
  /// The distribution of a tensor's finite elements over `buckets` of one width. Waits for the device.
  void histogram(const std::string& tag, const Tensor& values, std::int64_t step, int buckets = 30);
  void text(const std::string& tag, const std::string& text, std::int64_t step);

  const std::string& path() const { return file_.path(); }

 private:
  void write_summary(const std::string& value, std::int64_t step);
  void write_record(std::string_view event);

  explicit EventWriter(detail::AppendFile file) : file_(std::move(file)) {}

  detail::AppendFile file_;
};

}  // namespace minima
