#pragma once

#include <minima/io/files/append_file.h>
#include <minima/io/text/json.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  /// Images [B, C, H, W], [C, H, W] or [H, W] as one PNG: floats in [0, 1] or uint8, side by side as by make_grid.
  /// Throws ShapeError unless there are 1, 3 or 4 channels. Synchronises with the device.
  void image(const std::string& tag, const Tensor& images, std::int64_t step);
  /// TensorBoard shows the text as Markdown.
  void text(const std::string& tag, const std::string& text, std::int64_t step);
  /// The run's line in TensorBoard's HPARAMS tab. `metrics` are the tags of the scalars by which it compares runs:
  ///
  ///     events.hyper_parameters({{"lr", 0.1}, {"optimizer", "adam"}, {"nesterov", true}}, {"test/accuracy"});
  ///
  /// Write them once per run. Throws ValueError for a value that is no number, text or boolean.
  void hyper_parameters(const std::vector<Json::Member>& values, const std::vector<std::string>& metrics = {});
  /// Tells that tab that the run has ended.
  void end_session(bool success = true);

  const std::string& path() const { return file_.path(); }

 private:
  void write_summary(const std::string& value, std::int64_t step);
  void write_record(std::string_view event);

  explicit EventWriter(detail::AppendFile file) : file_(std::move(file)) {}

  detail::AppendFile file_;
};

}  // namespace minima
