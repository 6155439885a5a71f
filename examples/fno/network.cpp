#include "network.h"

#include <minima/ops/complex/complex.h>
#include <minima/ops/fft/fft.h>

using namespace minima;

namespace {

nn::Conv2d mix(std::int64_t in, std::int64_t out) { return nn::Conv2d({.in = in, .out = out, .kernel = 1}); }

/// The rows' and columns' coordinates of the cells' centres, [N, 2, H, W] for x [N, C, H, W].
Tensor coordinates(const Tensor& x) {
  const std::int64_t height = x.size(2), width = x.size(3);
  const TensorOptions like{.dtype = x.dtype(), .device = x.device()};
  const Tensor rows = reshape((arange(0, height, 1, like) + 0.5) / height, {1, 1, height, 1});
  const Tensor columns = reshape((arange(0, width, 1, like) + 0.5) / width, {1, 1, 1, width});
  const Shape plane{x.size(0), 1, height, width};
  return cat({expand(rows, plane), expand(columns, plane)}, 1);
}

}  // namespace

SpectralConv2d::SpectralConv2d(std::int64_t channels, std::int64_t modes)
    : weight(parameter("weight", rand({2 * modes * modes, channels, channels, 2}) / (channels * channels))),
      modes_(modes) {}

Tensor SpectralConv2d::forward(const Tensor& x) {
  const std::int64_t batch = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  const Tensor spectrum = slice(fft::rfft2(x), 3, 0, modes_);
  const Tensor lowest = cat({slice(spectrum, 2, 0, modes_), slice(spectrum, 2, -modes_)}, 2);
  const Tensor by_frequency = permute(reshape(lowest, {batch, channels, -1}), {2, 0, 1});
  const Tensor mixed = permute(matmul(by_frequency, view_as_complex(weight)), {1, 2, 0});
  const Tensor kept = reshape(mixed, {batch, channels, 2 * modes_, modes_});
  const Tensor rest =
      zeros({batch, channels, height - 2 * modes_, modes_}, {.dtype = kept.dtype(), .device = x.device()});
  const Tensor rows = cat({slice(kept, 2, 0, modes_), rest, slice(kept, 2, modes_)}, 2);
  return fft::irfft2(rows, {.s = Shape{height, width}});  // columns beyond the modes are 0
}

FourierLayer::FourierLayer(std::int64_t channels, std::int64_t modes, bool is_last)
    : spectral(child("spectral", SpectralConv2d(channels, modes))),
      pointwise(child("pointwise", mix(channels, channels))),
      is_last(is_last) {}

Tensor FourierLayer::forward(const Tensor& x) {
  const Tensor y = spectral(x) + pointwise(x);
  return is_last ? y : gelu(y);
}

FourierNeuralOperator::FourierNeuralOperator(std::int64_t channels, std::int64_t modes, std::int64_t count)
    : lift(child("lift", mix(3, channels))),
      layers(child("layers", nn::ListOf<FourierLayer>())),
      project1(child("project1", mix(channels, 4 * channels))),
      project2(child("project2", mix(4 * channels, 1))) {
  for (std::int64_t i = 0; i < count; ++i) layers.emplace_back(channels, modes, i + 1 == count);
}

Tensor FourierNeuralOperator::forward(const Tensor& a) {
  Tensor x = lift(cat({a, coordinates(a)}, 1));
  for (FourierLayer& layer : layers) x = layer(x);
  return project2(gelu(project1(x)));
}
