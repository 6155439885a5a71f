#pragma once

#include <minima/data/loader/share.h>

#include <cstdint>
#include <string>
#include <vector>

// Decides which samples of an epoch a process fetches. Positions index the epoch's order.

namespace minima::data::detail {

/// The positions among 0 … total - 1 that a process fetches, batch by batch; only its last batch may be partial.
std::vector<std::int64_t> positions_of(std::int64_t total, const Share& share);
/// The number of batches in `positions_of`.
std::int64_t batches_of(std::int64_t total, const Share& share);

/// A set of positions, stored as ranges.
class PositionSet {
 public:
  void add(std::int64_t first, std::int64_t count);
  bool contains(std::int64_t position) const;
  /// The largest n such that 0 … n - 1 are all in the set.
  std::int64_t prefix() const;
  /// `0-12,20-23`, where the ends are exclusive.
  std::string text() const;
  /// The inverse of `text`; throws ValueError for anything else.
  static PositionSet parse(const std::string& text);

 private:
  struct Range {
    std::int64_t first, end;
  };
  std::vector<Range> ranges_;  ///< sorted, with gaps between
};

}  // namespace minima::data::detail
