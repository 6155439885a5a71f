#pragma once

#include <minima/tensor/base/error.h>

#include <vector>

namespace minima::distributed {

/// An operation with other processes failed, or a process could not join the others. The message names operation,
/// sequence number and the ranks that are missing; after it the group is of no more use.
class MINIMA_API DistributedError : public Error {
 public:
  explicit DistributedError(std::string message, std::vector<int> missing = {})
      : Error(std::move(message)), missing_(std::move(missing)) {}
  /// Ranks of the world that died, hang, left or never came; empty where none could be blamed.
  const std::vector<int>& missing() const { return missing_; }

 private:
  std::vector<int> missing_;
};

}  // namespace minima::distributed
