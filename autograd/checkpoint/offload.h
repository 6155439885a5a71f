#pragma once

#include <minima/autograd/saved_tensor.h>

#include <vector>

namespace minima {

/// A memory that saved tensors can wait in: pinned CPU memory for tensors on a GPU, something else in tests.
class MINIMA_API SecondMemory {
 public:
  /// A tensor on its way there or back. Deleting it gives up the copy.
  class MINIMA_API Copy {
   public:
    virtual ~Copy() = default;
    /// Starts to bring it back, so that it is there when `fetch` is called. Optional.
    virtual void prefetch() {}
    /// The tensor as it was, on its device; may be called again.
    virtual Tensor fetch() = 0;
  };
  /// Starts to copy a dense tensor; its own memory is free as soon as nobody else uses it. Null: stays where it is.
  virtual Copy* store(const Tensor& tensor) = 0;

 protected:
  ~SecondMemory() = default;
};

/// Pinned CPU memory, for tensors on GPUs: copies run on a stream of their own beside the computation. Tensors on the
/// CPU stay where they are.
MINIMA_API SecondMemory& host_memory();

/// While it lives, large tensors that operators save on this thread wait in a second memory until the gradient needs
/// them. Each is brought back while the operator before it (in the backward) is computed. Parameters stay.
///
///     {
///       OffloadSavedTensors offload;
///       loss = cross_entropy(net(x), y);
///     }
///     loss.backward();
class MINIMA_API OffloadSavedTensors final : public SavedTensorHooks {
 public:
  explicit OffloadSavedTensors(SecondMemory& memory = host_memory(), std::size_t least_bytes = std::size_t{1} << 20);
  ~OffloadSavedTensors();
  PackedTensor* pack(const Tensor& tensor, const char* op, bool is_leaf) override;

 private:
  struct Line;
  class Packed;
  SecondMemory& memory_;
  std::size_t least_bytes_;
  Line* line_;
};

namespace detail {
/// One tensor in a second memory; null where it stays.
MINIMA_API PackedTensor* offload(const Tensor& tensor, SecondMemory& memory);
}

}  // namespace minima
