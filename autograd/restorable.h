#pragma once

#include <minima/autograd/saved_tensor.h>

namespace minima::detail {

/// Memory that can be made again, so that nodes need not keep it: the weights that ranks have gathered. While it is
/// listed, tensors in it are saved as what `pack` returns, views of any shape included, and before any SavedTensorHooks
/// are asked. Those and checkpointed regions therefore never see them.
class MINIMA_API Restorable {
 public:
  /// Returns what to keep instead of the tensor (without history), with one reference.
  virtual PackedTensor* pack_restorable(const Tensor& tensor) = 0;

 protected:
  ~Restorable() = default;
};

/// Lists a storage; it must be taken off the list before either is destroyed.
MINIMA_API void list_restorable(const Storage& storage, Restorable& source);
MINIMA_API void unlist_restorable(const Storage& storage);

}  // namespace minima::detail
