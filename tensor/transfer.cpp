#include <minima/tensor/transfer.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>

#include <cstring>
#include <utility>

namespace minima {

namespace detail {

void transfer(const Tensor& from, const Tensor& to) {
  if (from.dtype() != to.dtype() || from.shape() != to.shape() || from.strides() != to.strides() ||
      !from.layout().is_dense())
    throw ShapeError(str("transfer: ", from, " to ", to,
                         " needs equal dtypes, shapes and strides without gaps; make the source contiguous first"));
  const std::size_t bytes = static_cast<std::size_t>(from.numel()) * from.itemsize();
  if (bytes == 0) return;
  if (from.device().is_cpu() && to.device().is_cpu()) std::memcpy(to.raw_data(), from.raw_data(), bytes);
  else gpu_copy(to.raw_data(), to.device(), from.raw_data(), from.device(), bytes, from.impl()->storage.get());
}

Tensor on_device(const Tensor& x, Device device) {
  if (x.device() == device) return x;
  Layout layout = x.layout();
  layout.offset = 0;
  Tensor result = empty(std::move(layout), {.dtype = x.dtype(), .device = device});
  transfer(x, result);
  return result;
}

}  // namespace detail

Tensor fetch_async(const Tensor& x, Event& done) {
  if (!x.defined() || !x.device().is_cuda()) throw DeviceError("fetch_async: the tensor must be on a GPU");
  if (!x.layout().is_dense()) throw ShapeError(str("fetch_async: ", x, " is not dense; make it contiguous first"));
  Layout layout = x.layout();
  layout.offset = 0;
  Tensor host = empty_pinned(std::move(layout), x.dtype());
  detail::fetch_into(x, host, done);
  return host;
}

}  // namespace minima
