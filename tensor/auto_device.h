#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>

#include <cstdint>

namespace minima {

/// How fast a device is, as far as the choice between two needs it.
struct DeviceSpeed {
  double flops = 0;             ///< arithmetic per second, float32
  double bytes = 0;             ///< of its memory, per second
  double transfer_bytes = 0;    ///< to and from CPU memory, per second; of the CPU unused
  double launch_seconds = 0;    ///< before anything runs
  double transfer_seconds = 0;  ///< before the first byte of a transfer arrives
};

/// A piece of work as auto_device sees it.
struct Work {
  double flops = 0;
  double bytes = 0;         ///< that must cross the device's memory
  double transferred = 0;   ///< bytes that go there and come back, if the values start and end on the CPU
  std::int64_t memory = 0;  ///< bytes that it takes up while it runs
};

/// Seconds by the roofline: launch, transfers, and the slower of arithmetic and memory.
MINIMA_API double estimated_seconds(const Work& work, const DeviceSpeed& speed, bool transfers);
/// The decision rule: the GPU if it is expected to be done earlier and has `room` bytes left for the work.
MINIMA_API bool prefers_gpu(const Work& work, const DeviceSpeed& cpu, const DeviceSpeed& gpu, std::int64_t room);

/// Measured once per device and process, in some tens of milliseconds, and kept.
MINIMA_API const DeviceSpeed& measured_speed(Device device);

/// Where a computation of `flops` operations on `bytes` bytes that start and end in CPU memory is done first, transfers
/// included. Never a GPU without room for them; the CPU where there is no GPU, without measuring anything.
MINIMA_API Device auto_device(double flops, double bytes);
/// The same for work whose parts are known apart.
MINIMA_API Device auto_device(const Work& work);

}  // namespace minima
