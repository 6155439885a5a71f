#pragma once

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/nn/containers/sequential.h>

namespace minima::nn {

/// net(x) in `segments` parts of equal length, of which all but the last are checkpointed: what they save is computed
/// again when backward comes to them. With n modules, √n segments save the most. Runs the hooks of the modules inside,
/// not those of `net`. Throws ValueError unless there are from 1 to n segments.
///   Tensor y = nn::checkpoint_sequential(net, 7, x);
MINIMA_API Tensor checkpoint_sequential(const Sequential& net, std::int64_t segments, const Tensor& x,
                                        const CheckpointOptions& options = {});

}  // namespace minima::nn
