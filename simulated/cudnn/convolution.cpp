#include "simulated/cudnn/convolution.h"

#include "simulated/cudnn/values.h"

#include <minima/ops/cudnn/graph.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
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

/// Images and elements of the kernel whose products are summed by themselves.
struct Part {
  std::int64_t first_image, last_image, first_element, last_element;
};

/// Calls f(place in x, in weight, in y) for each product of an image of the part.
template <class F>
void each_product(const ConvGraph& c, const Values& x, const Values& weight, const Values& y, const Part& part,
                  std::int64_t image, const F& f) {
  const std::int64_t outputs = c.weight.shape[0], group_channels = c.weight.shape[1];
  const std::int64_t group_outputs = outputs * group_channels / c.x.shape[1];
  const std::int64_t positions = inner(y.shape), elements = inner(weight.shape), pixels = inner(x.shape);
  for (std::int64_t position = 0; position < positions; ++position)
    for (std::int64_t element = part.first_element; element < part.last_element; ++element) {
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

/// The sum of the part's products, in float32 as on a GPU, unless all is in float64.
Values sum_of(const ConvGraph& graph, const Values& x, const Values& weight, const Values& y, const Part& part) {
  const bool single = graph.x.dtype != minima::DType::float64;
  const ConvPart wanted = graph.part;
  Values sums(wanted == ConvPart::forward ? graph.y : wanted == ConvPart::input_gradient ? graph.x : graph.weight);
  const auto add = [single](double& sum, double a, double b) {
    sum += a * b;
    if (single) sum = static_cast<float>(sum);
  };
  for (std::int64_t image = part.first_image; image < part.last_image; ++image)
    each_product(graph, x, weight, y, part, image, [&](std::size_t in_x, std::size_t in_weight, std::size_t in_y) {
      if (wanted == ConvPart::forward) add(sums.data[in_y], x.data[in_x], weight.data[in_weight]);
      else if (wanted == ConvPart::input_gradient) add(sums.data[in_x], y.data[in_y], weight.data[in_weight]);
      else add(sums.data[in_weight], x.data[in_x], y.data[in_y]);
    });
  return sums;
}

/// Parts whose sums have elements in common: images for the weight's gradient, the kernel's elements otherwise.
std::vector<Part> parts_of(const ConvGraph& graph) {
  const std::int64_t images = graph.x.shape[0], elements = inner(graph.weight.shape);
  std::vector<Part> parts;
  if (graph.part == ConvPart::weight_gradient)
    for (std::int64_t image = 0; image < images; ++image) parts.push_back({image, image + 1, 0, elements});
  else
    for (std::int64_t element = 0; element < elements; ++element) parts.push_back({0, images, element, element + 1});
  return parts;
}

}  // namespace

Values convolution(const ConvGraph& graph, Values x, Values weight, Values y, const Values* bias,
                   const Summation& summation) {
  const ConvPart wanted = graph.part;
  if (summation.tf32) {
    if (wanted != ConvPart::input_gradient) round_to_tf32(x);
    if (wanted != ConvPart::weight_gradient) round_to_tf32(weight);
    if (wanted != ConvPart::forward) round_to_tf32(y);
  }
  if (!summation.in_parts) {
    Values sums = sum_of(graph, x, weight, y, {0, graph.x.shape[0], 0, inner(graph.weight.shape)});
    if (bias)
      for (std::size_t i = 0; i < sums.data.size(); ++i) {
        const auto positions = static_cast<std::size_t>(inner(y.shape));
        sums.data[i] += bias->data[i / positions % bias->data.size()];
      }
    return sums;
  }
  std::vector<Part> parts = parts_of(graph);
  std::mt19937_64 random(summation.order);
  std::shuffle(parts.begin(), parts.end(), random);
  const bool single = graph.x.dtype != minima::DType::float64;
  Values result = sum_of(graph, x, weight, y, parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Values sums = sum_of(graph, x, weight, y, parts[i]);
    for (std::size_t j = 0; j < result.data.size(); ++j) {
      result.data[j] += sums.data[j];
      if (single) result.data[j] = static_cast<float>(result.data[j]);
    }
  }
  return result;
}

}  // namespace simulated
