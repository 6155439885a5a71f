#include <minima/autograd/checkpoint/offload.h>

#include <minima/autograd/saved_tensor.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/transfer.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace minima {

namespace {

/// A side stream for each GPU.
Stream side_stream(Device device) {
  static thread_local std::vector<std::pair<Device, Stream>> streams;
  for (const auto& [owner, stream] : streams)
    if (owner == device) return stream;
  streams.emplace_back(device, Stream::create(device));
  return streams.back().second;
}

class HostCopy final : public SecondMemory::Copy {
 public:
  explicit HostCopy(const Tensor& tensor) : device_(tensor.device()), side_(side_stream(device_)) {
    side_.wait(current_stream(device_));
    Layout layout = tensor.layout();
    layout.offset = 0;
    host_ = empty_pinned(std::move(layout), tensor.dtype());
    const StreamGuard guard(side_);
    detail::fetch_into(tensor, host_, stored_);
    hand_over(tensor, side_);
  }

  void prefetch() override {
    if (back_.defined()) return;
    back_ = empty(Layout(host_.layout()), {.dtype = host_.dtype(), .device = device_});
    side_.wait(current_stream(device_));  // the memory may still be in use there
    {
      const StreamGuard guard(side_);
      detail::transfer(host_, back_);
    }
    hand_over(back_, side_);
    fetched_.record(side_);
  }

  Tensor fetch() override {
    prefetch();
    current_stream(device_).wait(fetched_);
    return std::exchange(back_, {});
  }

 private:
  Device device_;
  Stream side_;
  Tensor host_, back_;
  Event stored_, fetched_;
};

class HostMemory final : public SecondMemory {
 public:
  Copy* store(const Tensor& tensor) override { return tensor.device().is_cuda() ? new HostCopy(tensor) : nullptr; }
};

class PackedCopy final : public PackedTensor {
 public:
  explicit PackedCopy(SecondMemory::Copy* copy) : copy_(copy) {}
  Tensor unpack() override { return copy_->fetch(); }

 private:
  std::unique_ptr<SecondMemory::Copy> copy_;
};

}  // namespace

SecondMemory& host_memory() {
  static HostMemory memory;
  return memory;
}

PackedTensor* detail::offload(const Tensor& tensor, SecondMemory& memory) {
  if (!tensor.layout().is_dense() || tensor.numel() == 0) return nullptr;
  SecondMemory::Copy* const copy = memory.store(tensor);
  return copy ? new PackedCopy(copy) : nullptr;
}

/// The tensors packed under one guard, in order: unpacking one prefetches its predecessor, which backward needs next.
/// The guard and every packed tensor own it.
struct OffloadSavedTensors::Line final : Counted {
  std::mutex lock;                          ///< several threads may unpack and free concurrently
  std::vector<SecondMemory::Copy*> copies;  ///< null once freed
};

class OffloadSavedTensors::Packed final : public PackedTensor {
 public:
  Packed(Line& line, SecondMemory::Copy* copy) : line_(line), copy_(copy), place_(line.copies.size()) {
    line.copies.push_back(copy);
    line.retain();
  }
  ~Packed() override {
    {
      const std::lock_guard guard(line_.lock);
      line_.copies[place_] = nullptr;
    }
    line_.release();
  }
  Tensor unpack() override {
    const std::lock_guard guard(line_.lock);
    Tensor tensor = copy_->fetch();
    for (std::size_t i = place_; i-- > 0;)
      if (SecondMemory::Copy* const earlier = line_.copies[i]) {
        earlier->prefetch();
        break;
      }
    return tensor;
  }

 private:
  Line& line_;
  std::unique_ptr<SecondMemory::Copy> copy_;
  std::size_t place_;
};

OffloadSavedTensors::OffloadSavedTensors(SecondMemory& memory, std::size_t min_bytes)
    : memory_(memory), min_bytes_(min_bytes), line_(new Line) {}

OffloadSavedTensors::~OffloadSavedTensors() { line_->release(); }

PackedTensor* OffloadSavedTensors::pack(const Tensor& tensor, const char*, bool is_leaf) {
  const std::size_t bytes = static_cast<std::size_t>(tensor.numel()) * tensor.itemsize();
  if (is_leaf || bytes < min_bytes_ || bytes == 0 || !tensor.layout().is_dense()) return nullptr;
  SecondMemory::Copy* const copy = memory_.store(tensor);
  return copy ? new Packed(*line_, copy) : nullptr;
}

}  // namespace minima
