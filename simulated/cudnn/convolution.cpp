#include "simulated/cudnn/convolution.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <vector>

namespace simulated {

namespace {

using minima::detail::ConvGraph;
using minima::detail::ConvPart;

/// Calls f(place in x, in weight, in y) for each product of the image.
template <class F>
void each_product(const ConvGraph& c, const Values& x, const Values& weight, const Values& y, std::int64_t image,
                  const F& f) {
  const auto [outputs, group_channels, kernel_height, kernel_width] = c.weight.shape;
  const std::int64_t group_outputs = outputs * group_channels / c.x.shape[1];
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t i = 0; i < c.y.shape[2]; ++i)
      for (std::int64_t j = 0; j < c.y.shape[3]; ++j)
        for (std::int64_t channel = 0; channel < group_channels; ++channel)
          for (std::int64_t a = 0; a < kernel_height; ++a)
            for (std::int64_t b = 0; b < kernel_width; ++b) {
              const std::int64_t row = i * c.stride.height - c.padding.height + a * c.dilation.height;
              const std::int64_t column = j * c.stride.width - c.padding.width + b * c.dilation.width;
              if (row < 0 || row >= c.x.shape[2] || column < 0 || column >= c.x.shape[3]) continue;
              f(x.place(image, o / group_outputs * group_channels + channel, row, column),
                weight.place(o, channel, a, b), y.place(image, o, i, j));
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
      const auto positions = static_cast<std::size_t>(y.shape[2] * y.shape[3]);
      y.data[i] += bias->data[i / positions % bias->data.size()];
    }
  return std::move(result);
}

}  // namespace simulated
