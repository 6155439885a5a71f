#pragma once

#include <minima/tensor/api.h>

#include <cstdint>
#include <string>

namespace minima {

struct ProgressOptions {
  int descriptor = 2;                ///< the file it writes to: standard error
  std::string label = {};            ///< in front of the bar: `epoch 2/5`
  const char* unit = "it";           ///< of `done` and of the rate
  double plain_interval = 10;        ///< seconds between lines where the stream is not a terminal
};

/// Shows how far a long piece of work is: on a terminal one line that is redrawn at most ten times a second, with bar,
/// rate and the time left; in a pipe or a file a plain line now and then. Never throws; a stream that fails is ignored.
///
///     Progress progress(60'000, {.label = "epoch 1/5", .unit = "img"});
///     for (auto& [x, y] : loader) progress.advance(x.size(0), str("loss ", loss));
class MINIMA_API Progress {
 public:
  explicit Progress(std::int64_t total, ProgressOptions options = {});
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Ends the line.
  ~Progress();

  /// True if the next `advance` will draw: work for the text, such as reading a loss, is wanted only then.
  bool is_due() const;
  void advance(std::int64_t count, const std::string& text = {});
  /// Starts at a later point, after a resume: those units do not count for the rate.
  void skip(std::int64_t count);

  std::int64_t done() const { return done_; }
  double seconds() const;
  /// Units per second since the start.
  double rate() const;

 private:
  void draw();

  ProgressOptions options_;
  std::int64_t total_, done_ = 0, skipped_ = 0;
  bool terminal_, drawn_ = false;
  double start_, last_drawn_;
  std::string text_;
};

}  // namespace minima
