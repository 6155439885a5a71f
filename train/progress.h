#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima {

struct ProgressOptions {
  int descriptor = 2;          ///< the file it writes to: standard error
  std::string label = {};      ///< in front of the bar: `epoch 2/5`
  const char* unit = "it";     ///< of `done` and of the rate
  double plain_interval = 10;  ///< seconds between lines where the stream is not a terminal
};

/// Shows how far a long piece of work is: on a terminal one line that is redrawn in place at most ten times a second,
/// with bar, rate and the time left; in a pipe or a file a plain line now and then. A narrow terminal gets less on the
/// line, never a second line. Never throws; a stream that fails is ignored.
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

  /// True if the next `advance` will draw: work for the text, such as reading a loss, is wanted only then.
  bool is_due() const;
  void advance(std::int64_t count, const std::string& text = {});
  /// Ends the line, so that whatever is printed next has one of its own.
  void finish();
  /// Starts at a later point, after a resume: those units do not count for the rate.
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
