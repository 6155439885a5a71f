#include <minima/ops/fft/kernels/fourier_kernels.h>

#include <minima/ops/fft/kernels/line_tiles.h>
#include <minima/ops/fft/kernels/plan.h>
#include <minima/tensor/base/complex.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace minima::detail {

namespace {

using fourier::Lines;
using fourier::Plan;

/// The lines of a row-major tensor [outer, length, inner].
struct LineSet {
  std::int64_t outer = 1, length = 1, inner = 1;

  LineSet(const Tensor& x, int dim) : length(x.shape()[dim]) {
    for (int d = 0; d < x.rank(); ++d) (d < dim ? outer : d > dim ? inner : length) *= d == dim ? 1 : x.shape()[d];
  }
  std::int64_t count() const { return outer * inner; }
  /// Where line `i` begins; its elements are `inner` apart.
  std::int64_t start(std::int64_t i) const {
    return inner == 1 ? i * length : i / inner * length * inner + i % inner;  // divisions are slow
  }
};

constexpr std::int64_t widest = 16;  ///< lines side by side

/// Calls f(first line, buffers) for groups of lines side by side. Rows of [.., inner] that are wide enough are cut into
/// equal parts: a group that ends in the next row would be moved in pieces.
template <class T, class F>
void for_groups(const Plan<T>& plan, std::int64_t count, std::int64_t inner, F&& f) {
  // The four buffers of a group stay in the L2 cache.
  constexpr std::int64_t bytes = 512 * 1024;
  const std::int64_t room = plan.room();
  const bool in_rows = inner >= widest;
  const std::int64_t most = std::clamp<std::int64_t>(bytes / (4 * room * static_cast<std::int64_t>(sizeof(T))), 1,
                                                     in_rows ? 2 * widest : widest);
  const std::int64_t row = in_rows ? inner : count;
  const std::int64_t parts = in_rows ? std::max<std::int64_t>(1, (inner + most / 2) / most) : (count + most - 1) / most;
  const std::int64_t lanes = in_rows ? (inner + parts - 1) / parts : most;
  const auto edge = [=](std::int64_t part) { return in_rows ? part * inner / parts : std::min(part * most, count); };
  const double per_group = 0.5 * static_cast<double>(room * lanes) * std::log2(static_cast<double>(room) + 1);
  const auto grain = std::max<std::int64_t>(1, static_cast<std::int64_t>(20000 / per_group));
  parallel_for(0, count / row * parts, grain, [&](std::int64_t begin, std::int64_t end) {
    const Tensor buffers = empty({4 * room * lanes}, {.dtype = dtype_of<T>});  // 16 lines begin cache lines
    T* const memory = buffers.data<T>();
    for (std::int64_t group = begin; group < end; ++group) {
      const std::int64_t first = edge(group % parts), some = edge(group % parts + 1) - first, size = room * some;
      f(group / parts * row + first, Lines<T>{memory, memory + size, memory + 2 * size, memory + 3 * size, some});
    }
  });
}

/// Whether whole tiles of these lines can be moved at once.
template <class T>
bool has_tiles(std::int64_t lanes, std::int64_t inner) {
  return std::is_same_v<T, float> && lanes == fourier::tile_lines && inner == 1;
}

/// f(line, element) for `lanes` lines of elements `first` … `length` - 1, in an order that uses the cache lines of both
/// the tensor and the buffers, where lines are side by side: by elements if the tensor's lines are side by side too,
/// else by tiles.
template <class F>
void for_elements(std::int64_t lanes, std::int64_t first, std::int64_t length, std::int64_t inner, const F& f) {
  if (inner > 1) {
    for (std::int64_t k = first; k < length; ++k)
      for (std::int64_t l = 0; l < lanes; ++l) f(l, k);
    return;
  }
  constexpr std::int64_t tile = 16;
  for (std::int64_t start = first; start < length; start += tile) {
    const std::int64_t end = std::min(start + tile, length);
    for (std::int64_t l = 0; l < lanes; ++l)
      for (std::int64_t k = start; k < end; ++k) f(l, k);
  }
}

/// Complex lines as pairs of floats.
template <class T>
auto floats_of(Complex<T>* const* lines) {
  return reinterpret_cast<T* const*>(lines);
}
template <class T>
auto floats_of(const Complex<T>* const* lines) {
  return reinterpret_cast<const T* const*>(lines);
}

template <class T>
void flip(Lines<T>& lines) {
  std::swap(lines.re, lines.im);
  std::swap(lines.free_re, lines.free_im);
}

/// Calls f(line, count, offset) for each stretch of a group's lines that are next to each other in [outer, length,
/// inner].
template <class F>
void for_neighbours(const LineSet& set, std::int64_t first, std::int64_t lanes, const F& f) {
  for (std::int64_t l = 0; l < lanes;) {
    const std::int64_t count = std::min(lanes - l, set.inner - (first + l) % set.inner);
    f(l, count, set.start(first + l));
    l += count;
  }
}

/// Asks for the memory of `count` lines from `first` on, to have it after the work on others. Long lines and columns
/// gain nothing. Always inline: g++ 12 drops calls of a function that only prefetches.
template <class T>
__attribute__((always_inline)) inline void prefetch(T* data, const LineSet& set, std::int64_t first,
                                                    std::int64_t count) {
  constexpr std::int64_t cache_line = 64, size = sizeof(T), longest = 40 * cache_line;
  if (set.inner > 1 || set.length * size > longest) return;
  const auto* const bytes = reinterpret_cast<const char*>(data + first * set.length);
  const std::int64_t end = std::min(count, set.count() - first) * set.length * size;
  for (std::int64_t i = 0; i < end; i += cache_line) __builtin_prefetch(bytes + i, std::is_const_v<T> ? 0 : 1);
}

template <class T>
void load_columns(const Complex<T>* x, const LineSet& set, std::int64_t first, const Lines<T>& lines) {
  for_neighbours(set, first, lines.lanes, [&](std::int64_t line, std::int64_t count, std::int64_t offset) {
    for (std::int64_t k = 0; k < set.length; ++k) {
      const Complex<T>* const from = x + offset + k * set.inner;
      T *const re = lines.re + k * lines.lanes + line, *const im = lines.im + k * lines.lanes + line;
      MINIMA_IVDEP
      for (std::int64_t l = 0; l < count; ++l) {
        re[l] = from[l].re;
        im[l] = from[l].im;
      }
    }
  });
}

template <class T>
void store_columns(const Lines<T>& lines, const LineSet& set, std::int64_t first, T scale, Complex<T>* y) {
  for_neighbours(set, first, lines.lanes, [&](std::int64_t line, std::int64_t count, std::int64_t offset) {
    for (std::int64_t k = 0; k < set.length; ++k) {
      Complex<T>* const to = y + offset + k * set.inner;
      const T *const re = lines.re + k * lines.lanes + line, *const im = lines.im + k * lines.lanes + line;
      MINIMA_IVDEP
      for (std::int64_t l = 0; l < count; ++l) to[l] = {re[l] * scale, im[l] * scale};
    }
  });
}

template <class T>
void load_rows(const Complex<T>* x, const LineSet& set, std::int64_t first, const Lines<T>& lines) {
  const Complex<T>* starts[widest];
  for (std::int64_t l = 0; l < lines.lanes; ++l) starts[l] = x + set.start(first + l);
  std::int64_t done = 0;
  if constexpr (std::is_same_v<T, float>)
    if (has_tiles<T>(lines.lanes, set.inner))
      for (; done + fourier::tile_words <= set.length; done += fourier::tile_words)
        fourier::load_tile(floats_of(starts), 2 * done, lines.re + done * lines.lanes, lines.im + done * lines.lanes,
                           lines.lanes);
  for_elements(lines.lanes, done, set.length, set.inner, [&](std::int64_t l, std::int64_t k) {
    lines.re[k * lines.lanes + l] = starts[l][k].re;
    lines.im[k * lines.lanes + l] = starts[l][k].im;
  });
}

template <class T>
void store_rows(const Lines<T>& lines, const LineSet& set, std::int64_t first, T scale, Complex<T>* y) {
  Complex<T>* starts[widest];
  for (std::int64_t l = 0; l < lines.lanes; ++l) starts[l] = y + set.start(first + l);
  std::int64_t done = 0;
  if constexpr (std::is_same_v<T, float>)
    if (has_tiles<T>(lines.lanes, set.inner))
      for (; done + fourier::tile_words <= set.length; done += fourier::tile_words)
        fourier::store_tile(floats_of(starts), 2 * done, lines.re + done * lines.lanes, lines.im + done * lines.lanes,
                            lines.lanes, scale);
  for_elements(lines.lanes, done, set.length, set.inner, [&](std::int64_t l, std::int64_t k) {
    starts[l][k] = {lines.re[k * lines.lanes + l] * scale, lines.im[k * lines.lanes + l] * scale};
  });
}

template <class T>
void transform(const Tensor& x, int dim, bool inverse, T scale, const Tensor& y) {
  const LineSet set(x, dim);
  const auto plan = Plan<T>::of(set.length);
  const auto* const from = x.data<Complex<T>>();
  auto* const to = y.data<Complex<T>>();
  for_groups(*plan, set.count(), set.inner, [&](std::int64_t first, Lines<T> lines) {
    if (set.inner > 1) load_columns(from, set, first, lines);
    else load_rows(from, set, first, lines);
    prefetch(to, set, first, lines.lanes);
    prefetch(from, set, first + lines.lanes, lines.lanes);
    if (inverse) flip(lines);
    plan->run(lines);
    if (inverse) flip(lines);
    if (set.inner > 1) store_columns(lines, set, first, scale, to);
    else store_rows(lines, set, first, scale, to);
  });
}

/// Whether number k of the transform of n real ones is real: its own mirror image.
bool is_real(std::int64_t k, std::int64_t n) { return k == 0 || 2 * k == n; }

/// Where pairs of lines begin: lines 2·first, 2·first + 1 and so on. Of an odd number of lines, the last pair is the
/// last line twice.
template <class T>
struct Pairs {
  T *first[widest], *second[widest];
  Pairs(T* data, const LineSet& set, std::int64_t from, std::int64_t lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) {
      const std::int64_t i = 2 * (from + l);
      first[l] = data + set.start(i);
      second[l] = i + 1 < set.count() ? data + set.start(i + 1) : first[l];
    }
  }
};

/// Two real lines a and b are one complex line a + ib, whose transform is A + iB.
template <class T>
void transform_real(const Tensor& x, int dim, T scale, T inner, const Tensor& y) {
  const LineSet from(x, dim), to(y, dim);
  const auto plan = Plan<T>::of(from.length);
  const T* const in = x.data<T>();
  auto* const out = y.data<Complex<T>>();
  const std::int64_t n = from.length, count = from.count();
  for_groups(*plan, (count + 1) / 2, 1, [&](std::int64_t first, Lines<T> lines) {
    const std::int64_t lanes = lines.lanes;
    const Pairs<const T> read(in, from, first, lanes);
    std::int64_t done = 0;
    if constexpr (std::is_same_v<T, float>)
      if (has_tiles<T>(lanes, from.inner))
        for (; done + 2 * fourier::tile_words <= n; done += 2 * fourier::tile_words) {
          T *const re = lines.re + done * lanes, *const im = lines.im + done * lanes;
          fourier::load_tile(read.first, done, re, re + lanes, 2 * lanes);
          fourier::load_tile(read.second, done, im, im + lanes, 2 * lanes);
        }
    for_elements(lanes, done, n, from.inner, [&](std::int64_t l, std::int64_t k) {
      lines.re[k * lanes + l] = read.first[l][k * from.inner];
      lines.im[k * lanes + l] = read.second[l][k * from.inner];
    });
    prefetch(out, to, 2 * first, 2 * lanes);
    prefetch(in, from, 2 * (first + lanes), 2 * lanes);
    plan->run(lines);
    const T factor = scale / 2;
    const Pairs<Complex<T>> written(out, to, first, lanes);
    done = 0;
    if constexpr (std::is_same_v<T, float>)
      if (has_tiles<T>(lanes, to.inner))
        for (; done + fourier::tile_words <= to.length; done += fourier::tile_words) {
          T a[2][fourier::tile_words * widest], b[2][fourier::tile_words * widest];
          for (std::int64_t k = done; k < done + fourier::tile_words; ++k) {
            const T *const re = lines.re + k * widest, *const im = lines.im + k * widest;
            const std::int64_t mirror = (k == 0 ? 0 : n - k) * widest, row = (k - done) * widest;
            const T weight = is_real(k, n) ? T(1) : inner;
            // Unrolled first, the loop would not be vectorised (g++ 12).
            MINIMA_IVDEP
            MINIMA_NO_UNROLL
            for (std::int64_t l = 0; l < widest; ++l) {
              a[0][row + l] = (re[l] + lines.re[mirror + l]) * weight;
              a[1][row + l] = (im[l] - lines.im[mirror + l]) * weight;
              b[0][row + l] = (im[l] + lines.im[mirror + l]) * weight;
              b[1][row + l] = (lines.re[mirror + l] - re[l]) * weight;
            }
          }
          fourier::store_tile(floats_of(written.second), 2 * done, b[0], b[1], widest, factor);
          fourier::store_tile(floats_of(written.first), 2 * done, a[0], a[1], widest, factor);
        }
    for_elements(lanes, done, to.length, to.inner, [&](std::int64_t l, std::int64_t k) {
      const std::int64_t up = k * lanes + l, down = (k == 0 ? 0 : n - k) * lanes + l;
      const T re = lines.re[up], im = lines.im[up], other_re = lines.re[down], other_im = lines.im[down];
      // The last of an odd number of lines is both, and its own transform is written last.
      const T weight = is_real(k, n) ? factor : factor * inner;
      written.second[l][k * to.inner] = {(im + other_im) * weight, (other_re - re) * weight};
      written.first[l][k * to.inner] = {(re + other_re) * weight, (im - other_im) * weight};
    });
  });
}

template <class T>
void transform_to_real(const Tensor& x, int dim, T scale, T inner, const Tensor& y) {
  const LineSet from(x, dim), to(y, dim);
  const auto plan = Plan<T>::of(to.length);
  const auto* const in = x.data<Complex<T>>();
  T* const out = y.data<T>();
  const std::int64_t n = to.length, count = to.count();
  for_groups(*plan, (count + 1) / 2, 1, [&](std::int64_t first, Lines<T> lines) {
    const std::int64_t lanes = lines.lanes;
    const Pairs<const Complex<T>> read(in, from, first, lanes);
    std::int64_t done = 0;
    if constexpr (std::is_same_v<T, float>)
      if (has_tiles<T>(lanes, from.inner))
        for (; done + fourier::tile_words <= from.length; done += fourier::tile_words) {
          T p[2][fourier::tile_words * widest], q[2][fourier::tile_words * widest];
          fourier::load_tile(floats_of(read.first), 2 * done, p[0], p[1], widest);
          fourier::load_tile(floats_of(read.second), 2 * done, q[0], q[1], widest);
          for (std::int64_t k = done; k < done + fourier::tile_words; ++k) {
            const std::int64_t row = (k - done) * widest, up = k * widest, down = (k == 0 ? 0 : n - k) * widest;
            const T weight = is_real(k, n) ? T(1) : inner;
            if (is_real(k, n)) std::fill_n(p[1] + row, widest, T(0)), std::fill_n(q[1] + row, widest, T(0));
            MINIMA_IVDEP
            MINIMA_NO_UNROLL
            for (std::int64_t l = 0; l < widest; ++l) {
              lines.re[down + l] = (p[0][row + l] + q[1][row + l]) * weight;
              lines.im[down + l] = (q[0][row + l] - p[1][row + l]) * weight;
            }
            MINIMA_IVDEP
            MINIMA_NO_UNROLL
            for (std::int64_t l = 0; l < widest; ++l) {
              lines.re[up + l] = (p[0][row + l] - q[1][row + l]) * weight;
              lines.im[up + l] = (q[0][row + l] + p[1][row + l]) * weight;
            }
          }
        }
    for_elements(lanes, done, from.length, from.inner, [&](std::int64_t l, std::int64_t k) {
      Complex<T> p = read.first[l][k * from.inner], q = read.second[l][k * from.inner];
      const T weight = is_real(k, n) ? T(1) : inner;
      if (is_real(k, n)) p.im = q.im = 0;
      const std::int64_t up = k * lanes + l, down = (k == 0 ? 0 : n - k) * lanes + l;
      lines.re[down] = (p.re + q.im) * weight;
      lines.im[down] = (q.re - p.im) * weight;
      lines.re[up] = (p.re - q.im) * weight;
      lines.im[up] = (q.re + p.im) * weight;
    });
    prefetch(out, to, 2 * first, 2 * lanes);
    prefetch(in, from, 2 * (first + lanes), 2 * lanes);
    flip(lines);
    plan->run(lines);
    flip(lines);
    const Pairs<T> written(out, to, first, lanes);
    done = 0;
    if constexpr (std::is_same_v<T, float>)
      if (has_tiles<T>(lanes, to.inner))
        for (; done + 2 * fourier::tile_words <= n; done += 2 * fourier::tile_words) {
          const T *const re = lines.re + done * lanes, *const im = lines.im + done * lanes;
          fourier::store_tile(written.second, done, im, im + lanes, 2 * lanes, scale);
          fourier::store_tile(written.first, done, re, re + lanes, 2 * lanes, scale);
        }
    for_elements(lanes, done, n, to.inner, [&](std::int64_t l, std::int64_t k) {
      written.second[l][k * to.inner] = lines.im[k * lanes + l] * scale;
      written.first[l][k * to.inner] = lines.re[k * lanes + l] * scale;
    });
  });
}

}  // namespace

void fourier_kernel(const Tensor& x, int dim, bool inverse, double scale, const Tensor& y) {
  if (x.numel() == 0) return;
  if (x.dtype() == complex64) transform<float>(x, dim, inverse, static_cast<float>(scale), y);
  else transform<double>(x, dim, inverse, scale, y);
}

void real_fourier_kernel(const Tensor& x, int dim, double scale, double inner, Tensor& y) {
  if (y.numel() == 0) return;
  if (x.dtype() == float32) transform_real<float>(x, dim, static_cast<float>(scale), static_cast<float>(inner), y);
  else transform_real<double>(x, dim, scale, inner, y);
}

void inverse_real_fourier_kernel(const Tensor& x, int dim, double scale, double inner, Tensor& y) {
  if (y.numel() == 0) return;
  if (x.dtype() == complex64) transform_to_real<float>(x, dim, static_cast<float>(scale), static_cast<float>(inner), y);
  else transform_to_real<double>(x, dim, scale, inner, y);
}

}  // namespace minima::detail
