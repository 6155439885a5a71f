#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Sees every recorded operator of a checkpointed region, so that outputs which are dear to compute can be kept.
/// `apply` calls it; while the region is recomputed, nodes are made before kernels run, so that the recomputation can
/// end before a kernel whose result nobody needs.
class MINIMA_API OperatorTape {
 public:
  /// Hands out the outputs that an earlier run of the region kept. False: compute them.
  virtual bool take(const char* op, Tensor* outputs, int count) = 0;
  /// Called with computed outputs, hidden ones too.
  virtual void put(const char* op, const Tensor* outputs, int count) = 0;

 protected:
  ~OperatorTape() = default;
};

}  // namespace minima::detail
