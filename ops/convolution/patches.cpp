#include <minima/ops/convolution/engines.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

namespace {

/// The input position of kernel element `k` for output position `i`; may be outside the image.
std::int64_t source(std::int64_t i, std::int64_t k, std::int64_t stride, std::int64_t padding, std::int64_t dilation) {
  return i * stride - padding + k * dilation;
}

bool inside(std::int64_t i, std::int64_t size) { return i >= 0 && i < size; }

/// The input row, counted through the depth, of kernel row `k` for output row `i`; -1 outside the image.
std::int64_t source_row(const ConvGeometry& g, std::int64_t i, std::int64_t k) {
  const ConvOptions& o = g.options;
  const std::int64_t row =
      source(i % g.out.height, k % g.kernel.height, o.stride.height, o.padding.height, o.dilation.height);
  if (!inside(row, g.size.height)) return -1;
  const std::int64_t plane =
      source(i / g.out.height, k / g.kernel.height, o.stride.depth, o.padding.depth, o.dilation.depth);
  return inside(plane, g.size.depth) ? plane * g.size.height + row : -1;
}

/// Calls f(offset of the pixel in the image, or -1 outside it) for each output position of the rows and each kernel
/// element.
template <class F>
void each_pixel(const ConvGeometry& g, RowRange rows, F&& f) {
  const ConvOptions& o = g.options;
  for (std::int64_t i = rows.first; i < rows.last; ++i)
    for (std::int64_t j = 0; j < g.out.width; ++j)
      for (std::int64_t line = 0; line < g.kernel.depth * g.kernel.height; ++line) {
        const std::int64_t start = source_row(g, i, line);
        for (std::int64_t b = 0; b < g.kernel.width; ++b) {
          const std::int64_t column = source(j, b, o.stride.width, o.padding.width, o.dilation.width);
          f(start >= 0 && inside(column, g.size.width) ? (start * g.size.width + column) * g.channels : -1);
        }
      }
}

/// A run of output positions in one row, for one kernel element.
struct Run {
  std::int64_t first, last;  ///< output columns whose source is inside the image; empty if the row is not
  std::int64_t offset;       ///< of the first column's source
};

/// Calls f(run) for each channel, kernel element and row.
template <class F>
void each_run(const ConvGeometry& g, RowRange rows, F&& f) {
  const ConvOptions& o = g.options;
  const std::int64_t stride = o.stride.width, width = g.size.width;
  for (std::int64_t c = 0; c < g.group_channels(); ++c)
    for (std::int64_t line = 0; line < g.kernel.depth * g.kernel.height; ++line)
      for (std::int64_t b = 0; b < g.kernel.width; ++b) {
        const std::int64_t start = source(0, b, stride, o.padding.width, o.dilation.width);
        const std::int64_t first = start >= 0 ? 0 : std::min((-start + stride - 1) / stride, g.out.width);
        const std::int64_t last = start >= width ? first : std::min((width - 1 - start) / stride + 1, g.out.width);
        for (std::int64_t i = rows.first; i < rows.last; ++i) {
          const std::int64_t row = source_row(g, i, line);
          if (row >= 0 && first < last) f(Run{first, last, c * g.pixels() + row * width + start + first * stride});
          else f(Run{0, 0, 0});
        }
      }
}

}  // namespace

template <class T>
void gather_patches(const ConvGeometry& g, bool channels_last, const T* image, RowRange rows, T* patches) {
  if (channels_last) {
    const std::int64_t channels = g.group_channels();
    each_pixel(g, rows, [&](std::int64_t offset) {
      if (offset < 0) std::fill_n(patches, channels, T(0));
      else std::copy_n(image + offset, channels, patches);
      patches += channels;
    });
    return;
  }
  const std::int64_t stride = g.options.stride.width;
  each_run(g, rows, [&](const Run& run) {
    std::fill_n(patches, run.first, T(0));
    const T* from = image + run.offset;
    if (stride == 1) std::copy_n(from, run.last - run.first, patches + run.first);
    else
      for (std::int64_t j = run.first; j < run.last; ++j, from += stride) patches[j] = *from;
    std::fill_n(patches + run.last, g.out.width - run.last, T(0));
    patches += g.out.width;
  });
}

template <class T>
void scatter_patches(const ConvGeometry& g, bool channels_last, T* image, RowRange rows, const T* patches) {
  if (channels_last) {
    const std::int64_t channels = g.group_channels();
    each_pixel(g, rows, [&](std::int64_t offset) {
      if (offset >= 0)
        for (std::int64_t c = 0; c < channels; ++c) image[offset + c] += patches[c];
      patches += channels;
    });
    return;
  }
  const std::int64_t stride = g.options.stride.width;
  each_run(g, rows, [&](const Run& run) {
    T* to = image + run.offset;
    if (stride == 1)
      for (std::int64_t j = 0; j < run.last - run.first; ++j) to[j] += patches[run.first + j];
    else
      for (std::int64_t j = run.first; j < run.last; ++j, to += stride) *to += patches[j];
    patches += g.out.width;
  });
}

template void gather_patches(const ConvGeometry&, bool, const float*, RowRange, float*);
template void gather_patches(const ConvGeometry&, bool, const double*, RowRange, double*);
template void scatter_patches(const ConvGeometry&, bool, float*, RowRange, const float*);
template void scatter_patches(const ConvGeometry&, bool, double*, RowRange, const double*);

std::int64_t images_per_weight_slice(const ConvGeometry& geometry) {
  constexpr std::int64_t most_slices = 8, most_elements = std::int64_t{1} << 22;
  const std::int64_t weights = std::max<std::int64_t>(numel(geometry.weight()), 1);
  const std::int64_t slices = std::clamp<std::int64_t>(most_elements / weights, 1, most_slices);
  return std::max<std::int64_t>((geometry.batch + slices - 1) / slices, 1);
}

template <class T>
void add_slices(T* sums, const T* partial, std::int64_t slices, std::int64_t count) {
  const double cost = 0.3 * static_cast<double>(slices);
  parallel_for(0, slices > 0 ? count : 0, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t s = 0; s < slices; ++s) {
      const T* __restrict from = partial + s * count;
      for (std::int64_t i = first; i < last; ++i) sums[i] += from[i];
    }
  });
}

template void add_slices(float*, const float*, std::int64_t, std::int64_t);
template void add_slices(double*, const double*, std::int64_t, std::int64_t);

}  // namespace minima::detail
