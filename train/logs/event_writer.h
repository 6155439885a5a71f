#pragma once

#include <minima/io/files/append_file.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <string_view>
#include <utility>

namespace minima {

/// Writes event files for TensorBoard: `tensorboard --logdir runs`.
///
///     EventWriter events("runs/first");
///     events.scalar("train/loss", loss, step);
///
/// Every record is appended by one write, so a killed run loses no record whose call returned. Throws FileError; a
/// record that does not fit on the disk leaves the file unchanged. `read_events` (event_reader.h) reads the file back.
class MINIMA_API EventWriter {
 public:
  /// Creates a new file in `folder`, and the folder if it does not exist.
  explicit EventWriter(const std::string& folder);
  /// Appends to the file of an earlier run, dropping a last record cut off by a crash. Throws FormatError if the file
  /// is damaged otherwise or is not an event file.
  static EventWriter resume(const std::string& path);

  void scalar(const std::string& tag, double value, std::int64_t step);
  /// The distribution of a tensor's finite elements over `buckets` of equal width. Synchronises with the device.
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
