#include <ATen/ATen.h>

#include <minima/ops/copy/copy.h>
#include <minima/tensor/pinned.h>

namespace at {

Tensor Tensor::pin_memory(std::optional<Device>) const {
  if (is_pinned()) return *this;
  TORCH_CHECK(is_cpu(), "cannot pin '", toString(), "' only dense CPU tensors can be pinned");
  minima::Tensor pinned = minima::empty_pinned(minima::Layout::dense_like(tensor_.layout()), tensor_.dtype());
  minima::copy_(pinned, tensor_.detach());
  return pinned;
}

bool Tensor::is_pinned(std::optional<Device>) const { return defined() && minima::is_pinned(tensor_); }

}  // namespace at
