#pragma once

#include <minima/io/state.h>

#include <string>

namespace minima {

/// How a metric of an epoch is compared with the best one.
struct BestOptions {
  bool maximize = false;  ///< larger is better
  double min_delta = 0;   ///< a smaller change counts as none
};

/// The best value so far. NaN is never better.
class MINIMA_API Best {
 public:
  explicit Best(const BestOptions& options = {});
  /// Takes a value; true if it is the best.
  bool update(double value);
  double value() const { return value_; }

  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  BestOptions options_;
  double value_;
};

/// Says when a metric has not become better for `patience` epochs: `if (stop.update(loss)) break;`.
class MINIMA_API EarlyStopping {
 public:
  explicit EarlyStopping(std::int64_t patience, const BestOptions& options = {});
  /// Takes an epoch's metric; true if it is time to stop.
  bool update(double metric);
  double best() const { return best_.value(); }
  std::int64_t epochs_without() const { return without_; }

  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  std::int64_t patience_, without_ = 0;
  Best best_;
};

/// Keeps the state of the best epoch in a file: `keep.update(accuracy, net.state_dict())`.
class MINIMA_API KeepBest {
 public:
  explicit KeepBest(const std::string& path, const BestOptions& options = {}) : path_(path), best_(options) {}
  /// Writes the file if the metric is the best so far. True if it was.
  bool update(double metric, const State& state);
  double best() const { return best_.value(); }

 private:
  std::string path_;
  Best best_;
};

}  // namespace minima
