#include <minima/tensor/host_copy.h>

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace minima::detail {

namespace {

/// Visits the elements of a layout in row-major order: `row` handles the innermost dimension, an odometer the others.
template <class F>
void visit_rows(const Layout& layout, F&& row) {
  const int rank = layout.rank();
  if (layout.numel() == 0) return;
  const std::int64_t length = rank > 0 ? layout.shape[rank - 1] : 1;
  const std::int64_t stride = rank > 0 ? layout.strides[rank - 1] : 1;
  Shape index = Shape::filled(rank, 0);
  std::int64_t position = 0;
  for (;;) {
    row(position, length, stride);
    int dim = rank - 2;
    for (; dim >= 0; --dim) {
      position += layout.strides[dim];
      if (++index[dim] < layout.shape[dim]) break;
      position -= index[dim] * layout.strides[dim];
      index[dim] = 0;
    }
    if (dim < 0) return;
  }
}

}  // namespace

template <class T>
void copy_to_host(const Tensor& device_tensor, T* values, std::int64_t) {
  const Tensor tensor = on_host(device_tensor);
  if (is_complex(tensor.dtype()) && !is_complex_type<T>)
    throw DTypeError(str("copy to host: ", tensor.dtype(), " elements are no ", dtype_of<T>,
                         "; read them as Complex<float> or Complex<double>, or take real(x) or abs(x)"));
  dispatch<real_and_complex>(tensor.dtype(), "copy to host", [&]<class From> {
    if constexpr (is_complex_type<From> && !is_complex_type<T>) return;
    const From* source = tensor.data<From>();
    visit_rows(tensor.layout(), [&](std::int64_t position, std::int64_t length, std::int64_t stride) {
      if constexpr (std::is_same_v<From, T>)
        if (stride == 1) {
          values = std::copy_n(source + position, length, values);
          return;
        }
      for (std::int64_t i = 0; i < length; ++i) *values++ = convert<T>(source[position + i * stride]);
    });
  });
}

template void copy_to_host(const Tensor&, bool*, std::int64_t);
template void copy_to_host(const Tensor&, std::uint8_t*, std::int64_t);
template void copy_to_host(const Tensor&, std::int8_t*, std::int64_t);
template void copy_to_host(const Tensor&, std::int32_t*, std::int64_t);
template void copy_to_host(const Tensor&, std::int64_t*, std::int64_t);
template void copy_to_host(const Tensor&, Float16*, std::int64_t);
template void copy_to_host(const Tensor&, BFloat16*, std::int64_t);
template void copy_to_host(const Tensor&, float*, std::int64_t);
template void copy_to_host(const Tensor&, double*, std::int64_t);
template void copy_to_host(const Tensor&, Complex<float>*, std::int64_t);
template void copy_to_host(const Tensor&, Complex<double>*, std::int64_t);

}  // namespace minima::detail
