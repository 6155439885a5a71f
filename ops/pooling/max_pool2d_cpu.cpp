#include <minima/ops/pooling/kernels.h>

#include <minima/ops/convolution/images.h>
#include <minima/ops/loops/loop.h>
#include <minima/ops/pooling/pool_axis.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

using pointwise::Compute;

/// The bytes of the processor's vectors: of wider ones, g++ selects element by element.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

/// The running maxima of adjacent windows. Rows of images are short, so a block is always a whole vector, even if the
/// row has fewer windows; the surplus lanes are discarded.
template <class T>
struct Block {
  using Value = Compute<T>;
  using Place = std::conditional_t<sizeof(Value) == 4, std::int32_t, std::int64_t>;
  static constexpr int lanes = vector_bytes / sizeof(Value);
  typedef Value Values __attribute__((vector_size(vector_bytes)));
  typedef Place Places __attribute__((vector_size(vector_bytes)));

  Values best = Values{} - std::numeric_limits<Value>::infinity();
  Places place = Places{} - 1, lane{};

  Block() {
    for (int i = 0; i < lanes; ++i) lane[i] = i;
  }
  /// The number of elements of x that load() reads, counted from the first.
  static constexpr std::int64_t reach(std::int64_t stride) {
    return stride == 2 ? 2 * lanes : (lanes - 1) * stride + 1;
  }

  template <int... i>
  static void take_even(const Values& low, const Values& high, Values& result, std::integer_sequence<int, i...>) {
    result = __builtin_shufflevector(low, high, 2 * i...);
  }
  /// An output parameter, since how vectors are returned by value depends on the target's instruction set.
  template <class Stride>
  static void load(const T* x, Stride stride, Values& result) {
    if constexpr (std::is_same_v<T, Value> && std::is_same_v<Stride, std::integral_constant<int, 1>>) {
      std::memcpy(&result, x, sizeof result);
    } else if constexpr (std::is_same_v<T, float> && std::is_same_v<Stride, std::integral_constant<int, 2>>) {
      Values low, high;
      std::memcpy(&low, x, sizeof low);
      std::memcpy(&high, x + lanes, sizeof high);
      take_even(low, high, result, std::make_integer_sequence<int, lanes>());
    } else {
      for (int i = 0; i < lanes; ++i) result[i] = static_cast<Value>(x[i * stride]);
    }
  }

  /// Lane i reads x[i · stride], at the given position, if i is in [first, last).
  template <bool masked, class Stride>
  void take(const T* x, Stride stride, Place position, Place first, Place last) {
    Values value;
    load(x, stride, value);
    Places wins = (value > best) | (value != value) | (place < 0);
    if constexpr (masked) wins &= (lane >= first) & (lane < last);
    best = wins ? value : best;
    place = wins ? position + lane * static_cast<Place>(stride) : place;
  }
  /// The same lane by lane, near the ends of memory.
  void take_lanes(const T* x, std::int64_t from, std::int64_t stride, std::int64_t position, int first, int last) {
    for (int i = first; i < last; ++i) {
      const auto value = static_cast<Value>(x[from + i * stride]);
      if (!(value > best[i] || value != value || place[i] < 0)) continue;
      best[i] = value;
      place[i] = static_cast<Place>(position + i * stride);
    }
  }
};

template <class T, class I>
struct Pooling {
  const T* x;
  std::int64_t size;  ///< number of elements of x
  T* y;
  I* index;  ///< null if not wanted
  PoolAxis rows, columns;
  std::vector<std::pair<std::int64_t, std::int64_t>> inside = windows_inside(columns);

  /// For each kernel element, the windows [first, last) for which it is inside.
  static std::vector<std::pair<std::int64_t, std::int64_t>> windows_inside(const PoolAxis& axis) {
    std::vector<std::pair<std::int64_t, std::int64_t>> result;
    result.reserve(static_cast<std::size_t>(axis.kernel));
    for (std::int64_t k = 0; k < axis.kernel; ++k) result.emplace_back(axis.first_inside(k), axis.last_inside(k));
    return result;
  }

  /// One row of windows of one plane.
  void row_major(std::int64_t plane, std::int64_t i) const {
    const std::int64_t to = (plane * rows.windows + i) * columns.windows;
    for (std::int64_t j = 0; j < columns.windows; j += Block<T>::lanes) {
      const auto count = static_cast<int>(std::min<std::int64_t>(Block<T>::lanes, columns.windows - j));
      const Block<T> block = columns.stride == 1   ? gather(plane, i, j, count, std::integral_constant<int, 1>())
                             : columns.stride == 2 ? gather(plane, i, j, count, std::integral_constant<int, 2>())
                                                   : gather(plane, i, j, count, columns.stride);
      for (int k = 0; k < count; ++k) y[to + j + k] = static_cast<T>(block.best[k]);
      for (int k = 0; index && k < count; ++k) index[to + j + k] = static_cast<I>(block.place[k]);
    }
  }

  /// The block of windows j … j + count of row i.
  template <class Stride>
  Block<T> gather(std::int64_t plane, std::int64_t i, std::int64_t j, int count, Stride stride) const {
    using Place = typename Block<T>::Place;
    Block<T> block;
    for (std::int64_t a = 0; a < rows.kernel; ++a) {
      const std::int64_t row = rows.source(i, a);
      if (!rows.is_inside(row)) continue;
      for (std::int64_t b = 0; b < columns.kernel; ++b) {
        const auto [first_inside, last_inside] = inside[static_cast<std::size_t>(b)];
        const auto first = static_cast<int>(std::max<std::int64_t>(first_inside - j, 0));
        const auto last = static_cast<int>(std::min<std::int64_t>(last_inside - j, count));
        if (first >= last) continue;
        const std::int64_t position = row * columns.size + columns.source(j, b);
        const std::int64_t begin = plane * rows.size * columns.size + position;
        // Unwanted lanes read beyond the row.
        if (begin < 0 || begin + Block<T>::reach(stride) > size)
          block.take_lanes(x, begin, stride, position, first, last);
        else if (first > 0 || last < count)
          block.template take<true>(x + begin, stride, static_cast<Place>(position), first, last);
        else block.template take<false>(x + begin, stride, static_cast<Place>(position), first, last);
      }
    }
    return block;
  }

  /// One row of windows of one image, a block of channels at a time.
  void channels_last(std::int64_t image, std::int64_t i, std::int64_t channels) const {
    std::vector<std::int64_t> pixels;  // of a window
    const std::int64_t before = image * rows.size * columns.size * channels;
    for (std::int64_t j = 0; j < columns.windows; ++j) {
      pixels.clear();
      for (std::int64_t a = 0; a < rows.kernel; ++a)
        for (std::int64_t b = 0; b < columns.kernel; ++b)
          if (rows.is_inside(rows.source(i, a)) && columns.is_inside(columns.source(j, b)))
            pixels.push_back(rows.source(i, a) * columns.size + columns.source(j, b));
      const std::int64_t to = ((image * rows.windows + i) * columns.windows + j) * channels;
      for (std::int64_t c = 0; c < channels; c += Block<T>::lanes)
        channel_block(pixels, channels, before + c, to + c, std::min<std::int64_t>(Block<T>::lanes, channels - c));
    }
  }

  /// `count` adjacent channels of one window; the first is at `begin` in x's first pixel, and at `to` in the result.
  void channel_block(const std::vector<std::int64_t>& pixels, std::int64_t channels, std::int64_t begin,
                     std::int64_t to, std::int64_t count) const {
    using Place = typename Block<T>::Place;
    typename Block<T>::Values best{}, value{};
    typename Block<T>::Places place{};
    const auto load = [&](std::int64_t pixel, auto& result) {
      const std::int64_t from = begin + pixel * channels;
      if (from + Block<T>::lanes <= size) Block<T>::load(x + from, std::integral_constant<int, 1>(), result);
      else
        for (std::int64_t k = 0; k < count; ++k) result[k] = static_cast<Compute<T>>(x[from + k]);
    };
    if (pixels.empty()) {
      best = best - std::numeric_limits<Compute<T>>::infinity();
      place = place - 1;
    } else {
      load(pixels[0], best);
      place = place + static_cast<Place>(pixels[0]);
    }
    for (std::size_t k = 1; k < pixels.size(); ++k) {
      load(pixels[k], value);
      const typename Block<T>::Places wins = (value > best) | (value != value);
      best = wins ? value : best;
      place = wins ? typename Block<T>::Places{} + static_cast<Place>(pixels[k]) : place;
    }
    if constexpr (std::is_same_v<T, Compute<T>> && sizeof(I) == sizeof(Place)) {
      if (count == Block<T>::lanes) {
        std::memcpy(y + to, &best, sizeof best);
        if (index) std::memcpy(index + to, &place, sizeof place);
        return;
      }
    }
    for (std::int64_t k = 0; k < count; ++k) y[to + k] = static_cast<T>(best[k]);
    for (std::int64_t k = 0; index && k < count; ++k) index[to + k] = static_cast<I>(place[k]);
  }
};

/// For each position along an axis, the windows that contain it, in order.
class Covers {
 public:
  explicit Covers(const PoolAxis& axis) : windows_(static_cast<std::size_t>(axis.size)) {
    for (std::int64_t i = 0; i < axis.windows; ++i)
      for (std::int64_t k = 0; k < axis.kernel; ++k)
        if (const std::int64_t at = axis.source(i, k); axis.is_inside(at))
          windows_[static_cast<std::size_t>(at)].push_back(i);
  }
  const std::vector<std::int64_t>& of(std::int64_t at) const { return windows_[static_cast<std::size_t>(at)]; }

 private:
  std::vector<std::vector<std::int64_t>> windows_;
};

/// A channels_last gradient: every pixel looks at the windows that contain it, all channels together.
template <class T, class I>
class PixelGradients {
 public:
  PixelGradients(const Tensor& g, const Tensor& indices, const PoolAxis& rows, const PoolAxis& columns,
                 const Tensor& x_gradient)
      : g_(g.data<T>()),
        places_(indices.data<I>()),
        to_(x_gradient.data<T>()),
        channels_(g.shape()[1]),
        rows_(rows),
        columns_(columns),
        over_rows_(rows),
        over_columns_(columns) {}

  /// One row of pixels of one image.
  void run(std::int64_t image, std::int64_t row) {
    const std::vector<std::int64_t>& above = over_rows_.of(row);
    for (std::int64_t column = 0; column < columns_.size; ++column) {
      const std::vector<std::int64_t>& beside = over_columns_.of(column);
      const std::int64_t pixel = row * columns_.size + column;
      T* const target = to_ + (image * rows_.size * columns_.size + pixel) * channels_;
      if (above.size() == 1 && beside.size() == 1) {
        select(window(image, above[0], beside[0]), static_cast<I>(pixel), target);
        continue;
      }
      windows_.clear();
      for (const std::int64_t i : above)
        for (const std::int64_t j : beside) windows_.push_back(window(image, i, j));
      collect(static_cast<I>(pixel), target);
    }
  }

 private:
  std::int64_t window(std::int64_t image, std::int64_t i, std::int64_t j) const {
    return ((image * rows_.windows + i) * columns_.windows + j) * channels_;
  }

  /// The gradient of the only window with this pixel.
  void select(std::int64_t window, I pixel, T* __restrict target) const {
    const T* __restrict from = g_ + window;
    const I* __restrict place = places_ + window;
    for (std::int64_t c = 0; c < channels_; ++c) target[c] = place[c] == pixel ? from[c] : T(0);
  }

  /// The sum over windows_, in order.
  void collect(I pixel, T* __restrict target) const {
    using Value = Compute<T>;
    constexpr std::int64_t block = 64;
    Value sums[block];
    for (std::int64_t begin = 0; begin < channels_; begin += block) {
      const std::int64_t count = std::min(block, channels_ - begin);
      std::fill_n(sums, count, Value(0));
      for (const std::int64_t window : windows_) {
        const T* __restrict from = g_ + window + begin;
        const I* __restrict place = places_ + window + begin;
        for (std::int64_t c = 0; c < count; ++c) sums[c] += place[c] == pixel ? static_cast<Value>(from[c]) : Value(0);
      }
      for (std::int64_t c = 0; c < count; ++c) target[begin + c] = static_cast<T>(sums[c]);
    }
  }

  const T* g_;
  const I* places_;
  T* to_;
  std::int64_t channels_;
  PoolAxis rows_, columns_;
  Covers over_rows_, over_columns_;
  std::vector<std::int64_t> windows_;  ///< the first elements of the windows with a pixel
};

template <class T, class I>
void scatter_channels_last(const Tensor& g, const Tensor& indices, const PoolAxis& rows, const PoolAxis& columns,
                           const Tensor& x_gradient) {
  const double row_cost = 0.3 * static_cast<double>(columns.size * g.shape()[1]);
  parallel_for(0, g.shape()[0] * rows.size, grain_for(std::max(row_cost, 1.0)),
               [&](std::int64_t first, std::int64_t end) {
                 PixelGradients<T, I> gradients(g, indices, rows, columns, x_gradient);
                 for (std::int64_t row = first; row < end; ++row) gradients.run(row / rows.size, row % rows.size);
               });
}

template <class F>
void with_index_type(const Tensor& indices, F&& f) {
  if (indices.defined() && indices.dtype() == DType::int64) f.template operator()<std::int64_t>();
  else f.template operator()<std::int32_t>();
}

/// Calls f(first element of x's planes, of y's planes, number of planes) in parallel: plane by plane, or for
/// channels_last image by image, with all its planes interleaved.
template <class F>
void each_plane(const Tensor& x, const Tensor& y, F&& f) {
  const Shape& s = x.shape();
  const std::int64_t channels = s[1], pixels = s[2] * s[3], results = y.shape()[2] * y.shape()[3];
  const bool last = wants_channels_last(x.layout()) || wants_channels_last(y.layout());
  const std::int64_t unit = last ? channels : 1;  // planes processed together
  parallel_for(0, s[0] * channels / std::max<std::int64_t>(unit, 1),
               grain_for(static_cast<double>(unit * (results + pixels))), [&](std::int64_t first, std::int64_t end) {
                 for (std::int64_t p = first; p < end; ++p) f(p * unit * pixels, p * unit * results, unit);
               });
}

}  // namespace

void max_pool2d_kernel_cpu(const Tensor& x, const PoolAxis& rows, const PoolAxis& columns, const Tensor& y,
                           const Tensor& indices) {
  const bool last = wants_channels_last(x.layout()) || wants_channels_last(y.layout());
  const std::int64_t batch = x.shape()[0], channels = x.shape()[1];
  const std::int64_t lines = (last ? batch : batch * channels) * rows.windows;
  const auto line_cost =
      0.5 * static_cast<double>(columns.windows * rows.kernel * columns.kernel * (last ? channels : 1));
  dispatch<floating>(x.dtype(), "max_pool2d", [&]<class T> {
    with_index_type(indices, [&]<class I> {
      const Pooling<T, I> pooling{x.data<T>(), x.numel(), y.data<T>(), indices.defined() ? indices.data<I>() : nullptr,
                                  rows,        columns};
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

void max_pool2d_scatter_cpu(const Tensor& g, const Tensor& indices, const PoolAxis& rows, const PoolAxis& columns,
                            const Tensor& x_gradient) {
  const std::int64_t pixels = x_gradient.shape()[2] * x_gradient.shape()[3], results = g.shape()[2] * g.shape()[3];
  const bool last = wants_channels_last(x_gradient.layout()) || wants_channels_last(g.layout());
  dispatch<floating>(g.dtype(), "max_pool2d_gradient", [&]<class T> {
    with_index_type(indices, [&]<class I> {
      if (last) return scatter_channels_last<T, I>(g, indices, rows, columns, x_gradient);
      each_plane(x_gradient, g, [&](std::int64_t to, std::int64_t from, std::int64_t) {
        T* target = x_gradient.data<T>() + to;
        const T* values = g.data<T>() + from;
        const I* places = indices.data<I>() + from;
        std::fill_n(target, pixels, T(0));
        for (std::int64_t i = 0; i < results; ++i)
          if (places[i] >= 0) target[places[i]] = static_cast<T>(target[places[i]] + values[i]);
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
