#include <minima/data/collate/batch.h>

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/host_copy.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <utility>

namespace minima::data {

namespace {

bool is_sole_owner(const Tensor& tensor) {
  TensorImpl* impl = tensor.impl();
  return impl && impl->references.is_one() && !impl->history && !impl->base && impl->storage->unique() &&
         impl->storage->device().is_cpu();
}

}  // namespace

void reuse_or_allocate(Tensor& tensor, const Shape& shape, DType dtype, bool pinned) {
  if (is_sole_owner(tensor)) {
    Layout layout = Layout::contiguous(shape);
    if (minima::detail::bytes_for(layout, dtype) <= tensor.impl()->storage->bytes()) {
      tensor.impl()->layout = std::move(layout);
      tensor.impl()->dtype = dtype;
      tensor.impl()->storage->bump_version();
      return;
    }
  }
  tensor = Tensor();  // free the old memory first
  tensor = pinned ? empty_pinned(Layout::contiguous(shape), dtype) : empty(shape, {.dtype = dtype});
}

Tensor detail::row_major(const Tensor& x) {
  if (x.is_contiguous()) return x;
  Tensor copy = empty(x.shape(), {.dtype = x.dtype()});
  dispatch<real_and_complex>(x.dtype(), "row_major",
                             [&]<class T> { minima::detail::copy_to_host(x, copy.data<T>(), x.numel()); });
  return copy;
}

}  // namespace minima::data
