#pragma once

#include <minima/tensor/base/error.h>

#include <vector>

namespace minima::distributed {

/// A collective or point-to-point operation failed, or a process could not join the group. The message names the
/// operation, its sequence number and the missing ranks. The group cannot be used afterwards.
class MINIMA_API DistributedError : public Error {
 public:
  explicit DistributedError(std::string message, std::vector<int> missing = {})
      : Error(std::move(message)), missing_(std::move(missing)) {}
  /// World ranks that died, hang, left or never joined; empty if unknown.
  const std::vector<int>& missing() const { return missing_; }

 private:
  std::vector<int> missing_;
};

}  // namespace minima::distributed
