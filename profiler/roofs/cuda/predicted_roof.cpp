#include <minima/profiler/roofs/gpu_roof.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>

namespace minima::profiler {

bool predict_roof(int device, Roof& roof) {
  using Function = int (*)(int device, double* bytes, double* float32, double* half, double* gap);
  // Only the driver of simulated GPUs has it (simulated/driver/prediction.h).
  static const auto predicted = reinterpret_cast<Function>(cuda::driver_library.find_or_null("simulatedRoof"));
  return predicted && predicted(device, &roof.bytes_per_second, &roof.flops_per_second, &roof.half_flops_per_second,
                                &roof.call_seconds) != 0;
}

}  // namespace minima::profiler
