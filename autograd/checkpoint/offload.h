#pragma once

#include <minima/autograd/saved_tensor.h>

#include <vector>

namespace minima {

/// Memory to which saved tensors are offloaded: pinned CPU memory for tensors on a GPU, a simulation in tests.
class MINIMA_API SecondMemory {
 public:
  /// An offloaded tensor. Deleting it drops the copy.
  class MINIMA_API Copy {
   public:
    virtual ~Copy() = default;
    /// Starts copying it back, so that `fetch` need not wait. Optional.
    virtual void prefetch() {}
    /// The tensor, back on its device; may be called more than once.
    virtual Tensor fetch() = 0;
  };
  /// Starts copying a dense tensor, whose memory is released once it has no other user. Null leaves the tensor in
  /// place.
  virtual Copy* store(const Tensor& tensor) = 0;

 protected:
  ~SecondMemory() = default;
};

/// Pinned CPU memory, for tensors on GPUs; copies run on a side stream and overlap with computation. Tensors on the CPU
/// stay in place.
MINIMA_API SecondMemory& host_memory();

/// During its lifetime, large tensors saved on this thread are offloaded until backward needs them. Each is prefetched
/// while backward runs the preceding operator. Parameters stay in place.
///
///     {
///       OffloadSavedTensors offload;
///       loss = cross_entropy(net(x), y);
///     }
///     loss.backward();
class MINIMA_API OffloadSavedTensors final : public SavedTensorHooks {
 public:
  explicit OffloadSavedTensors(SecondMemory& memory = host_memory(), std::size_t min_bytes = std::size_t{1} << 20);
  ~OffloadSavedTensors();
  PackedTensor* pack(const Tensor& tensor, const char* op, bool is_leaf) override;

 private:
  struct Line;
  class Packed;
  SecondMemory& memory_;
  std::size_t min_bytes_;
  Line* line_;
};

namespace detail {
/// Offloads one tensor; null if it stays in place.
MINIMA_API PackedTensor* offload(const Tensor& tensor, SecondMemory& memory);
}

}  // namespace minima
