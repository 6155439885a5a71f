#include <minima/tensor/complex/parts.h>

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <utility>

namespace minima::detail {

namespace {

Layout doubled(const Layout& layout) {
  Layout result = layout;
  result.offset *= 2;
  for (std::int64_t& stride : result.strides) stride *= 2;
  return result;
}

}  // namespace

Tensor parts_of(const Tensor& z) {
  if (!is_complex(z.dtype())) return z;
  Layout layout = doubled(z.layout());
  layout.shape.push_back(2);
  layout.strides.push_back(1);
  return Tensor(new TensorImpl(z.impl()->storage, std::move(layout), real_dtype(z.dtype())));
}

Tensor part_of(const Tensor& z, int which) {
  Layout layout = doubled(z.layout());
  layout.offset += which;
  return Tensor(new TensorImpl(z.impl()->storage, std::move(layout), real_dtype(z.dtype())));
}

Tensor complex_of_parts(const Tensor& parts) {
  Layout layout = parts.layout();
  layout.shape.resize(layout.rank() - 1);
  layout.strides.resize(layout.shape.rank());
  layout.offset /= 2;
  for (std::int64_t& stride : layout.strides) stride /= 2;
  return Tensor(new TensorImpl(parts.impl()->storage, std::move(layout), complex_dtype(parts.dtype())));
}

}  // namespace minima::detail
