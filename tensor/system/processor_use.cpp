#include <minima/tensor/system/processor_use.h>

#include <minima/tensor/base/format.h>
#include <minima/tensor/threads/cores.h>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>

namespace minima {

namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds that each thread of the process has waited for a core; none where the kernel keeps no account.
std::map<std::string, double> waiting_of_threads() {
  std::map<std::string, double> waiting;
  std::error_code none;
  for (std::filesystem::directory_iterator task("/proc/self/task", none), end; !none && task != end;
       task.increment(none)) {
    std::FILE* file = std::fopen((task->path() / "schedstat").c_str(), "re");
    if (!file) continue;
    unsigned long long ran = 0, waited = 0, slices = 0;
    if (std::fscanf(file, "%llu %llu %llu", &ran, &waited, &slices) == 3 && slices > 0)
      waiting[task->path().filename()] = 1e-9 * static_cast<double>(waited);
    std::fclose(file);
  }
  return waiting;
}

}  // namespace

std::string ProcessorUse::text() const {
  return str(std::round(100 * cores()) / 100, " of ", usable, usable == 1 ? " core" : " cores",
             is_short() ? str(", running ", std::round(100 * share()),
                              "% of the time in which it could: other programs had the rest")
                        : "");
}

ProcessorMeter::ProcessorMeter()
    : start_(seconds_of(CLOCK_MONOTONIC)),
      running_(seconds_of(CLOCK_PROCESS_CPUTIME_ID)),
      waiting_(waiting_of_threads()) {}

ProcessorUse ProcessorMeter::use() const {
  ProcessorUse use{.seconds = seconds_of(CLOCK_MONOTONIC) - start_,
                   .running = std::max(0.0, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - running_),
                   .usable = detail::usable_cores()};
  for (const auto& [thread, waited] : waiting_of_threads()) {
    const auto before = waiting_.find(thread);
    use.waiting = std::max(use.waiting, 0.0) + std::max(0.0, waited - (before == waiting_.end() ? 0 : before->second));
  }
  return use;
}

}  // namespace minima
