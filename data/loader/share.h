#pragma once

#include <cstdint>

namespace minima::data::detail {

/// The part of every global batch that a process gets. A global batch is the batches of all processes in rank order, so
/// its contents do not depend on how many processes share it.
struct Share {
  std::int64_t batch_size = 1;  ///< of one process
  int rank = 0;
  int world_size = 1;
  bool pad = true;
  bool drop_last = false;

  std::int64_t global() const { return batch_size * world_size; }
  /// How many of the `count` samples in an epoch's last, partial global batch each process gets.
  std::int64_t of_last(std::int64_t count) const {
    if (drop_last && count < global()) return 0;
    return pad ? (count + world_size - 1) / world_size : count / world_size;
  }
};

}  // namespace minima::data::detail
