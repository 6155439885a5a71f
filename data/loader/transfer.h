#pragma once

#include <minima/tensor/base/counted.h>
#include <minima/tensor/tensor.h>

namespace minima::data {

/// Copies batches to a device on a stream that runs concurrently with computation; events order the two. The device
/// holds `slots` batches at a time. Only `wait_*` block the host. The loader's copying thread calls the first group of
/// functions, the computing thread the second.
class MINIMA_API Transfer : public Counted {
 public:
  /// Allocates a tensor on the device.
  virtual Tensor allocate(const Shape& shape, DType dtype) = 0;
  /// Blocks until the device has finished the computation that used the slot (see `release_slot`).
  virtual void wait_free(int slot) = 0;
  /// Whether `wait_free` would return at once.
  virtual bool is_free(int slot) = 0;
  /// Enqueues a copy. `from` is not modified before `wait_copied`.
  virtual void copy(const Tensor& from, const Tensor& to) = 0;
  /// Called after the slot's last copy was enqueued.
  virtual void finish(int slot) = 0;
  /// Blocks until the slot's copies are complete.
  virtual void wait_copied(int slot) = 0;

  /// Makes the calling thread's later work on the device wait for the slot's copies.
  virtual void acquire_slot(int slot) = 0;
  /// Called after the calling thread has enqueued its last use of the slot.
  virtual void release_slot(int slot) = 0;
};

/// The transfer to `device` with this many slots; throws DeviceError if this machine has no such device.
MINIMA_API Ref<Transfer> make_transfer(Device device, int slots);

}  // namespace minima::data
