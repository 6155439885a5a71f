#include <minima/tensor/threads/cores.h>

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <thread>

namespace minima::detail {

namespace {

/// The control group's CPU quota, rounded up to whole cores; `most` if there is none.
int cores_of_control_group(int most) {
  std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (!file) return most;
  long long quota = 0, period = 0;
  const bool limited = std::fscanf(file, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0;
  std::fclose(file);
  return limited ? static_cast<int>(std::clamp<long long>((quota + period - 1) / period, 1, most)) : most;
}

}  // namespace

int usable_cores() {
  cpu_set_t set;
  const int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                                : static_cast<int>(std::thread::hardware_concurrency());
  return cores_of_control_group(std::max(cores, 1));
}

}  // namespace minima::detail
