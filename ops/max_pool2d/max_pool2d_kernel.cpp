#include <minima/ops/max_pool2d/max_pool2d_kernel.h>

#include <minima/ops/images.h>
#include <minima/ops/pointwise/loop.h>
#include <minima/tensor/dispatch.h>
#include <minima/tensor/parallel.h>

#include <limits>

namespace minima::detail {

namespace {

using pointwise::Compute;

/// y[i] = the larger of y[i] and x[i · stride], with the position of the latter where it wins. Branch-free, so that
/// loops of it vectorise.
template <bool indexed, class T, class I>
void take_larger(const T* __restrict x, std::int64_t stride, std::int64_t count, I position, I step, T* __restrict y,
                 I* __restrict index) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<Compute<T>>(x[i * stride]);
    const auto best = static_cast<Compute<T>>(y[i]);
    if constexpr (indexed) {
      const bool wins = value > best || value != value || index[i] < 0;
      y[i] = wins ? x[i * stride] : y[i];
      index[i] = wins ? static_cast<I>(position + static_cast<I>(i) * step) : index[i];
    } else {
      y[i] = value > best || value != value ? x[i * stride] : y[i];
    }
  }
}

template <class T, class I>
struct Pooling {
  const T* x;
  T* y;
  I* index;  ///< null if not wanted
  PoolAxis rows, columns;

  void start(std::int64_t first, std::int64_t count) const {
    std::fill_n(y + first, count, T(-std::numeric_limits<Compute<T>>::infinity()));
    if (index) std::fill_n(index + first, count, I(-1));
  }

  void take(std::int64_t from, std::int64_t stride, std::int64_t count, std::int64_t position, std::int64_t step,
            std::int64_t to) const {
    const auto at = static_cast<I>(position), by = static_cast<I>(step);
    if (!index) take_larger<false, T, I>(x + from, stride, count, at, by, y + to, nullptr);
    else if (stride == 1) take_larger<true>(x + from, 1, count, at, by, y + to, index + to);
    else take_larger<true>(x + from, stride, count, at, by, y + to, index + to);
  }

  /// One row of windows of one plane; neighbours are computed together.
  void row_major(std::int64_t plane, std::int64_t i) const {
    const std::int64_t to = (plane * rows.windows + i) * columns.windows, from = plane * rows.size * columns.size;
    start(to, columns.windows);
    for (std::int64_t a = 0; a < rows.kernel; ++a) {
      const std::int64_t row = rows.source(i, a);
      if (!rows.is_inside(row)) continue;
      for (std::int64_t b = 0; b < columns.kernel; ++b) {
        const std::int64_t first = columns.first_inside(b), last = columns.last_inside(b);
        const std::int64_t position = row * columns.size + columns.source(first, b);
        take(from + position, columns.stride, last - first, position, columns.stride, to + first);
      }
    }
  }

  /// One row of windows of one image with all channels, which are computed together.
  void channels_last(std::int64_t image, std::int64_t i, std::int64_t channels) const {
    for (std::int64_t j = 0; j < columns.windows; ++j) {
      const std::int64_t to = ((image * rows.windows + i) * columns.windows + j) * channels;
      start(to, channels);
      for (std::int64_t a = 0; a < rows.kernel; ++a)
        for (std::int64_t b = 0; b < columns.kernel; ++b) {
          const std::int64_t row = rows.source(i, a), column = columns.source(j, b);
          if (!rows.is_inside(row) || !columns.is_inside(column)) continue;
          const std::int64_t position = row * columns.size + column;
          take((image * rows.size * columns.size + position) * channels, 1, channels, position, 0, to);
        }
    }
  }
};

template <class F>
void with_index_type(const Tensor& indices, F&& f) {
  if (indices.defined() && indices.dtype() == DType::int64) f.template operator()<std::int64_t>();
  else f.template operator()<std::int32_t>();
}

/// Calls f(first element of x's planes, of y's planes, number of planes) in parallel: plane by plane, or with
/// channels_last image by image, all its planes interleaved.
template <class F>
void each_plane(const Tensor& x, const Tensor& y, F&& f) {
  const Shape& s = x.shape();
  const std::int64_t channels = s[1], pixels = s[2] * s[3], results = y.shape()[2] * y.shape()[3];
  const bool last = wants_channels_last(x.layout()) || wants_channels_last(y.layout());
  const std::int64_t unit = last ? channels : 1;  // planes that are done together
  parallel_for(0, s[0] * channels / std::max<std::int64_t>(unit, 1), grain_for(static_cast<double>(unit * (results + pixels))),
               [&](std::int64_t first, std::int64_t end) {
                 for (std::int64_t p = first; p < end; ++p) f(p * unit * pixels, p * unit * results, unit);
               });
}

}  // namespace

void max_pool2d_kernel_cpu(const Tensor& x, const PoolAxis& rows, const PoolAxis& columns, const Tensor& y,
                           const Tensor& indices) {
  const bool last = wants_channels_last(x.layout()) || wants_channels_last(y.layout());
  const std::int64_t batch = x.shape()[0], channels = x.shape()[1];
  const std::int64_t lines = (last ? batch : batch * channels) * rows.windows;
  const auto line_cost = 0.5 * static_cast<double>(columns.windows * rows.kernel * columns.kernel * (last ? channels : 1));
  dispatch<floating>(x.dtype(), "max_pool2d", [&]<class T> {
    with_index_type(indices, [&]<class I> {
      const Pooling<T, I> pooling{x.data<T>(), y.data<T>(), indices.defined() ? indices.data<I>() : nullptr, rows, columns};
      parallel_for(0, lines, grain_for(std::max(line_cost, 1.0)), [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t line = first; line < end; ++line) {
          const std::int64_t image = line / rows.windows, i = line % rows.windows;
          if (last) pooling.channels_last(image, i, channels);
          else pooling.row_major(image, i);
        }
      });
    });
  });
}

void max_pool2d_scatter_cpu(const Tensor& g, const Tensor& indices, const Tensor& x_gradient) {
  const std::int64_t pixels = x_gradient.shape()[2] * x_gradient.shape()[3], results = g.shape()[2] * g.shape()[3];
  dispatch<floating>(g.dtype(), "max_pool2d_gradient", [&]<class T> {
    with_index_type(indices, [&]<class I> {
      each_plane(x_gradient, g, [&](std::int64_t to, std::int64_t from, std::int64_t unit) {
        T* target = x_gradient.data<T>() + to;
        const T* values = g.data<T>() + from;
        const I* places = indices.data<I>() + from;
        std::fill_n(target, pixels * unit, T(0));
        for (std::int64_t i = 0; i < results; ++i)
          for (std::int64_t c = 0; c < unit; ++c, ++values, ++places)
            if (*places >= 0) target[*places * unit + c] = static_cast<T>(target[*places * unit + c] + *values);
      });
    });
  });
}

void max_pool2d_gather_cpu(const Tensor& x, const Tensor& indices, const Tensor& y) {
  const std::int64_t results = y.shape()[2] * y.shape()[3];
  dispatch<floating>(x.dtype(), "max_pool2d_gather", [&]<class T> {
    with_index_type(indices, [&]<class I> {
      each_plane(x, y, [&](std::int64_t from, std::int64_t to, std::int64_t unit) {
        const T* values = x.data<T>() + from;
        const I* places = indices.data<I>() + to;
        T* target = y.data<T>() + to;
        for (std::int64_t i = 0; i < results; ++i)
          for (std::int64_t c = 0; c < unit; ++c, ++target, ++places)
            *target = *places >= 0 ? values[*places * unit + c] : T(0);
      });
    });
  });
}

}  // namespace minima::detail
