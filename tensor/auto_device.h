#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/function.h>

#include <cstdint>

namespace minima {

/// The speed of a device, as far as choosing between two needs it.
struct DeviceSpeed {
  double flops = 0;             ///< float32 operations per second
  double bytes = 0;             ///< memory bandwidth, bytes per second
  double transfer_bytes = 0;    ///< bandwidth to and from CPU memory, bytes per second; unused for the CPU
  double launch_seconds = 0;    ///< launch latency
  double transfer_seconds = 0;  ///< transfer latency
};

/// The cost of a computation.
struct Workload {
  double flops = 0;
  double bytes = 0;         ///< memory traffic on the device
  double transferred = 0;   ///< bytes copied to and from the device if the values start and end on the CPU
  std::int64_t memory = 0;  ///< bytes that it needs while it runs
  double launches = 1;      ///< operators that run one after another
};

/// The work of one call of f, as the operators that it calls on this thread report it: flops, bytes and launches.
/// `transferred` and `memory` stay 0, as only the caller knows which values are on the CPU. Runs f.
///
///   Workload work = observed_workload([&] { net(batch); });
MINIMA_API Workload observed_workload(const Function<void()>& f);

/// Seconds by the roofline model: launches, transfers, and the slower of arithmetic and memory traffic.
MINIMA_API double estimated_seconds(const Workload& work, const DeviceSpeed& speed, bool transfers);
/// True if the GPU is expected to finish first and its free memory, `room` bytes, is enough.
MINIMA_API bool prefers_gpu(const Workload& work, const DeviceSpeed& cpu, const DeviceSpeed& gpu, std::int64_t room);

/// Measured once per process and device, which takes tens of milliseconds.
MINIMA_API const DeviceSpeed& measured_speed(Device device);

/// The device that finishes a computation of `flops` operations on `bytes` bytes first, transfers from and to CPU
/// memory included. Never a GPU without enough free memory. Without a GPU it is the CPU, and nothing is measured.
MINIMA_API Device auto_device(double flops, double bytes);
/// The same with the costs given separately.
MINIMA_API Device auto_device(const Workload& work);

}  // namespace minima
