#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/system/instruction_sets.h>
#include <minima/tensor/system/system_info.h>
#include <minima/tensor/threads/cores.h>
#include <minima/tensor/threads/parallel.h>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace minima {

namespace {

/// A file of /proc, whose size isn't known before it is read; empty if it cannot be opened.
std::string text_of(const char* path) {
  std::string text;
  std::FILE* const file = std::fopen(path, "re");
  if (!file) return text;
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, file)) text.append(piece, count);
  std::fclose(file);
  return text;
}

/// A line of /proc/meminfo, `MemTotal:       24683656 kB`, in bytes; 0 if there is none.
std::int64_t memory_line(const std::string& text, const char* name) {
  const std::size_t at = text.find(name);
  return at == std::string::npos ? 0 : 1024 * std::strtoll(text.c_str() + text.find(':', at) + 1, nullptr, 10);
}

}  // namespace

CpuInfo cpu_info() {
  detail::CpuText text = detail::read_cpuinfo(text_of("/proc/cpuinfo"));
  const std::string memory = text_of("/proc/meminfo");
  const std::int64_t most = detail::control_group_memory();
  return {.name = std::move(text.name),
          .cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)),
          .usable_cores = detail::usable_cores(),
          .threads = num_threads(),
          .instruction_sets = std::move(text.instruction_sets),
          .memory = std::min(memory_line(memory, "MemTotal"), most),
          .memory_available = std::min(memory_line(memory, "MemAvailable"), most)};
}

}  // namespace minima
