#include <minima/ops/gather/gather_kernel.h>

#include <minima/ops/copy/copy_kernel.h>
#include <minima/tensor/dispatch.h>
#include <minima/tensor/parallel.h>

namespace minima::detail {

namespace {

constexpr double cost = 3;

/// Calls f(offsets of the line's first element in each tensor) for every line of `index` along `dim`. The lines of an
/// index that scatters reach different elements, so they may run at the same time.
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

std::int64_t stride_of(const Tensor& x, int dim) { return x.rank() == 0 ? 0 : x.strides()[dim]; }

}  // namespace

void check_indices(const char* op, const Tensor& index, int dim, std::int64_t size) {
  const auto* values = index.data<std::int64_t>();
  const std::int64_t count = index.numel(), rank = index.rank();
  Shape at = Shape::filled(index.rank(), 0);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t offset = 0;
    for (int d = 0; d < rank; ++d) offset += at[d] * index.strides()[d];
    if (const std::int64_t value = values[offset]; value < 0 || value >= size)
      throw IndexError(str(op, ": index", rank > 0 ? str(at) : "", " is ", value, ", but dimension ", dim, " has size ", size));
    for (int d = static_cast<int>(rank) - 1; d >= 0 && ++at[d] == index.shape()[d]; --d) at[d] = 0;
  }
}

void gather_kernel_cpu(const Tensor& x, int dim, const Tensor& index, Tensor& y) {
  const std::int64_t step_x = stride_of(x, dim), step_y = stride_of(y, dim), step = stride_of(index, dim);
  dispatch<all_types>(x.dtype(), "gather", [&]<class T> {
    for_index_lines(index, dim, x, y, [&](std::int64_t i, std::int64_t from, std::int64_t to, std::int64_t length) {
      const auto* indices = index.data<std::int64_t>() + i;
      const T* source = x.data<T>() + from;
      T* result = y.data<T>() + to;
      for (std::int64_t k = 0; k < length; ++k) result[k * step_y] = source[indices[k * step] * step_x];
    });
  });
}

void scatter_add_kernel_cpu(const Tensor& source, int dim, const Tensor& index, Tensor& y) {
  if (is_half(y.dtype())) {  // one rounding at the end, however often a place is named
    Tensor wide = empty(y.shape());
    copy_kernel_cpu(y, wide);
    const Tensor wide_source = empty(source.shape());
    copy_kernel_cpu(source, wide_source);
    scatter_add_kernel_cpu(wide_source, dim, index, wide);
    copy_kernel_cpu(wide, y);
    return;
  }
  const std::int64_t step_s = stride_of(source, dim), step_y = stride_of(y, dim), step = stride_of(index, dim);
  dispatch<numeric>(y.dtype(), "scatter_add", [&]<class T> {
    for_index_lines(index, dim, source, y, [&](std::int64_t i, std::int64_t from, std::int64_t to, std::int64_t length) {
      const auto* indices = index.data<std::int64_t>() + i;
      const T* values = source.data<T>() + from;
      T* result = y.data<T>() + to;
      for (std::int64_t k = 0; k < length; ++k) {
        T& place = result[indices[k * step] * step_y];
        place = static_cast<T>(place + values[k * step_s]);
      }
    });
  });
}

}  // namespace minima::detail
