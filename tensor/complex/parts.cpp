#include <minima/tensor/complex/parts.h>

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::detail {

namespace {

Layout doubled(const Layout& layout) {
  Layout result = layout;
  if (layout.numel() == 0) return result;  // its strides address nothing, and twice the largest would overflow
  result.offset *= 2;
  for (std::int64_t& stride : result.strides) stride *= 2;
  return result;
}

}  // namespace

Layout parts_layout(const Layout& z) {
  Layout layout = doubled(z);
  layout.shape.push_back(2);
  layout.strides.push_back(1);
  return layout;
}

Layout part_layout(const Layout& z, int which) {
  Layout layout = doubled(z);
  layout.offset += which;
  return layout;
}

Layout complex_layout(const Layout& parts) {
  Layout layout = parts;
  layout.shape.resize(layout.rank() - 1);
  layout.strides.resize(layout.shape.rank());
  layout.offset /= 2;
  for (std::int64_t& stride : layout.strides) stride /= 2;
  return layout;
}

bool has_pairs(const Layout& parts) {
  const int last = parts.rank() - 1;
  if (last < 0 || parts.shape[last] != 2) return false;
  if (parts.numel() == 0) return true;
  if (parts.strides[last] != 1 || parts.offset % 2 != 0) return false;
  for (int d = 0; d < last; ++d)
    if (parts.shape[d] > 1 && parts.strides[d] % 2 != 0) return false;
  return true;
}

Tensor parts_of(const Tensor& z) {
  if (!is_complex(z.dtype())) return z;
  return Tensor(new TensorImpl(z.impl()->storage, parts_layout(z.layout()), real_dtype(z.dtype())));
}

Tensor part_of(const Tensor& z, int which) {
  return Tensor(new TensorImpl(z.impl()->storage, part_layout(z.layout(), which), real_dtype(z.dtype())));
}

Tensor complex_of_parts(const Tensor& parts) {
  return Tensor(new TensorImpl(parts.impl()->storage, complex_layout(parts.layout()), complex_dtype(parts.dtype())));
}

}  // namespace minima::detail
