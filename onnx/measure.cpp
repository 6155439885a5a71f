#include <minima/onnx/measure.h>

#include <minima/autograd/mode.h>
#include <minima/io/files/format_error.h>
#include <minima/io/onnx/graph.h>
#include <minima/onnx/network.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/device/flop_counter.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minima::onnx {

std::vector<Tensor> zero_inputs(const Network& network, const std::map<std::string, std::int64_t>& sizes) {
  std::vector<Tensor> inputs;
  for (const Value& value : network.inputs()) {
    if (!value.has_shape)
      throw ValueError(
          str("onnx: the file does not tell the shape of the input ", minima::detail::printable(value.name)));
    Shape shape;
    for (const Dimension& dim : value.shape) {
      const auto given = sizes.find(dim.name);
      shape.push_back(dim.size >= 0 ? dim.size : given != sizes.end() ? given->second : 1);
    }
    inputs.push_back(zeros(shape, {.dtype = value.dtype}));
  }
  return inputs;
}

double flops(const Network& network, const std::vector<Tensor>& inputs) {
  const NoGrad guard;
  FlopCounter counter;
  network.forward(inputs);
  return counter.flops;
}

}  // namespace minima::onnx
