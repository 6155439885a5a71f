#include <minima/profiler/host/counters.h>

#include <minima/io/files/read_to_end.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/tensor/base/format.h>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

namespace minima::profiler {

namespace {

struct Event {
  std::uint32_t type;
  std::uint64_t config;
};
constexpr Event events[] = {{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                            {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                            {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
                            {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}};

int open_of_this_thread(perf_event_attr& event, int leader) {
  const auto file = syscall(SYS_perf_event_open, &event, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
  return file < 0 ? -errno : static_cast<int>(file);
}

std::string reason_of(int error) {
  if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
    return "this machine has none, as most virtual machines";
  if (error == EACCES || error == EPERM) {
    std::string level = detail::read_to_end("/proc/sys/kernel/perf_event_paranoid").value_or("");
    level.erase(std::min(level.find('\n'), level.size()));
    return str("the kernel does not allow them (kernel.perf_event_paranoid is ", level.empty() ? "unknown" : level,
               "; 2 or less allows them, unless a container forbids perf_event_open)");
  }
  if (error == ENOSYS) return "the kernel has no perf_event_open, or a container forbids it";
  return str("perf_event_open: ", std::strerror(error));
}

}  // namespace

Counters::Counters() : Counters(open_of_this_thread) {}

Counters::Counters(const Open& open) {
  for (int i = 0; i < most; ++i) {
    perf_event_attr event{};
    event.size = sizeof event;
    event.type = events[i].type;
    event.config = events[i].config;
    event.read_format = PERF_FORMAT_GROUP;
    event.exclude_kernel = 1;
    event.exclude_hv = 1;
    const int file = open(event, leader_);
    if (file < 0) {
      if (missing_.empty() && event.type == PERF_TYPE_HARDWARE) missing_ = reason_of(-file);
      continue;
    }
    files_[static_cast<std::size_t>(i)] = file;
    if (leader_ < 0) leader_ = file;
    place_[static_cast<std::size_t>(i)] = count_++;
  }
}

Counters::~Counters() {
  for (const int file : files_)
    if (file >= 0) close(file);
}

Counts Counters::read() const noexcept {
  std::uint64_t values[1 + most];  // their number, then each
  Counts counts;
  if (leader_ < 0) return counts;
  const auto size = static_cast<ssize_t>(static_cast<std::size_t>(1 + count_) * sizeof values[0]);
  if (::read(leader_, values, static_cast<std::size_t>(size)) != size) return counts;
  std::int64_t* const fields[most] = {&counts.cycles, &counts.instructions, &counts.cache_misses, &counts.page_faults};
  for (std::size_t i = 0; i < most; ++i)
    if (place_[i] >= 0) *fields[i] = static_cast<std::int64_t>(values[1 + place_[i]]);
  return counts;
}

namespace {

std::int64_t difference(std::int64_t after, std::int64_t before) {
  return after < 0 || before < 0 ? -1 : after - before;
}
void add(std::int64_t& sum, std::int64_t value) {
  if (value >= 0) sum = (sum < 0 ? 0 : sum) + value;
}

}  // namespace

Counts operator-(const Counts& after, const Counts& before) {
  return {.cycles = difference(after.cycles, before.cycles),
          .instructions = difference(after.instructions, before.instructions),
          .cache_misses = difference(after.cache_misses, before.cache_misses),
          .page_faults = difference(after.page_faults, before.page_faults)};
}

Counts& operator+=(Counts& sum, const Counts& counts) {
  add(sum.cycles, counts.cycles);
  add(sum.instructions, counts.instructions);
  add(sum.cache_misses, counts.cache_misses);
  add(sum.page_faults, counts.page_faults);
  return sum;
}

}  // namespace minima::profiler
