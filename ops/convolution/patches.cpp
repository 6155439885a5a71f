#include <minima/ops/convolution/engines.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/tensor/base/shape.h>

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

/// The part of one kernel row that is inside the image, at one output position.
struct PixelRun {
  std::int64_t position;     ///< counted from the first of the rows
  std::int64_t element;      ///< the kernel row's first element
  std::int64_t first, last;  ///< columns of the kernel that are inside the image; none if first == last
  std::int64_t pixel;        ///< under column 0 of the kernel
};

/// Calls f(run) for each output position of the rows and each kernel row.
template <class F>
void each_pixel_run(const ConvGeometry& g, RowRange rows, F&& f) {
  const ConvOptions& o = g.options;
  const std::int64_t width = g.kernel.width, dilation = o.dilation.width;
  for (std::int64_t i = rows.first; i < rows.last; ++i)
    for (std::int64_t line = 0; line < g.kernel.depth * g.kernel.height; ++line) {
      const std::int64_t row = source_row(g, i, line);
      for (std::int64_t j = 0; j < g.out.width; ++j) {
        const std::int64_t start = source(j, 0, o.stride.width, o.padding.width, dilation);
        std::int64_t first = 0, last = row < 0 ? 0 : width;
        while (first < last && start + first * dilation < 0) ++first;
        while (first < last && start + (last - 1) * dilation >= g.size.width) --last;
        f(PixelRun{(i - rows.first) * g.out.width + j, line * width, first, last, row * g.size.width + start});
      }
    }
}

/// A run of output positions in one row, for one kernel element.
struct Run {
  std::int64_t first, last;  ///< output columns whose source is inside the image; empty if the row is not
  std::int64_t offset;       ///< of the first column's source
};

/// Calls f(run) for each of the first channels, kernel element and row.
template <class F>
void each_run(const ConvGeometry& g, std::int64_t channels, RowRange rows, F&& f) {
  const ConvOptions& o = g.options;
  const std::int64_t stride = o.stride.width, width = g.size.width;
  for (std::int64_t c = 0; c < channels; ++c)
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
void gather_patches(const ConvGeometry& g, bool channels_last, const T* image, RowRange rows, std::int64_t channels,
                    T* patches) {
  if (channels_last) {
    const std::int64_t elements = g.kernel_elements(), width = g.kernel.width, dilation = g.options.dilation.width;
    const bool is_contiguous = dilation == 1 && channels == g.channels;  // a kernel row is a run of memory
    each_pixel_run(g, rows, [&](const PixelRun& run) {
      T* to = patches + (run.position * elements + run.element) * channels;
      const T* from = image + run.pixel * g.channels;
      std::fill_n(to, run.first * channels, T(0));
      if (is_contiguous)
        std::copy_n(from + run.first * channels, (run.last - run.first) * channels, to + run.first * channels);
      else
        for (std::int64_t b = run.first; b < run.last; ++b)
          std::copy_n(from + b * dilation * g.channels, channels, to + b * channels);
      std::fill_n(to + run.last * channels, (width - run.last) * channels, T(0));
    });
    return;
  }
  const std::int64_t stride = g.options.stride.width;
  each_run(g, channels, rows, [&](const Run& run) {
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
void gather_patches_by_channel(const ConvGeometry& g, const T* image, RowRange rows, std::int64_t channels,
                               T* patches) {
  const std::int64_t elements = g.kernel_elements();
  each_pixel_run(g, rows, [&](const PixelRun& run) {
    for (std::int64_t b = 0; b < g.kernel.width; ++b) {
      T* to = patches + run.position * channels * elements + run.element + b;
      if (b >= run.first && b < run.last) {
        const T* from = image + (run.pixel + b * g.options.dilation.width) * g.channels;
        for (std::int64_t c = 0; c < channels; ++c) to[c * elements] = from[c];
      } else {
        for (std::int64_t c = 0; c < channels; ++c) to[c * elements] = T(0);
      }
    }
  });
}

template <class T>
void scatter_patches(const ConvGeometry& g, bool channels_last, T* image, RowRange rows, const T* patches) {
  if (channels_last) {
    const std::int64_t channels = g.group_channels(), elements = g.kernel_elements();
    each_pixel_run(g, rows, [&](const PixelRun& run) {
      for (std::int64_t b = run.first; b < run.last; ++b) {
        const T* from = patches + (run.position * elements + run.element + b) * channels;
        T* to = image + (run.pixel + b * g.options.dilation.width) * g.channels;
        for (std::int64_t c = 0; c < channels; ++c) to[c] += from[c];
      }
    });
    return;
  }
  const std::int64_t stride = g.options.stride.width;
  each_run(g, g.group_channels(), rows, [&](const Run& run) {
    T* to = image + run.offset;
    if (stride == 1)
      for (std::int64_t j = 0; j < run.last - run.first; ++j) to[j] += patches[run.first + j];
    else
      for (std::int64_t j = run.first; j < run.last; ++j, to += stride) *to += patches[j];
    patches += g.out.width;
  });
}

void scatter_patches_by_channel(const ConvGeometry& g, float* image, RowRange rows, std::int64_t channels,
                                const float* patches) {
  const std::int64_t elements = g.kernel_elements();
  each_pixel_run(g, rows, [&](const PixelRun& run) {
    for (std::int64_t b = run.first; b < run.last; ++b) {
      const float* from = patches + run.position * channels * elements + run.element + b;
      float* to = image + (run.pixel + b * g.options.dilation.width) * g.channels;
      for (std::int64_t c = 0; c < channels; ++c) to[c] += from[c * elements];
    }
  });
}

template void gather_patches(const ConvGeometry&, bool, const float*, RowRange, std::int64_t, float*);
template void gather_patches(const ConvGeometry&, bool, const double*, RowRange, std::int64_t, double*);
template void gather_patches_by_channel(const ConvGeometry&, const float*, RowRange, std::int64_t, float*);
template void gather_patches_by_channel(const ConvGeometry&, const double*, RowRange, std::int64_t, double*);
template void scatter_patches(const ConvGeometry&, bool, float*, RowRange, const float*);
template void scatter_patches(const ConvGeometry&, bool, double*, RowRange, const double*);

std::int64_t images_per_weight_slice(const ConvGeometry& geometry) {
  constexpr std::int64_t most_slices = 8, most_elements = std::int64_t{1} << 22;
  const std::int64_t weights = std::max<std::int64_t>(numel(geometry.weight()), 1);
  const std::int64_t slices = std::clamp<std::int64_t>(most_elements / weights, 1, most_slices);
  return std::max<std::int64_t>((geometry.batch + slices - 1) / slices, 1);
}

}  // namespace minima::detail
