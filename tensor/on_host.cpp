#include <minima/tensor/transfer.h>

#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <utility>

namespace minima::detail {

Tensor on_host(const Tensor& x) {
  if (!x.device().is_cuda()) return x;
  Layout layout = x.layout();
  layout.offset = 0;
  Tensor host = empty(std::move(layout), {.dtype = x.dtype()});
  const std::size_t bytes = host.impl()->storage->bytes();
  if (bytes > 0) gpu_copy(host.raw_data(), Device::cpu(), x.raw_data(), x.device(), bytes, x.impl()->storage.get());
  return host;
}

}  // namespace minima::detail
