#pragma once

#include <minima/tensor/tensor.h>

#include <unordered_map>

namespace minima::detail {

/// Caches the weights that one autocast region has cast, so that a weight used twice is converted once. Owned by the
/// outermost region's guard, and therefore used by one thread.
class MINIMA_API CastCache {
 public:
  /// x, a float32 leaf that requires grad and is not a view, cast to `dtype`. The cast is recorded whatever the current
  /// mode, so that a copy made without gradients still gives them to a later use. In-place changes of x invalidate it.
  Tensor cast(const Tensor& x, DType dtype);
  static bool keeps(const Tensor& x);
  std::size_t size() const { return casts_.size(); }

 private:
  struct Entry {
    Tensor source;  ///< keeps the key's address from being reused
    const Storage* storage;
    std::uint32_t version;
    Tensor cast;
  };
  std::unordered_map<const TensorImpl*, Entry> casts_;
};

}  // namespace minima::detail
