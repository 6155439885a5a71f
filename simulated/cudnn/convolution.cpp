#include "simulated/cudnn/convolution.h"

#include "simulated/cudnn/values.h"

#include <minima/ops/cudnn/graph.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace simulated {

namespace {

using minima::Shape;
using minima::detail::ConvGraph;
using minima::detail::ConvPart;

/// Elements of one channel.
std::int64_t inner(const Shape& shape) { return minima::numel(shape) / (shape[0] * shape[1]); }

/// The pixel of a channel that a kernel element sees at a position, all counted through the spatial dimensions; -1
/// outside the image.
std::int64_t source(const ConvGraph& c, std::int64_t position, std::int64_t element) {
  std::int64_t pixel = 0, step = 1;
  for (int d = c.x.shape.rank() - 1; d >= 2; --d) {
    const std::int64_t at =
        position % c.y.shape[d] * c.stride[d - 2] - c.padding[d - 2] + element % c.weight.shape[d] * c.dilation[d - 2];
    if (at < 0 || at >= c.x.shape[d]) return -1;
    pixel += at * step;
    step *= c.x.shape[d];
    position /= c.y.shape[d];
    element /= c.weight.shape[d];
  }
  return pixel;
}

/// Calls f(place in x, in weight, in y) for each product of the image.
template <class F>
void each_product(const ConvGraph& c, const Values& x, const Values& weight, const Values& y, std::int64_t image,
                  const F& f) {
  const std::int64_t outputs = c.weight.shape[0], group_channels = c.weight.shape[1];
  const std::int64_t group_outputs = outputs * group_channels / c.x.shape[1];
  const std::int64_t positions = inner(y.shape), elements = inner(weight.shape), pixels = inner(x.shape);
  for (std::int64_t position = 0; position < positions; ++position)
    for (std::int64_t element = 0; element < elements; ++element) {
      const std::int64_t pixel = source(c, position, element);
      if (pixel < 0) continue;
      for (std::int64_t o = 0; o < outputs; ++o)
        for (std::int64_t channel = 0; channel < group_channels; ++channel) {
          const std::int64_t in_x = o / group_outputs * group_channels + channel;
          f(static_cast<std::size_t>((image * c.x.shape[1] + in_x) * pixels + pixel),
            static_cast<std::size_t>((o * group_channels + channel) * elements + element),
            static_cast<std::size_t>((image * outputs + o) * positions + position));
        }
    }
}

/// To the nearest number with 10 bits of mantissa.
void round_to_tf32(Values& values) {
  for (double& value : values.data) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    value = std::bit_cast<float>((bits + 0x1000u) & ~0x1fffu);
  }
}

}  // namespace

Values convolution(const ConvGraph& graph, Values x, Values weight, Values y, const Values* bias,
                   const Summation& summation) {
  const ConvPart part = graph.part;
  Values& result = part == ConvPart::forward ? y : part == ConvPart::input_gradient ? x : weight;
  if (summation.tf32)
    for (Values* const values : {&x, &weight, &y})
      if (values != &result) round_to_tf32(*values);
  std::fill(result.data.begin(), result.data.end(), 0.0);
  std::vector<std::int64_t> images(static_cast<std::size_t>(graph.x.shape[0]));
  std::iota(images.begin(), images.end(), 0);
  if (summation.in_parts) {
    std::mt19937_64 random(summation.order);
    std::shuffle(images.begin(), images.end(), random);
  }
  for (const std::int64_t image : images) {
    each_product(graph, x, weight, y, image, [&](std::size_t in_x, std::size_t in_weight, std::size_t in_y) {
      if (part == ConvPart::forward) y.data[in_y] += x.data[in_x] * weight.data[in_weight];
      else if (part == ConvPart::input_gradient) x.data[in_x] += y.data[in_y] * weight.data[in_weight];
      else weight.data[in_weight] += x.data[in_x] * y.data[in_y];
    });
    if (summation.in_parts)
      for (double& sum : result.data) sum = static_cast<float>(sum);
  }
  if (bias)
    for (std::size_t i = 0; i < y.data.size(); ++i) {
      const auto positions = static_cast<std::size_t>(inner(y.shape));
      y.data[i] += bias->data[i / positions % bias->data.size()];
    }
  return std::move(result);
}

}  // namespace simulated
