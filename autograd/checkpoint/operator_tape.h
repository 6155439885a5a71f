#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Observes every recorded operator of a checkpointed region so that outputs which are expensive to compute can be
/// kept. Called by `apply`. During recomputation nodes are created before kernels run, so that recomputation can stop
/// before a kernel whose result is not needed.
class MINIMA_API OperatorTape {
 public:
  /// Returns the outputs kept by an earlier run of the region; false if they must be computed.
  virtual bool take(const char* op, Tensor* outputs, int count) = 0;
  /// Called with computed outputs, hidden ones too.
  virtual void put(const char* op, const Tensor* outputs, int count) = 0;

 protected:
  ~OperatorTape() = default;
};

}  // namespace minima::detail
