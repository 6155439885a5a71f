#include <minima/profiler/gpu/gpu_recorder.h>

#include <minima/profiler/gpu/cuda/cupti_recorder.h>
#include <minima/profiler/gpu/cuda/event_recorder.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>
#include <minima/tensor/cuda/used_devices.h>
#include <minima/tensor/device/stream.h>

#include <vector>

namespace minima::profiler {

GpuClock simulated_clock() {
  if (minima::detail::used_devices().empty()) return nullptr;
  // Only the driver of simulated GPUs has it (simulated/driver/prediction.h).
  static const auto clock = reinterpret_cast<GpuClock>(cuda::driver_library.find_or_null("simulatedSeconds"));
  return clock;
}

void wait_for_gpus() {
  for (const int device : minima::detail::used_devices()) synchronize(Device::cuda(device));
}

std::unique_ptr<GpuRecorder> record_gpus(const Function<double()>& now, GpuRecording& recording) {
  const std::vector<int> used = minima::detail::used_devices();
  if (used.empty()) return nullptr;
  wait_for_gpus();
  recording.device = cuda::properties(used.front()).name;
  recording.predicted = simulated_clock() != nullptr;
  std::unique_ptr<GpuRecorder> recorder = record_by_cupti(now, recording.without_cupti);
  recording.source = recorder ? GpuSource::cupti : GpuSource::events;
  return recorder ? std::move(recorder) : record_by_events(now);
}

}  // namespace minima::profiler
