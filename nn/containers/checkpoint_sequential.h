#pragma once

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/nn/containers/sequential.h>

namespace minima::nn {

/// net(x) in `segments` parts of equal length, all but the last checkpointed: backward recomputes their activations
/// when it reaches them. With n modules, √n segments save the most memory. Runs the hooks of the modules inside, not
/// those of `net` itself. Throws ValueError unless 1 ≤ segments ≤ n.
///   Tensor y = nn::checkpoint_sequential(net, 7, x);
MINIMA_API Tensor checkpoint_sequential(const Sequential& net, std::int64_t segments, const Tensor& x,
                                        const CheckpointOptions& options = {});

}  // namespace minima::nn
