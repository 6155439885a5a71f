#include <minima/ops/core/copy_kernels.h>

#include <minima/ops/core/complex_copy.h>
#include <minima/ops/loops/loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <cstring>

namespace minima::detail {

void copy_kernel_cpu(const Tensor& from, const Tensor& to) {
  if (from.dtype() == to.dtype() && from.is_contiguous() && to.is_contiguous() &&
      from.numel() * from.itemsize() < 4096) {
    if (from.numel() > 0)  // an empty tensor may have no memory
      std::memcpy(to.raw_data(), from.raw_data(), static_cast<std::size_t>(from.numel()) * from.itemsize());
    return;
  }
  if (from.dtype() != to.dtype() && copy_complex(from, to, copy_kernel_cpu)) return;
  pointwise::copy({to.raw_data(), to.layout(), to.dtype()}, {from.raw_data(), from.layout(), from.dtype()});
}

namespace {

template <class T>
void add_dimension(const T* from, const Layout& source, T* to, const Layout& target, int dim) {
  if (dim == source.rank()) {
    *to = static_cast<T>(*to + *from);
    return;
  }
  for (std::int64_t i = 0; i < source.shape[dim]; ++i)
    add_dimension(from + i * source.strides[dim], source, to + i * target.strides[dim], target, dim + 1);
}

}  // namespace

void add_kernel_cpu(const Tensor& from, const Tensor& to) {
  if (is_complex(to.dtype())) return add_kernel_cpu(parts_of(from), parts_of(to));
  dispatch<numeric>(to.dtype(), "slice_gradient",
                    [&]<class T> { add_dimension(from.data<T>(), from.layout(), to.data<T>(), to.layout(), 0); });
}

}  // namespace minima::detail
