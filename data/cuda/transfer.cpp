#include <minima/data/loader/transfer.h>

#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <mutex>
#include <vector>

namespace minima::data {

namespace {

using minima::detail::OwnStream;

/// Copies on a dedicated stream, from pinned memory that the loader keeps until the copies are complete.
class CudaTransfer final : public Transfer {
 public:
  CudaTransfer(Device device, int slots)
      : copies_(device, -1),
        computing_(current_stream(device)),
        device_(device),
        copied_(sleeping_events(slots)),
        free_(sleeping_events(slots)) {}
  ~CudaTransfer() override { static_cast<void>(minima::detail::drain(*copies_->state())); }

  Tensor allocate(const Shape& shape, DType dtype) override {
    // Allocated on the computing stream, which uses the tensor last. Work there may still use the memory's previous
    // contents, so the copies wait for it.
    const Stream computing = computing_stream();
    Tensor tensor = [&] {
      const StreamGuard guard(computing);
      return empty(shape, {.dtype = dtype, .device = device_});
    }();
    minima::detail::wait_for_work(*copies_, computing);
    return tensor;
  }
  void wait_free(int slot) override { at(free_, slot).synchronize(); }
  bool is_free(int slot) override { return at(free_, slot).is_done(); }
  void copy(const Tensor& from, const Tensor& to) override {
    const std::size_t bytes = static_cast<std::size_t>(from.numel()) * from.itemsize();
    if (bytes == 0) return;
    if (!from.is_contiguous()) throw ShapeError(str("DataLoader: batches for a GPU must be contiguous, got ", from));
    const StreamGuard guard(*copies_);
    MINIMA_CUDA_CHECK(cudaMemcpyAsync(to.raw_data(), from.raw_data(), bytes, cudaMemcpyHostToDevice,
                                      static_cast<cudaStream_t>(copies_->handle())));
  }
  void finish(int slot) override { at(copied_, slot).record(*copies_); }
  void wait_copied(int slot) override { at(copied_, slot).synchronize(); }

  void acquire_slot(int slot) override {
    const Stream computing = current_stream(device_);
    {
      const std::lock_guard lock(mutex_);
      computing_ = computing;
    }
    computing.wait(at(copied_, slot));
  }
  void release_slot(int slot) override {
    const Stream computing = current_stream(device_);
    try {
      at(free_, slot).record(computing);
    } catch (const Error&) {  // a loop may be ending by an exception
      static_cast<void>(minima::detail::drain(*computing.state()));
    }
  }

 private:
  /// The copying thread waits for most of each step.
  static std::vector<Event> sleeping_events(int count) {
    std::vector<Event> events;
    for (int i = 0; i < count; ++i) events.emplace_back(false, true);
    return events;
  }
  static Event& at(std::vector<Event>& events, int slot) { return events[static_cast<std::size_t>(slot)]; }
  Stream computing_stream() {
    const std::lock_guard lock(mutex_);
    return computing_;
  }

  const OwnStream copies_;
  std::mutex mutex_;
  Stream computing_;  ///< of the thread that took the latest batch
  const Device device_;
  std::vector<Event> copied_, free_;
};

}  // namespace

Ref<Transfer> make_transfer(Device device, int slots) { return Ref<Transfer>(new CudaTransfer(device, slots)); }

}  // namespace minima::data
