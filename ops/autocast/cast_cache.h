#pragma once

#include <minima/tensor/tensor.h>

#include <unordered_map>

namespace minima::detail {

/// The casts of weights that one autocast region made, so that a weight used twice is converted once. Belongs to the
/// outermost region's guard, so to one thread, and dies with it.
class MINIMA_API CastCache {
 public:
  /// x, a float32 leaf that requires grad and is no view, in `dtype`. The copy is recorded whatever the mode is now, so
  /// that one that was made without gradients gives them to a later use. Changes of x in place make a new one.
  Tensor cast(const Tensor& x, DType dtype);
  static bool keeps(const Tensor& x);
  std::size_t size() const { return casts_.size(); }

 private:
  struct Entry {
    Tensor source;  ///< keeps the key from being another tensor's
    const Storage* storage;
    std::uint32_t version;
    Tensor cast;
  };
  std::unordered_map<const TensorImpl*, Entry> casts_;
};

}  // namespace minima::detail
