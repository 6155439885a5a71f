#pragma once

#include <minima/tensor/base/counted.h>
#include <minima/tensor/tensor.h>

namespace minima::data {

/// How batches get to a device: a queue of copies beside the queue of computation, and events between the two. The
/// loader has `slots` batches on the device at a time and uses their memory in turn. Only `wait_*` block the host; the
/// first group is called by the loader's own thread, the second by the thread that computes.
class MINIMA_API Transfer : public Counted {
 public:
  /// Memory on the device.
  virtual Tensor allocate(const Shape& shape, DType dtype) = 0;
  /// Until the computation that was given the slot last has let go of it (see `give_back`).
  virtual void wait_free(int slot) = 0;
  /// Whether that wait would return at once.
  virtual bool is_free(int slot) = 0;
  /// Enqueues a copy; `from` stays as it is until `wait_copied`.
  virtual void copy(const Tensor& from, const Tensor& to) = 0;
  /// All copies for this slot have been enqueued.
  virtual void finish(int slot) = 0;
  /// Until they are done.
  virtual void wait_copied(int slot) = 0;

  /// Makes what the calling thread computes from now on wait, on the device, for the slot's copies.
  virtual void receive(int slot) = 0;
  /// What the calling thread has enqueued so far is the last that uses the slot.
  virtual void give_back(int slot) = 0;
};

/// The transfer to a device of this machine with so many batches on it; throws DeviceError if there is none.
MINIMA_API Ref<Transfer> make_transfer(Device device, int slots);

}  // namespace minima::data
