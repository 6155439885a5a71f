#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Which samples of an epoch's order a process fetches. Positions count along that order. A global batch is the batches
// of all processes, in the order of their ranks; so what is in it does not depend on how many share it.

namespace minima::data::detail {

struct Share {
  std::int64_t batch_size = 1;
  int rank = 0;
  int world_size = 1;
  bool pad = true;
  bool drop_last = false;
  std::int64_t global() const { return batch_size * world_size; }
};

/// The positions of 0 … total - 1 that a process fetches, batch after batch; all but its last batch are full.
std::vector<std::int64_t> positions_of(std::int64_t total, const Share& share);
/// How many batches that makes.
std::int64_t batches_of(std::int64_t total, const Share& share);

/// A set of positions, as `0-12,20-23`.
class PositionSet {
 public:
  void add(std::int64_t first, std::int64_t count);
  bool contains(std::int64_t position) const;
  /// Positions 0 … this - 1 are all in the set.
  std::int64_t prefix() const;
  std::string text() const;
  /// Throws ValueError for what `text` did not write.
  static PositionSet parse(const std::string& text);

 private:
  struct Range {
    std::int64_t first, end;
  };
  std::vector<Range> ranges_;  ///< sorted, with gaps between
};

}  // namespace minima::data::detail
