#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/device/stream.h>

#include <memory>

namespace minima::train {

/// All that a captured step wants from a device. Tests put a simulated one in its place.
class MINIMA_API GraphDriver {
 public:
  /// Work that can be given to the device again as a whole.
  class MINIMA_API Graph {
   public:
    virtual ~Graph() = default;
    /// On the current stream.
    virtual void replay() = 0;
  };

  virtual bool can_capture(Device device) = 0;
  /// From here to `leave`, this thread's work goes to the stream that captures use, behind what its own was given, and
  /// from `leave` on its own stream goes on behind that.
  virtual void enter(Device device) = 0;
  virtual void leave(Device device) noexcept = 0;
  /// Between enter and leave: from here on work is not done but noted, and memory comes from private pool `pool`.
  virtual void begin(Device device, int pool) = 0;
  /// What was noted. Throws CaptureError where something in it cannot be.
  virtual std::unique_ptr<Graph> end(Device device) = 0;
  /// Forgets it instead, after an exception.
  virtual void abandon(Device device) noexcept = 0;
  /// No graph of the pool will be replayed any more.
  virtual void release_pool(Device device, int pool) noexcept = 0;

 protected:
  ~GraphDriver() = default;
};

/// CUDA's graphs; in builds without CUDA one that captures nothing.
MINIMA_API GraphDriver& cuda_graphs();

}  // namespace minima::train
