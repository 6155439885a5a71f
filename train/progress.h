#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima {

struct ProgressOptions {
  int descriptor = 2;          ///< file descriptor to write to: standard error
  std::string label = {};      ///< before the bar: `epoch 2/5`
  const char* unit = "it";     ///< unit of `done` and of the rate
  double plain_interval = 10;  ///< seconds between lines if the stream is not a terminal
};

/// A progress bar. On a terminal it redraws one line at most ten times a second, with bar, rate and remaining time; to
/// a pipe or a file it writes a plain line every `plain_interval` seconds. On a narrow terminal it drops parts of the
/// line rather than wrap. Throws ValueError for a `plain_interval` below 0, otherwise
/// never; write errors are ignored.
///
///     Progress progress(60'000, {.label = "epoch 1/5", .unit = "img"});
///     RunningMean loss;
///     for (auto& [x, y] : loader) {
///       loss.add(step(x, y));
///       progress.advance(x.size(0), progress.is_due() ? str("loss ", loss.value()) : "");
///     }
///     progress.finish();
///     std::printf("epoch 1: …");
class MINIMA_API Progress {
 public:
  explicit Progress(std::int64_t total, ProgressOptions options = {});
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { finish(); }

  /// True if the next `advance` will draw. Only then is it worth computing the text, for example by reading a loss.
  bool is_due() const;
  void advance(std::int64_t count, const std::string& text = {});
  /// Ends the line, so that later output starts on a new one.
  void finish();
  /// Skips units done before a resume; they do not count towards the rate.
  void skip(std::int64_t count);

  std::int64_t done() const { return done_; }
  double seconds() const;
  /// Units per second since the start.
  double rate() const;

 private:
  void draw();
  std::string counts() const;
  std::string time_text() const;
  std::string terminal_line() const;

  ProgressOptions options_;
  std::int64_t total_, done_ = 0, skipped_ = 0;
  bool terminal_, drawn_ = false;
  double start_, last_drawn_;
  std::string text_;
};

}  // namespace minima
