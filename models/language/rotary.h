#pragma once

#include <minima/ops/attention/rotary_embedding.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <mutex>
#include <vector>

// Internal to models.

namespace minima::models {

struct LlamaOptions;

namespace detail {

/// The rotary angles of a Llama, computed once for the positions that were asked for. All copies of a model share it,
/// and threads may.
class Rotary {
 public:
  explicit Rotary(const LlamaOptions& options);
  /// Tables for positions start … start + length - 1 of queries and keys like x.
  RotaryTables tables(const Tensor& x, std::int64_t start, std::int64_t length);
  /// Tables for positions [T], or [B, T] of texts of several lengths.
  RotaryTables tables(const Tensor& x, const Tensor& positions) const;

 private:
  Tensor frequencies_;  ///< of the pairs of a head's columns, in float64 on the CPU
  std::mutex mutex_;
  RotaryTables known_;                 ///< from position 0 on
  bool is_captured_ = false;           ///< graphs of captured steps read them
  std::vector<RotaryTables> earlier_;  ///< shorter ones that graphs read
};

}  // namespace detail

}  // namespace minima::models
