#pragma once

#include <minima/profiler/recording.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

namespace minima::profiler {

/// Tells what is allocated on a device from this time on, by purpose.
struct MemoryPoint {
  double seconds = 0;
  std::int64_t by[purpose_count] = {};

  MINIMA_API std::int64_t total() const;
};

/// The devices whose memory the recording knows.
MINIMA_API std::vector<Device> devices_of(const Recording& recording);

/// A device's memory over time. Where several storages come and go at one time, the fullest and the last state.
MINIMA_API std::vector<MemoryPoint> memory_curve(const Recording& recording, Device device);

/// Returns what is allocated on the device now. Parameters and their gradients that were allocated as activations, as
/// they are without a PurposeGuard, count as what they are. Appends the storages of the gradients.
MemoryLevel level_of(Device device, const std::vector<Tensor>& parameters, std::vector<const Storage*>& gradients);

/// Marks what becomes a gradient: `gradients` are the storages of `.grad` at each of the recording's levels.
void mark_gradients(Recording& recording, const std::vector<std::vector<const Storage*>>& gradients);

}  // namespace minima::profiler
