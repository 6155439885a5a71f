#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::cuda {

/// A point in a stream.
class CUDAEvent {
 public:
  /// Flags are CUDA's: bit 1 turns timing off, as it is by default.
  explicit CUDAEvent(unsigned flags = 2) : event_(/*timing=*/(flags & 2) == 0) {}

  void record() { record(getCurrentCUDAStream()); }
  void record(const CUDAStream& stream) {
    event_.record(stream.unwrap().native());
    is_recorded_ = true;
  }
  void recordOnce(const CUDAStream& stream) {
    if (!is_recorded_) record(stream);
  }
  void block(const CUDAStream& stream) const {
    if (is_recorded_) stream.unwrap().native().wait(event_);
  }
  bool isCreated() const { return is_recorded_; }
  bool query() const { return event_.is_done(); }
  void synchronize() const { event_.synchronize(); }
  /// Milliseconds from this event to the later one.
  float elapsed_time(const CUDAEvent& other) const { return other.event_.since(event_); }

 private:
  minima::Event event_;
  bool is_recorded_ = false;
};

}  // namespace at::cuda
