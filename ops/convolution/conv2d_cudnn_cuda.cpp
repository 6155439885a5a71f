#include <minima/ops/convolution/kernels.h>

#include <minima/ops/convolution/geometry.h>
#include <minima/ops/convolution/images.h>
#include <minima/ops/core/triple.h>
#include <minima/ops/cudnn/graph.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <vector>

namespace minima::detail {

bool conv2d_by_cudnn(ConvPart part, const ConvGeometry& geometry, bool channels_last, const Tensor& x,
                     const Tensor& weight, const Tensor& y, const Tensor& bias) {
  // Dimensions of size 1 may have any stride in a tensor; cuDNN requires the strides of the order.
  const auto tensor = [&](const Tensor& t) { return graph_tensor(t.dtype(), image_layout(t.shape(), channels_last)); };
  const auto numbers = [&](Triple t) {
    return geometry.options.spatial == 2 ? Shape{t.height, t.width} : Shape{t.depth, t.height, t.width};
  };
  const ConvGraph graph{.part = part,
                        .x = tensor(x),
                        .weight = tensor(weight),
                        .y = tensor(y),
                        .bias = bias.defined(),
                        .stride = numbers(geometry.options.stride),
                        .padding = numbers(geometry.options.padding),
                        .dilation = numbers(geometry.options.dilation),
                        .deterministic = is_deterministic(),
                        .tf32 = cudnn::allows_tf32()};
  std::vector<void*> addresses{x.raw_data(), weight.raw_data(), y.raw_data()};
  if (bias.defined()) addresses.push_back(bias.raw_data());
  return run_graph(graph, x.device(), addresses);
}

}  // namespace minima::detail
