#include <minima/ops/norm/kernels.h>

#include <minima/ops/loops/lines/lanes.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

/// Nanoseconds per element.
constexpr double cost = 0.6;

/// The layout of the groups: `rows` contiguous groups of `channels` planes of `pixels` elements each.
struct Groups {
  std::int64_t rows, channels, pixels, groups;
  Groups(const Tensor& x, std::int64_t groups)
      : rows(x.size(0) * groups),
        channels(x.size(1) / groups),
        pixels(x.numel() / (x.size(0) * x.size(1))),
        groups(groups) {}
  std::int64_t size() const { return channels * pixels; }
  /// The first channel of a row.
  std::int64_t channel(std::int64_t row) const { return row % groups * channels; }
};

template <class T>
T value_or(const Tensor& values, std::int64_t i, T otherwise) {
  return values.defined() ? values.data<T>()[i] : otherwise;
}

template <class T>
void scale_plane(const T* __restrict x, T* __restrict y, std::int64_t n, T mean, T scale, T shift) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * scale + shift;
}

template <class T>
void plane_gradient(const T* __restrict g, const T* __restrict x, T* __restrict dx, std::int64_t n, T mean, T rstd,
                    T weight, T level, T slope) {
  for (std::int64_t i = 0; i < n; ++i) dx[i] = rstd * (g[i] * weight - level - (x[i] - mean) * rstd * slope);
}

}  // namespace

void group_norm_kernel_cpu(const Tensor& x, std::int64_t groups, const Tensor& weight, const Tensor& bias, double eps,
                           Tensor& y, Tensor& mean, Tensor& rstd) {
  if (x.numel() == 0) return;
  const Groups all(x, groups);
  const std::int64_t n = all.size();
  dispatch<full_floating>(x.dtype(), "group_norm", [&]<class T> {
    parallel_for(0, all.rows, grain_for(cost * static_cast<double>(n)), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        const T* from = x.data<T>() + row * n;
        const auto count = static_cast<double>(n);
        const T center = static_cast<T>(lane_sum<T>(n, [=](std::int64_t i) { return from[i]; }) / count);
        const double var =
            lane_sum<T>(n, [=](std::int64_t i) { return (from[i] - center) * (from[i] - center); }) / count;
        const T inverse = static_cast<T>(1 / std::sqrt(var + eps));
        for (std::int64_t c = 0; c < all.channels; ++c) {
          const std::int64_t channel = all.channel(row) + c, at = c * all.pixels;
          scale_plane(from + at, y.data<T>() + row * n + at, all.pixels, center,
                      inverse * value_or<T>(weight, channel, 1), value_or<T>(bias, channel, 0));
        }
        if (!mean.defined()) continue;
        mean.data<T>()[row] = center;
        rstd.data<T>()[row] = inverse;
      }
    });
  });
}

void group_norm_gradient_kernel_cpu(const Tensor& g, const Tensor& x, std::int64_t groups, const Tensor& weight,
                                    const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                    const Tensor& dbias) {
  if (x.numel() == 0) return;
  const Groups all(x, groups);
  const std::int64_t n = all.size(), channels = x.size(1), samples = x.size(0);
  dispatch<full_floating>(x.dtype(), "group_norm", [&]<class T> {
    // Σ g and Σ g · normalized x of every plane, from which all three gradients follow.
    std::vector<double> sums(static_cast<std::size_t>(2 * samples * channels));
    parallel_for(0, all.rows, grain_for(2 * cost * static_cast<double>(n)), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        const T center = mean.data<T>()[row], inverse = rstd.data<T>()[row];
        double level = 0, slope = 0;
        for (std::int64_t c = 0; c < all.channels; ++c) {
          const std::int64_t plane = row * all.channels + c;
          const T *gs = g.data<T>() + plane * all.pixels, *xs = x.data<T>() + plane * all.pixels;
          const double total = lane_sum<T>(all.pixels, [=](std::int64_t i) { return gs[i]; });
          const double along =
              lane_sum<T>(all.pixels, [=](std::int64_t i) { return gs[i] * ((xs[i] - center) * inverse); });
          sums[static_cast<std::size_t>(2 * plane)] = total;
          sums[static_cast<std::size_t>(2 * plane + 1)] = along;
          const double w = value_or<T>(weight, all.channel(row) + c, 1);
          level += w * total, slope += w * along;
        }
        if (!dx.defined()) continue;
        const auto count = static_cast<double>(n);
        for (std::int64_t c = 0; c < all.channels; ++c) {
          const std::int64_t at = (row * all.channels + c) * all.pixels;
          plane_gradient(g.data<T>() + at, x.data<T>() + at, dx.data<T>() + at, all.pixels, center, inverse,
                         value_or<T>(weight, all.channel(row) + c, 1), static_cast<T>(level / count),
                         static_cast<T>(slope / count));
        }
      }
    });
    const auto total = [&](const Tensor& result, std::int64_t which) {
      if (!result.defined()) return;
      for (std::int64_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (std::int64_t s = 0; s < samples; ++s)
          sum += sums[static_cast<std::size_t>(2 * (s * channels + c) + which)];
        result.data<T>()[c] = static_cast<T>(sum);
      }
    };
    total(dbias, 0);
    total(dweight, 1);
  });
}

}  // namespace minima::detail
