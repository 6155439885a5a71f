#include <minima/ops/pooling/kernels.h>

#include <minima/ops/convolution/images.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

/// Planes processed together: one plane if row-major, all planes of an image if channels_last. Pixels are `unit`
/// elements apart.
struct Planes {
  std::int64_t count, unit, width;
};

Planes planes_of(const Tensor& x, const Tensor& y) {
  const bool last = wants_channels_last(x.layout()) || wants_channels_last(y.layout());
  const Shape& s = x.shape();
  const std::int64_t unit = last ? s[1] : 1;
  return {unit > 0 ? s[0] * s[1] / unit : 0, unit, s[3]};
}

double scale_of(const AvgWindow& row, const AvgWindow& column) {
  return 1 / (static_cast<double>(row.count) * static_cast<double>(column.count));
}

/// Calls f(first element of x's planes, of y's, number of planes) for all groups of planes, in parallel.
template <class F>
void each(const Planes& planes, const Tensor& x, const Tensor& y, F&& f) {
  const std::int64_t pixels = x.shape()[2] * x.shape()[3] * planes.unit,
                     results = y.shape()[2] * y.shape()[3] * planes.unit;
  parallel_for(0, planes.count, grain_for(static_cast<double>(pixels + results)),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t p = first; p < last; ++p) f(p * pixels, p * results);
               });
}

}  // namespace

namespace {

/// One row-major plane: sums the rows of a window first, element by element, then its columns.
template <class T>
void pool_plane(const T* x, std::int64_t width, const AvgWindows& rows, const AvgWindows& columns, T* y,
                std::vector<T>& sums) {
  for (const AvgWindow& row : rows) {
    std::fill(sums.begin(), sums.end(), T(0));
    for (std::int64_t i = row.first; i < row.last; ++i)
      for (std::int64_t c = 0; c < width; ++c) sums[static_cast<std::size_t>(c)] += x[i * width + c];
    for (const AvgWindow& column : columns) {
      T sum = 0;
      for (std::int64_t j = column.first; j < column.last; ++j) sum += sums[static_cast<std::size_t>(j)];
      *y++ = sum * static_cast<T>(scale_of(row, column));
    }
  }
}

/// The reverse: adds a row of each column's share to all rows of the window.
template <class T>
void spread_plane(const T* g, std::int64_t width, const AvgWindows& rows, const AvgWindows& columns, T* x,
                  std::vector<T>& shares) {
  for (const AvgWindow& row : rows) {
    std::fill(shares.begin(), shares.end(), T(0));
    for (const AvgWindow& column : columns) {
      const T share = *g++ * static_cast<T>(scale_of(row, column));
      for (std::int64_t j = column.first; j < column.last; ++j) shares[static_cast<std::size_t>(j)] += share;
    }
    for (std::int64_t i = row.first; i < row.last; ++i)
      for (std::int64_t c = 0; c < width; ++c) x[i * width + c] += shares[static_cast<std::size_t>(c)];
  }
}

}  // namespace

void avg_pool2d_kernel_cpu(const Tensor& x, const AvgWindows& rows, const AvgWindows& columns, const Tensor& y) {
  const Planes planes = planes_of(x, y);
  dispatch<full_floating>(x.dtype(), "avg_pool2d", [&]<class T> {
    each(planes, x, y, [&](std::int64_t from, std::int64_t to) {
      T* result = y.data<T>() + to;
      if (planes.unit == 1) {
        std::vector<T> sums(static_cast<std::size_t>(planes.width));
        return pool_plane(x.data<T>() + from, planes.width, rows, columns, result, sums);
      }
      for (const AvgWindow& row : rows)
        for (const AvgWindow& column : columns) {
          std::fill_n(result, planes.unit, T(0));
          for (std::int64_t i = row.first; i < row.last; ++i)
            for (std::int64_t j = column.first; j < column.last; ++j) {
              const T* pixel = x.data<T>() + from + (i * planes.width + j) * planes.unit;
              for (std::int64_t c = 0; c < planes.unit; ++c) result[c] += pixel[c];
            }
          const auto scale = static_cast<T>(scale_of(row, column));
          for (std::int64_t c = 0; c < planes.unit; ++c) result[c] *= scale;
          result += planes.unit;
        }
    });
  });
}

void avg_pool2d_spread_cpu(const Tensor& g, const AvgWindows& rows, const AvgWindows& columns,
                           const Tensor& x_gradient) {
  const Planes planes = planes_of(x_gradient, g);
  const std::int64_t pixels = x_gradient.shape()[2] * x_gradient.shape()[3];
  dispatch<full_floating>(g.dtype(), "avg_pool2d_gradient", [&]<class T> {
    each(planes, x_gradient, g, [&](std::int64_t to, std::int64_t from) {
      const T* given = g.data<T>() + from;
      std::fill_n(x_gradient.data<T>() + to, pixels * planes.unit, T(0));
      if (planes.unit == 1) {
        std::vector<T> shares(static_cast<std::size_t>(planes.width));
        return spread_plane(given, planes.width, rows, columns, x_gradient.data<T>() + to, shares);
      }
      for (const AvgWindow& row : rows)
        for (const AvgWindow& column : columns) {
          const auto scale = static_cast<T>(scale_of(row, column));
          for (std::int64_t i = row.first; i < row.last; ++i)
            for (std::int64_t j = column.first; j < column.last; ++j) {
              T* pixel = x_gradient.data<T>() + to + (i * planes.width + j) * planes.unit;
              for (std::int64_t c = 0; c < planes.unit; ++c) pixel[c] += given[c] * scale;
            }
          given += planes.unit;
        }
    });
  });
}

}  // namespace minima::detail
