#include <minima/ops/index/kernels.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/index/common.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/lines/wrapping.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace minima::detail {

namespace {

constexpr double cost = 3;

/// Calls f(offsets of the line's first element in each tensor) for every line of `index` along `dim`. Different lines
/// write to different elements when scattering, so they may run in parallel.
template <class F>
void for_index_lines(const Tensor& index, int dim, const Tensor& a, const Tensor& b, const F& f) {
  if (index.numel() == 0) return;
  const std::int64_t length = index.rank() == 0 ? 1 : index.shape()[dim];
  minima::parallel_for(0, index.numel() / length, grain_for(cost * static_cast<double>(length)),
                       [&](std::int64_t first, std::int64_t last) {
                         for (std::int64_t line = first; line < last; ++line) {
                           std::int64_t rest = line, at_index = 0, at_a = 0, at_b = 0;
                           for (int d = index.rank() - 1; d >= 0; --d) {
                             if (d == dim) continue;
                             const std::int64_t i = rest % index.shape()[d];
                             rest /= index.shape()[d];
                             at_index += i * index.strides()[d];
                             at_a += i * a.strides()[d];
                             at_b += i * b.strides()[d];
                           }
                           f(at_index, at_a, at_b, length);
                         }
                       });
}

/// An index that selects whole slices: it is constant along the other dimensions, as index_select's is, and the
/// operands are row-major. Dimension `dim` then splits both into `outer` parts, each a sequence of blocks of `inner`
/// elements.
struct Slices {
  std::int64_t outer = 1, count = 0, size_a = 0, size_b = 0, inner = 1, step = 0;
  bool whole = false;

  Slices(const Tensor& index, int dim, const Tensor& a, const Tensor& b) {
    if (index.rank() == 0 || index.numel() == 0 || !a.is_contiguous() || !b.is_contiguous()) return;
    whole = true;
    for (int d = 0; d < index.rank(); ++d) {
      if (d == dim) continue;
      (d < dim ? outer : inner) *= index.shape()[d];
      const bool same = a.shape()[d] == b.shape()[d] && a.shape()[d] == index.shape()[d];
      whole = whole && same && (index.strides()[d] == 0 || index.shape()[d] == 1);
    }
    count = index.shape()[dim], step = index.strides()[dim];
    size_a = a.shape()[dim], size_b = b.shape()[dim];
  }
};

/// Whether the index counts down by one, as flip's does.
bool runs_backwards(const std::int64_t* index, std::int64_t count, std::int64_t step) {
  for (std::int64_t k = 1; k < count; ++k)
    if (index[k * step] != index[0] - k) return false;
  return true;
}

std::int64_t stride_of(const Tensor& x, int dim) { return x.rank() == 0 ? 0 : x.strides()[dim]; }

}  // namespace

bool indices_within(const Tensor& index, std::int64_t low, std::int64_t high) {
  // Look at repeated (stride 0) indices only once.
  Layout once = index.layout();
  for (int d = 0; d < once.rank(); ++d)
    if (once.strides[d] == 0 && once.shape[d] > 1) once.shape[d] = 1;
  if (once.numel() == 0) return true;
  const bool dense = once.is_contiguous();
  const Tensor seen = dense ? index : arranged(index, Layout::contiguous(index.shape()));
  const std::int64_t count = dense ? once.numel() : seen.numel();
  const auto* values = seen.data<std::int64_t>();
  const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  std::atomic<bool> within = true;
  minima::parallel_for(0, count, grain_for(0.3), [&](std::int64_t first, std::int64_t last) {
    std::uint64_t outside = 0;
    for (std::int64_t i = first; i < last; ++i)
      outside |=
          static_cast<std::uint64_t>(static_cast<std::uint64_t>(values[i]) - static_cast<std::uint64_t>(low) >= range);
    if (outside != 0) within = false;
  });
  return within;
}

void check_indices(const char* op, const Tensor& index, int dim, std::int64_t size) {
  if (indices_within(index, 0, size)) return;
  const Layout& layout = index.layout();
  const int rank = layout.rank();
  const auto* values = index.data<std::int64_t>();
  Shape at = Shape::filled(layout.rank(), 0);
  for (std::int64_t n = 0; n < layout.numel(); ++n) {
    std::int64_t offset = 0;
    for (int d = 0; d < rank; ++d) offset += at[d] * layout.strides[d];
    if (const std::int64_t value = values[offset]; value < 0 || value >= size)
      throw IndexError(
          str(op, ": index", rank > 0 ? str(at) : "", " is ", value, ", but dimension ", dim, " has size ", size));
    for (int d = rank - 1; d >= 0 && ++at[d] == layout.shape[d]; --d) at[d] = 0;
  }
}

void gather_kernel_cpu(const Tensor& x, int dim, const Tensor& index, Tensor& y) {
  if (const Slices s(index, dim, x, y); s.whole && s.inner > 1) {
    const auto* indices = index.data<std::int64_t>();
    const std::size_t bytes = static_cast<std::size_t>(s.inner) * x.itemsize();
    const auto* from = static_cast<const std::byte*>(x.raw_data());
    auto* to = static_cast<std::byte*>(y.raw_data());
    return minima::parallel_for(0, s.outer * s.count, grain_for(0.1 * static_cast<double>(bytes) + 5),
                                [&](std::int64_t first, std::int64_t last) {
                                  for (std::int64_t i = first; i < last; ++i) {
                                    const std::int64_t source = i / s.count * s.size_a + indices[i % s.count * s.step];
                                    std::memcpy(to + static_cast<std::size_t>(i) * bytes,
                                                from + static_cast<std::size_t>(source) * bytes, bytes);
                                  }
                                });
  }
  const std::int64_t step_x = stride_of(x, dim), step_y = stride_of(y, dim), step = stride_of(index, dim);
  const Slices lines(index, dim, x, y);
  const bool backwards = lines.whole && runs_backwards(index.data<std::int64_t>(), lines.count, lines.step);
  dispatch<all_types>(x.dtype(), "gather", [&]<class T> {
    for_index_lines(index, dim, x, y, [&](std::int64_t i, std::int64_t from, std::int64_t to, std::int64_t length) {
      const auto* indices = index.data<std::int64_t>() + i;
      const T* source = x.data<T>() + from;
      T* result = y.data<T>() + to;
      if (backwards) {
        std::reverse_copy(source + indices[0] + 1 - length, source + indices[0] + 1, result);
        return;
      }
      for (std::int64_t k = 0; k < length; ++k) result[k * step_y] = source[indices[k * step] * step_x];
    });
  });
}

/// Adds blocks of `inner` elements by index, in order. Each thread owns some columns of the blocks, as long as that
/// keeps them adjacent; the order of additions to an element is always that of the index.
static void add_slices(const Tensor& source, const Slices& s, const Tensor& index, Tensor& y) {
  const std::int64_t parts = std::max<std::int64_t>(2 * num_threads() / s.outer, 1);
  const std::int64_t width = std::max<std::int64_t>(256, (s.inner + parts - 1) / parts);
  const std::int64_t strips = (s.inner + width - 1) / width;
  const auto* indices = index.data<std::int64_t>();
  dispatch<numeric>(y.dtype(), "scatter_add", [&]<class T> {
    const double strip_cost = 0.3 * static_cast<double>(s.count * std::min(width, s.inner));
    minima::parallel_for(0, s.outer * strips, grain_for(std::max(strip_cost, 1.0)),
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t job = begin; job < end; ++job) {
                             const std::int64_t part = job / strips, column = job % strips * width,
                                                columns = std::min(width, s.inner - column);
                             const T* values = source.data<T>() + part * s.size_a * s.inner + column;
                             T* result = y.data<T>() + part * s.size_b * s.inner + column;
                             for (std::int64_t k = 0; k < s.count; ++k) {
                               const T* from = values + k * s.inner;
                               T* to = result + indices[k * s.step] * s.inner;
                               for (std::int64_t c = 0; c < columns; ++c) to[c] = wrapping::add(to[c], from[c]);
                             }
                           }
                         });
  });
}

void scatter_add_kernel_cpu(const Tensor& source, int dim, const Tensor& index, Tensor& y) {
  if (is_half(y.dtype())) {  // accumulate in float32, round once
    Tensor wide = empty(y.shape());
    copy_kernel_cpu(y, wide);
    const Tensor wide_source = empty(source.shape());
    copy_kernel_cpu(source, wide_source);
    scatter_add_kernel_cpu(wide_source, dim, index, wide);
    copy_kernel_cpu(wide, y);
    return;
  }
  if (const Slices s(index, dim, source, y); s.whole && s.inner > 1) return add_slices(source, s, index, y);
  const std::int64_t step_s = stride_of(source, dim), step_y = stride_of(y, dim), step = stride_of(index, dim);
  dispatch<numeric>(y.dtype(), "scatter_add", [&]<class T> {
    for_index_lines(index, dim, source, y,
                    [&](std::int64_t i, std::int64_t from, std::int64_t to, std::int64_t length) {
                      const auto* indices = index.data<std::int64_t>() + i;
                      const T* values = source.data<T>() + from;
                      T* result = y.data<T>() + to;
                      for (std::int64_t k = 0; k < length; ++k) {
                        T& place = result[indices[k * step] * step_y];
                        place = wrapping::add(place, values[k * step_s]);
                      }
                    });
  });
}

void scatter_extreme_kernel_cpu(const Tensor& source, int dim, const Tensor& index, bool largest, Tensor& y) {
  const std::int64_t step_s = stride_of(source, dim), step_y = stride_of(y, dim), step = stride_of(index, dim);
  dispatch<numeric>(y.dtype(), "scatter_reduce", [&]<class T> {
    for_index_lines(index, dim, source, y,
                    [&](std::int64_t i, std::int64_t from, std::int64_t to, std::int64_t length) {
                      const auto* indices = index.data<std::int64_t>() + i;
                      const T* values = source.data<T>() + from;
                      T* result = y.data<T>() + to;
                      const auto run = [&](const auto& wins) {
                        for (std::int64_t k = 0; k < length; ++k) {
                          T& place = result[indices[k * step] * step_y];
                          const T value = values[k * step_s];
                          place = wins(value, place) || value != value ? value : place;
                        }
                      };
                      if (largest) run([](T a, T b) { return a > b; });
                      else run([](T a, T b) { return a < b; });
                    });
  });
}

}  // namespace minima::detail
