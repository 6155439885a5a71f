#include <minima/ops/image/grid_sample.h>
#include <minima/ops/image/kernels.h>

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

// Blocks of places: first the neighbours' offsets and weights, which all channels share, then a loop over channels that
// gathers. Offsets within a channel are of 32 bits, so that a vector register holds many.

namespace minima::detail {

namespace {

constexpr std::int64_t block = 64;

/// The places and weights of a block's samples along one dimension.
template <class T, int taps>
struct Taps1D {
  std::int32_t place[taps][block];
  std::int32_t missing[taps][block];          ///< -1 for an element outside of x that counts as 0, else 0
  T weight[taps][block], slope[taps][block];  ///< and its derivative by the coordinate
};

template <class T>
struct Axis1D {
  std::int32_t size, stride;
  bool align_corners;
  GridPadding padding;

  /// Into x's range, except for zeros; `slope` takes the factor of the derivative, 0 from the first and last element
  /// on.
  T padded(T at, T& slope) const {
    if (padding == GridPadding::zeros) return at;
    const auto last = static_cast<T>(size - 1);
    if (padding == GridPadding::reflection) {
      const T edge = align_corners ? T(0) : T(-0.5), span = last - 2 * edge;
      if (span == 0) {
        slope = 0;
        return at * 0;
      }
      const T from_edge = at - edge, distance = std::abs(from_edge), turns = std::floor(distance / span);
      const T rest = distance - turns * span;
      const bool is_back = std::fmod(turns, T(2)) == 1;
      if (is_back != (from_edge < 0)) slope = -slope;
      at = (is_back ? span - rest : rest) + edge;
    }
    if (at <= 0) slope = 0;
    if (at >= last) slope = 0;
    return at < 0 ? T(0) : at > last ? last : at;
  }

  template <int taps>
  void set(Taps1D<T, taps>& out, int k, std::int64_t j, T at, T weight, T slope) const {
    const bool inside = at >= 0 && at <= static_cast<T>(size - 1);
    const bool counts = inside || padding != GridPadding::zeros;
    out.missing[k][j] = counts ? 0 : -1;
    out.place[k][j] = inside ? static_cast<std::int32_t>(at) * stride : 0;
    out.weight[k][j] = counts ? weight : T(0);
    out.slope[k][j] = counts ? slope : T(0);
  }

  template <GridSampleMode mode, int taps>
  void find(T coordinate, std::int64_t j, Taps1D<T, taps>& out) const {
    const auto n = static_cast<T>(size);
    T slope = align_corners ? (n - 1) / 2 : n / 2;
    T at = align_corners ? (coordinate + 1) * slope : ((coordinate + 1) * n - 1) / 2;
    if constexpr (mode == GridSampleMode::bicubic) {
      constexpr T a = T(-0.75);
      const auto near = [](T d) { return (((a + 2) * d - (a + 3)) * d) * d + 1; };
      const auto near_slope = [](T d) { return (3 * (a + 2) * d - 2 * (a + 3)) * d; };
      const auto far = [](T d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
      const auto far_slope = [](T d) { return (3 * a * d - 10 * a) * d + 8 * a; };
      const T low = std::floor(at), t = at - low;
      T unused = 0;
      set(out, 0, j, padded(low - 1, unused), far(t + 1), far_slope(t + 1) * slope);
      set(out, 1, j, padded(low, unused), near(t), near_slope(t) * slope);
      set(out, 2, j, padded(low + 1, unused), near(1 - t), -near_slope(1 - t) * slope);
      set(out, 3, j, padded(low + 2, unused), far(2 - t), -far_slope(2 - t) * slope);
    } else {
      at = padded(at, slope);
      if constexpr (mode == GridSampleMode::nearest) {
        set(out, 0, j, std::nearbyint(at), T(1), T(0));
      } else {
        const T low = std::floor(at), rest = at - low;
        set(out, 0, j, low, 1 - rest, -slope);
        set(out, 1, j, low + 1, rest, slope);
      }
    }
  }
};

constexpr int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

/// The neighbours of the places of a block.
template <class T, int dims, GridSampleMode mode>
struct Corners {
  static constexpr int taps = mode == GridSampleMode::nearest ? 1 : mode == GridSampleMode::bilinear ? 2 : 4;
  static constexpr int count = power(taps, dims);

  std::int32_t offset[count][block];
  std::int32_t missing[count][block];  ///< -1 for elements outside of x, which are not read
  bool any_missing;                    ///< in this block
  T weight[count][block];
  T slope[dims][count][block];  ///< the weight's derivative by each coordinate

  /// `axes` and the grid's last dimension name the width first.
  void find(const std::array<Axis1D<T>, dims>& axes, const T* grid, std::int64_t places, bool with_slopes) {
    for (std::size_t d = 0; d < dims; ++d)
      for (std::int64_t j = 0; j < places; ++j)
        axes[d].template find<mode, taps>(grid[j * dims + static_cast<std::int64_t>(d)], j, of_[d]);
    std::int32_t all_missing = 0;
    for (int k = 0; k < count; ++k) {
      std::array<int, dims> chosen{};
      for (int d = 0, rest = k; d < dims; ++d, rest /= taps) chosen[static_cast<std::size_t>(d)] = rest % taps;
      MINIMA_IVDEP
      for (std::int64_t j = 0; j < places; ++j) {
        std::int32_t at = 0, outside = 0;
        T product = 1;
        for (std::size_t d = 0; d < dims; ++d) {
          at += of_[d].place[chosen[d]][j];
          outside |= of_[d].missing[chosen[d]][j];
          product *= of_[d].weight[chosen[d]][j];
        }
        offset[k][j] = at;
        missing[k][j] = outside;
        all_missing |= outside;
        weight[k][j] = product;
      }
      if (!with_slopes) continue;
      for (std::size_t d = 0; d < dims; ++d) {
        MINIMA_IVDEP
        for (std::int64_t j = 0; j < places; ++j) {
          T partial = of_[d].slope[chosen[d]][j];
          for (std::size_t e = 0; e < dims; ++e)
            if (e != d) partial *= of_[e].weight[chosen[e]][j];
          slope[d][k][j] = partial;
        }
      }
    }
    any_missing = all_missing != 0;
  }

  /// f<partly>() for the block, elements of which are missing if `partly`.
  template <class F>
  void visit(const F& f) const {
    if (any_missing) f.template operator()<true>();
    else f.template operator()<false>();
  }
  /// `y` of an element that is there, else 0, whatever has been read in its place: 0 times it may be NaN.
  template <bool partly>
  T present(int k, std::int64_t j, T y) const {
    return partly && missing[k][j] != 0 ? T(0) : y;
  }

 private:
  Taps1D<T, taps> of_[dims];
};

template <class T, int dims>
std::array<Axis1D<T>, dims> axes_of(const Layout& x, const GridSampleOptions& options) {
  std::array<Axis1D<T>, dims> axes;
  for (int d = 0; d < dims; ++d) {
    const int dim = x.rank() - 1 - d;
    axes[static_cast<std::size_t>(d)] = {static_cast<std::int32_t>(x.shape[dim]),
                                         static_cast<std::int32_t>(x.strides[dim]), options.align_corners,
                                         options.padding};
  }
  return axes;
}

/// f<dims, mode>() for a grid of `dims` coordinates.
template <class F>
void for_mode(int dims, GridSampleMode mode, const F& f) {
  using enum GridSampleMode;
  if (dims == 3 && mode == nearest) f.template operator()<3, nearest>();
  else if (dims == 3) f.template operator()<3, bilinear>();
  else if (mode == nearest) f.template operator()<2, nearest>();
  else if (mode == bilinear) f.template operator()<2, bilinear>();
  else f.template operator()<2, bicubic>();
}

/// Row-major or channels_last images or volumes as [N, C, places].
template <class T>
struct Planes {
  T* data;
  std::int64_t batch, channels, places, channel_stride, place_stride;

  explicit Planes(const Tensor& t)
      : data(t.data<T>()),
        batch(t.size(0)),
        channels(t.size(1)),
        places(t.numel() == 0 ? 0 : t.numel() / (batch * channels)),
        channel_stride(t.layout().is_contiguous() ? places : 1),
        place_stride(t.layout().is_contiguous() ? 1 : channels) {}
  T* at(std::int64_t n, std::int64_t c) const { return data + n * channels * places + c * channel_stride; }
};

}  // namespace

void grid_sample_cpu(const Tensor& x, const Tensor& grid, const GridSampleOptions& options, Tensor& y) {
  if (y.numel() == 0) return;
  dispatch<full_floating>(x.dtype(), "grid_sample", [&]<class T> {
    for_mode(x.rank() - 2, options.mode, [&]<int dims, GridSampleMode mode> {
      using Found = Corners<T, dims, mode>;
      const auto axes = axes_of<T, dims>(x.layout(), options);
      const Planes<T> to(y);
      const T *const from = x.data<T>(), *const at = grid.data<T>();
      const std::int64_t blocks = (to.places + block - 1) / block;
      const double cost = static_cast<double>(block * Found::count * (to.channels + 8));
      parallel_for(0, to.batch * blocks, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
        Found corners;
        for (std::int64_t b = first; b < last; ++b) {
          const std::int64_t n = b / blocks, start = b % blocks * block, count = std::min(block, to.places - start);
          corners.find(axes, at + (n * to.places + start) * dims, count, false);
          for (std::int64_t c = 0; c < to.channels; ++c) {
            const T* const plane = from + n * x.layout().strides[0] + c * x.layout().strides[1];
            T* const out = to.at(n, c) + start * to.place_stride;
            corners.visit([&]<bool partly> {
              MINIMA_IVDEP
              for (std::int64_t j = 0; j < count; ++j) {
                T sum = 0;
                for (int k = 0; k < Found::count; ++k)
                  sum += corners.template present<partly>(k, j, corners.weight[k][j] * plane[corners.offset[k][j]]);
                out[j * to.place_stride] = sum;
              }
            });
          }
        }
      });
    });
  });
}

void grid_sample_grid_gradient_cpu(const Tensor& x, const Tensor& grid, const Tensor& g,
                                   const GridSampleOptions& options, Tensor& grid_gradient) {
  if (grid.numel() == 0) return;
  dispatch<full_floating>(x.dtype(), "grid_sample", [&]<class T> {
    for_mode(x.rank() - 2, options.mode, [&]<int dims, GridSampleMode mode> {
      using Found = Corners<T, dims, mode>;
      const auto axes = axes_of<T, dims>(x.layout(), options);
      const Planes<T> from(g);
      const std::int64_t batch = x.size(0), channels = x.size(1), places = grid.numel() / (batch * dims);
      const T *const image = x.data<T>(), *const at = grid.data<T>();
      T* const result = grid_gradient.data<T>();
      const std::int64_t blocks = (places + block - 1) / block;
      const double cost = static_cast<double>(block * Found::count * (channels + 16) * dims);
      parallel_for(0, batch * blocks, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
        Found corners;
        T sums[Found::count][block];  // of the channels' gradients times values
        for (std::int64_t b = first; b < last; ++b) {
          const std::int64_t n = b / blocks, start = b % blocks * block, count = std::min(block, places - start);
          const std::int64_t row = n * places + start;
          corners.find(axes, at + row * dims, count, true);
          for (auto& sum : sums) std::fill_n(sum, block, T(0));
          for (std::int64_t c = 0; c < channels; ++c) {
            const T* const plane = image + n * x.layout().strides[0] + c * x.layout().strides[1];
            const T* const slopes = from.at(n, c) + start * from.place_stride;
            corners.visit([&]<bool partly> {
              for (int k = 0; k < Found::count; ++k) {
                MINIMA_IVDEP
                for (std::int64_t j = 0; j < count; ++j)
                  sums[k][j] += corners.template present<partly>(
                      k, j, slopes[j * from.place_stride] * plane[corners.offset[k][j]]);
              }
            });
          }
          for (std::int64_t j = 0; j < count; ++j)
            for (int d = 0; d < dims; ++d) {
              T total = 0;
              for (int k = 0; k < Found::count; ++k) total += corners.slope[d][k][j] * sums[k][j];
              result[(row + j) * dims + d] = total;
            }
        }
      });
    });
  });
}

void grid_sample_gradient_cpu(const Tensor& grid, const Tensor& g, const GridSampleOptions& options, Tensor& gradient) {
  if (gradient.numel() == 0 || grid.numel() == 0) return;
  dispatch<full_floating>(g.dtype(), "grid_sample", [&]<class T> {
    for_mode(gradient.rank() - 2, options.mode, [&]<int dims, GridSampleMode mode> {
      using Found = Corners<T, dims, mode>;
      const auto axes = axes_of<T, dims>(gradient.layout(), options);
      const Planes<T> from(g), to(gradient);
      const T* const at = grid.data<T>();
      const double cost = static_cast<double>(from.places * Found::count * 3);
      parallel_for(0, to.batch * to.channels, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
        Found corners;
        for (std::int64_t item = first; item < last;) {  // the channels of one image
          const std::int64_t n = item / to.channels, c0 = item % to.channels;
          const std::int64_t c1 = std::min(to.channels, c0 + last - item);
          for (std::int64_t start = 0; start < from.places; start += block) {
            const std::int64_t count = std::min(block, from.places - start);
            corners.find(axes, at + (n * from.places + start) * dims, count, false);
            for (std::int64_t c = c0; c < c1; ++c) {
              const T* const slopes = from.at(n, c) + start * from.place_stride;
              T* const plane = to.at(n, c);
              for (std::int64_t j = 0; j < count; ++j)
                for (int k = 0; k < Found::count; ++k)
                  if (corners.missing[k][j] == 0)
                    plane[corners.offset[k][j]] += corners.weight[k][j] * slopes[j * from.place_stride];
            }
          }
          item += c1 - c0;
        }
      });
    });
  });
}

}  // namespace minima::detail
