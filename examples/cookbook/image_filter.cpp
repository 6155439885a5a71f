// An image filter as a convolution: blur with a Gaussian, find edges with Sobel's kernels, mark the strongest.

#include <minima/io/plots/png_writer.h>
#include <minima/minima.h>

#include <cstdio>

using namespace minima;

namespace {

/// A grey picture [1, 1, size, size] in [0, 1]: a bright disc and a slanted bar on waves.
Tensor picture(std::int64_t size, Device device) {
  const Tensor row = view(linspace(-1, 1, size, {.device = device}), {size, 1}), column = view(row, {1, size});
  const Tensor disc = sigmoid((0.4 - sqrt(square(row + 0.3) + square(column - 0.3))) * 40);
  const Tensor bar = sigmoid((0.1 - abs(row * 0.8 - column - 0.6)) * 60);
  const Tensor waves = sin(row * 20 + column * 9) * 0.1 + 0.2;
  return view(maximum(maximum(disc, bar), waves), {1, 1, size, size});
}

/// Blurs by a Gaussian of deviation `sigma` pixels: a column's kernel, then a row's, is much less work than a square's.
Tensor blur(const Tensor& image, double sigma) {
  const auto radius = static_cast<std::int64_t>(3 * sigma);
  const Tensor offset = arange(-radius, radius + 1, 1, {.dtype = float32, .device = image.device()});
  const Tensor kernel = softmax(square(offset) * (-0.5 / (sigma * sigma)), 0);  // e^(-r²/2σ²), with sum 1
  const Tensor down = conv2d(image, view(kernel, {1, 1, -1, 1}), {}, {.padding = {radius, 0}});
  return conv2d(down, view(kernel, {1, 1, 1, -1}), {}, {.padding = {0, radius}});
}

/// √(gx² + gy²) with both of Sobel's kernels as one convolution to two channels.
Tensor edges(const Tensor& image) {
  const Tensor gx = tensor({{-1.0, 0.0, 1.0}, {-2.0, 0.0, 2.0}, {-1.0, 0.0, 1.0}}, {.device = image.device()});
  const Tensor gradient = conv2d(image, unsqueeze(stack({gx, t(gx)}), 1));  // [1, 2, H - 2, W - 2]
  return norm(gradient, 2, 1, true);
}

void save_png(const char* path, const Tensor& image) {
  const Tensor bytes = (clamp(image / max(image), 0, 1) * 255).to(uint8).to(Device::cpu());
  const int height = static_cast<int>(bytes.size(2)), width = static_cast<int>(bytes.size(3));
  write_file(path, encode_png(contiguous(bytes).data<std::uint8_t>(), height, width, 1));
}

}  // namespace

int main() {
  const Device device = default_device();
  const NoGrad no_grad;
  const Tensor image = picture(256, device), smooth = blur(image, 2), edge = edges(smooth);
  const Tensor strong = edge > mean(edge) * 3;
  save_png("picture.png", image);
  save_png("edges.png", edge);
  std::printf("mean %.5f, blurred %.5f\n", mean(image).item<double>(), mean(smooth).item<double>());
  std::printf("edges: mean %.5f, largest %.5f\n", mean(edge).item<double>(), max(edge).item<double>());
  std::printf("strong edges: %lld of %lld pixels\n", static_cast<long long>(sum(strong).item<std::int64_t>()),
              static_cast<long long>(strong.numel()));
}
