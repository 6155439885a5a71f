#pragma once

#include <minima/io/state.h>

#include <string>

namespace minima {

/// How an epoch's metric is compared with the best one. The default is that of a loss, as PyTorch's and Lightning's: an
/// accuracy needs {.maximize = true}, else the worst epoch counts as the best one.
struct BestOptions {
  bool maximize = false;  ///< larger is better
  double min_delta = 0;   ///< ignore smaller improvements
};

/// The best value so far. NaN is never better.
class MINIMA_API Best {
 public:
  explicit Best(const BestOptions& options = {});
  /// True if `value` is the best so far.
  bool update(double value);
  double value() const { return value_; }

  State state_dict() const;
  /// Throws ValueError for the state of one that compares the other way.
  void load_state_dict(const State& state);

 private:
  BestOptions options_;
  double value_;
};

/// Stops training once a metric has not improved for `patience` epochs: `if (stop.update(loss)) break;`, or for an
/// accuracy `EarlyStopping stop(5, {.maximize = true})`.
class MINIMA_API EarlyStopping {
 public:
  explicit EarlyStopping(std::int64_t patience, const BestOptions& options = {});
  /// Takes an epoch's metric. True if training should stop.
  bool update(double metric);
  double best() const { return best_.value(); }
  std::int64_t epochs_without() const { return without_; }

  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  std::int64_t patience_, without_ = 0;
  Best best_;
};

/// Saves the state of the best epoch to a file:
///
///     KeepBest keep("best.safetensors", {.maximize = true});
///     keep.update(accuracy, net.state_dict());
///
/// After a resume only its own state knows the best metric so far; without it the first epoch replaces the file.
class MINIMA_API KeepBest {
 public:
  explicit KeepBest(const std::string& path, const BestOptions& options = {}) : path_(path), best_(options) {}
  /// Writes the file and returns true if the metric is the best so far.
  bool update(double metric, const State& state);
  double best() const { return best_.value(); }

  State state_dict() const { return best_.state_dict(); }
  void load_state_dict(const State& state) { best_.load_state_dict(state); }

 private:
  std::string path_;
  Best best_;
};

}  // namespace minima
