#include <minima/minima.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/tensor/device/stream.h>

/// Uses the CPU only. The GPU's part is linked, since with arguments it would be used.
int main(int argc, char**) {
  using namespace minima;
  if (argc > 1) {
    if (cuda::device_count() == 0 || !cuda::sensors().known) return 2;
    const StreamGuard guard(Stream::create());
    synchronize();
  }
  const Tensor x = full({8, 8}, 8.0f) + full({8, 8}, 8.0f);
  return x.to_vector<float>()[0] == 16.0f ? 0 : 1;
}
