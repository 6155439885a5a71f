#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/device/stream.h>

#include <memory>

namespace minima::train {

/// Offers what a captured step needs from a device. Tests substitute a simulated driver.
class MINIMA_API GraphDriver {
 public:
  /// Captured work, launched as a whole.
  class MINIMA_API Graph {
   public:
    virtual ~Graph() = default;
    /// Launches it on the current stream.
    virtual void replay() = 0;
  };

  virtual bool can_capture(Device device) = 0;
  /// Switches this thread to the capture stream, which first waits for the thread's own stream. `leave` switches back,
  /// and the thread's own stream waits for the capture stream.
  virtual void enter(Device device) = 0;
  virtual void leave(Device device) noexcept = 0;
  /// Starts a capture, between enter and leave: work is recorded instead of executed, and memory comes from the private
  /// pool `pool`.
  virtual void begin(Device device, int pool) = 0;
  /// Ends the capture. Throws CaptureError if it contains work that cannot be captured.
  virtual std::unique_ptr<Graph> end(Device device) = 0;
  /// Ends the capture after an exception and discards it.
  virtual void abandon(Device device) noexcept = 0;
  /// Frees a pool whose graphs will not be replayed again.
  virtual void release_pool(Device device, int pool) noexcept = 0;

 protected:
  ~GraphDriver() = default;
};

/// The driver for CUDA graphs; in builds without CUDA, one that captures nothing.
MINIMA_API GraphDriver& cuda_graphs();

}  // namespace minima::train
