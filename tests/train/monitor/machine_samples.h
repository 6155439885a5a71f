#pragma once

#include <minima/train/monitor/machine_sample.h>

#include <cstdint>

namespace minima::test {

/// A machine with two GPUs on which nothing asks for an alert.
inline train::MachineSample healthy() {
  train::MachineSample sample;
  sample.swapped = 5 << 20;
  sample.disk_free = std::int64_t{9} << 30;
  cuda::Sensors gpu;
  gpu.known = true;
  gpu.temperature = 60;
  gpu.power = 300;
  gpu.clock = 1980;
  sample.gpus = {gpu, gpu};
  return sample;
}

}  // namespace minima::test
