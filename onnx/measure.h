#pragma once

#include <minima/onnx/network.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minima::onnx {

/// Zeros for all inputs of a model. Sizes that change from call to call are 1, or what `sizes` has for their names.
/// Throws ValueError for an input without a shape.
MINIMA_API std::vector<Tensor> zero_inputs(const Network& network,
                                           const std::map<std::string, std::int64_t>& sizes = {});

/// The FLOPs of one call, as the operators that run report them (nn/summary.h counts the same).
MINIMA_API double flops(const Network& network, const std::vector<Tensor>& inputs);

}  // namespace minima::onnx
