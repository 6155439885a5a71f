#include <minima/io/plots/tensor_image.h>

#include <minima/autograd/mode.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/plots/png_writer.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima {

namespace {

/// x mapped from [low, high] to [0, 1], from its own range if they are equal.
Tensor to_unit_range(const Tensor& x, double low, double high) {
  if (low == high) {
    low = amin(x).item<double>();
    high = amax(x).item<double>();
  }
  return (clamp(x, low, high) - low) / std::max(high - low, 1e-5);
}

/// [B, C, H, W] with at least three channels.
Tensor as_batch(const Tensor& images) {
  if (images.rank() < 2 || images.rank() > 4 || images.numel() == 0)
    throw ShapeError(str("make_grid: expected images [B, C, H, W], [C, H, W] or [H, W], got ", images));
  Tensor x = images.detach().to(Device::cpu());
  while (x.rank() < 4) x = unsqueeze(x, 0);
  return x.size(1) == 1 ? expand(x, {x.size(0), 3, x.size(2), x.size(3)}) : x;
}

}  // namespace

Tensor make_grid(const Tensor& images, const MakeGridOptions& options) {
  if (options.columns < 1 || options.padding < 0)
    throw ValueError(str("make_grid: columns must be at least 1 and padding at least 0, got ", options.columns, " and ",
                         options.padding));
  detail::check_number("make_grid", "low", options.low, detail::finite);
  detail::check_number("make_grid", "high", options.high, detail::finite);
  if (options.low > options.high)
    throw ValueError(str("make_grid: low = ", options.low, " must not be above high = ", options.high));
  const NoGrad constant;
  Tensor x = as_batch(images);
  if (options.normalize) {
    x = x.to(DType::float32);
    if (options.scale_each) {
      std::vector<Tensor> parts;
      parts.reserve(static_cast<std::size_t>(x.size(0)));
      for (std::int64_t i = 0; i < x.size(0); ++i) parts.push_back(to_unit_range(x[i], options.low, options.high));
      x = stack(parts);
    } else {
      x = to_unit_range(x, options.low, options.high);
    }
  }
  if (x.size(0) == 1) return clone(contiguous(x[0]));
  const std::int64_t count = x.size(0), columns = std::min(options.columns, count),
                     rows = (count + columns - 1) / columns;
  using detail::Wide;
  const auto extent = [&](std::int64_t size, std::int64_t number) {
    return detail::fit((size + Wide{options.padding}) * number + options.padding, "make_grid");
  };
  const Tensor grid =
      full({x.size(1), extent(x.size(2), rows), extent(x.size(3), columns)}, options.pad_value, {.dtype = x.dtype()});
  const std::int64_t height = x.size(2) + options.padding, width = x.size(3) + options.padding;
  for (std::int64_t i = 0; i < count; ++i) {
    const Tensor row = narrow(grid, 1, i / columns * height + options.padding, x.size(2));
    copy_(narrow(row, 2, i % columns * width + options.padding, x.size(3)), x[i]);
  }
  return grid;
}

Tensor image_pixels(const Tensor& images, const MakeGridOptions& options) {
  const NoGrad constant;
  Tensor grid = make_grid(images, options);
  if (grid.dtype() != DType::uint8) grid = clamp(floor(grid.to(DType::float32) * 255 + 0.5), 0, 255).to(DType::uint8);
  if (grid.size(0) != 3 && grid.size(0) != 4)
    throw ShapeError(str("image_pixels: images must have 1, 3 or 4 channels, got ", images));
  return contiguous(permute(grid, {1, 2, 0}));
}

void save_image(const Tensor& images, const std::string& path, const MakeGridOptions& options) {
  const Tensor pixels = image_pixels(images, options);
  const std::vector<std::uint8_t> bytes = pixels.to_vector<std::uint8_t>();
  AtomicFile file(path);
  file.write(encode_png(bytes.data(), static_cast<int>(pixels.size(0)), static_cast<int>(pixels.size(1)),
                        static_cast<int>(pixels.size(2))));
  file.commit();
}

}  // namespace minima
