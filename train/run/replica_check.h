#pragma once

#include <minima/distributed/process_group.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace minima::train::detail {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Compares tensors that should be equal on all ranks by CRC-32C of their bytes and returns a line for each rank that
/// differs from most of the others: `rank 2: model.fc.weight`; where there is no majority, all ranks of that tensor are
/// named. Every rank gets the same answer. One all-gather of 8 bytes a tensor; synchronises with the device.
MINIMA_API std::vector<std::string> differing_replicas(const NamedTensors& tensors,
                                                       const distributed::ProcessGroup& group);

}  // namespace minima::train::detail
