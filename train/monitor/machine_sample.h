#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/cuda/nvml.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

/// One look at the machine. What the system does not tell is -1.
struct MachineSample {
  double seconds = 0;           ///< since the sampler's start
  double processor = -1;        ///< share of all cores that was busy since the last look, 0 to 1
  double process = -1;          ///< cores that this process kept busy since then
  int cores = -1;               ///< cores that it may use
  std::int64_t resident = -1;   ///< bytes of this process in memory
  std::int64_t available = -1;  ///< bytes of memory that programs could still allocate
  std::int64_t swapped = -1;    ///< bytes of swap in use by all programs
  std::int64_t disk_free = -1;  ///< bytes on the file system of the run's folder
  std::vector<cuda::Sensors> gpus = {};
  std::int64_t step = 0;  ///< of a Monitor's samples: the last one that had ended
};

/// Where to look. Tests pass folders of their own.
struct SamplerOptions {
  std::string folder = ".";         ///< on the file system whose free space counts
  std::string processes = "/proc";  ///< the kernel's files
  bool gpus = true;                 ///< ask NVML about every GPU
};

/// Looks at the machine: each sample is of the time since the one before.
class MINIMA_API MachineSampler {
 public:
  explicit MachineSampler(SamplerOptions options = {});
  /// Takes some 50 µs without GPUs. NVML counts a link's bytes for 20 ms in each direction before it answers.
  MachineSample sample();

 private:
  struct Times {
    double busy = -1, all = -1, process = -1;  ///< in ticks
  };
  Times times() const;

  SamplerOptions options_;
  double start_, last_ = 0;
  Times before_;
};

/// Returns what is known, by names for logs: `machine/cpu_busy`, `machine/resident_gib`, `machine/gpu0_busy`, …
MINIMA_API std::vector<std::pair<std::string, double>> figures(const MachineSample& sample);

/// `1.7/2 cores, 1.2 GiB, gpu 97 %, 31.0 GiB, 61 °C, 412 W`: for a progress line. The cores are those that this process
/// kept busy, of those that it may use; `(machine busy)` follows if other programs have taken the rest.
MINIMA_API std::string short_text(const MachineSample& sample);

}  // namespace minima::train
