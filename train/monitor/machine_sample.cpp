#include <minima/train/monitor/machine_sample.h>

#include <minima/io/files/read_to_end.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/tensor/threads/cores.h>

#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string content_of(const std::string& path) { return detail::read_to_end(path).value_or(""); }

/// The bytes in a line `NAME:   123 kB` of meminfo or status; -1 if there is none.
std::int64_t kilobytes(const std::string& text, const std::string& name) {
  const std::size_t line = text.find(name + ':');
  if (line == std::string::npos) return -1;
  return std::int64_t{1024} * std::strtoll(text.c_str() + line + name.size() + 1, nullptr, 10);
}

std::string number(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string size_text(std::int64_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  return mebibytes < 1000 ? number(mebibytes < 10 ? "%.1f MiB" : "%.0f MiB", mebibytes)
                          : number("%.1f GiB", mebibytes / 1024);
}

/// The process's cores; where those are unknown the load of all cores, and nothing where that is, too.
std::string processor_text(const MachineSample& sample) {
  if (sample.process < 0 || sample.cores <= 0)
    return sample.processor < 0 ? "" : str("cpu ", std::lround(100 * sample.processor), " %");
  const bool others = sample.processor > 0.9 && sample.process < 0.8 * sample.cores;
  return str(number("%.1f", sample.process), "/", sample.cores, sample.cores == 1 ? " core" : " cores",
             others ? " (machine busy)" : "");
}

}  // namespace

MachineSampler::MachineSampler(SamplerOptions options)
    : options_(std::move(options)), start_(now()), last_(start_), before_(times()) {}

MachineSampler::Times MachineSampler::times() const {
  Times result;
  std::istringstream all(
      content_of(options_.processes + "/stat"));  // cpu user nice system idle iowait irq softirq steal
  std::string word;
  double ticks[8];
  if (all >> word && word == "cpu") {
    int read = 0;
    while (read < 8 && all >> ticks[read]) ++read;
    if (read == 8) {
      result.all = 0;
      for (const double count : ticks) result.all += count;
      result.busy = result.all - ticks[3] - ticks[4];
    }
  }
  const std::string own = content_of(options_.processes + "/self/stat");
  if (const std::size_t name_end = own.rfind(')'); name_end != std::string::npos) {
    std::istringstream fields(own.substr(name_end + 1));
    for (int i = 0; i < 11; ++i) fields >> word;  // the state and what follows, up to cmajflt
    double user = 0, system = 0;
    if (fields >> user >> system) result.process = user + system;
  }
  return result;
}

MachineSample MachineSampler::sample() {
  MachineSample sample;
  const double time = now(), elapsed = time - last_;
  const Times current = times();
  sample.seconds = time - start_;
  if (current.all > before_.all && before_.all >= 0)
    sample.processor = (current.busy - before_.busy) / (current.all - before_.all);
  if (current.process >= 0 && before_.process >= 0 && elapsed > 0)
    sample.process = (current.process - before_.process) / static_cast<double>(sysconf(_SC_CLK_TCK)) / elapsed;
  if (sample.process >= 0) sample.cores = minima::detail::usable_cores();
  before_ = current;
  last_ = time;
  const std::string memory = content_of(options_.processes + "/meminfo");
  sample.available = kilobytes(memory, "MemAvailable");
  const std::int64_t swap = kilobytes(memory, "SwapTotal"), unused = kilobytes(memory, "SwapFree");
  if (swap >= 0 && unused >= 0) sample.swapped = swap - unused;
  sample.resident = kilobytes(content_of(options_.processes + "/self/status"), "VmRSS");
  struct statvfs disk{};
  if (statvfs(options_.folder.c_str(), &disk) == 0)
    sample.disk_free = static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
  if (options_.gpus)
    for (int device = 0; device < cuda::device_count(); ++device)
      if (cuda::Sensors sensors = cuda::sensors(device); sensors.known) sample.gpus.push_back(std::move(sensors));
  return sample;
}

std::vector<std::pair<std::string, double>> figures(const MachineSample& sample) {
  std::vector<std::pair<std::string, double>> list;
  const auto add = [&](const std::string& name, double value) {
    if (value >= 0) list.emplace_back("machine/" + name, value);
  };
  const auto gib = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); };
  add("cpu_busy", sample.processor);
  add("process_cores", sample.process);
  add("usable_cores", sample.cores);
  add("resident_gib", gib(sample.resident));
  add("available_gib", gib(sample.available));
  add("swapped_gib", gib(sample.swapped));
  add("disk_free_gib", gib(sample.disk_free));
  for (std::size_t i = 0; i < sample.gpus.size(); ++i) {
    const cuda::Sensors& gpu = sample.gpus[i];
    add(str("gpu", i, "_busy"), 0.01 * gpu.utilization);
    add(str("gpu", i, "_memory_gib"), gib(gpu.memory_used));
    add(str("gpu", i, "_celsius"), gpu.temperature);
    add(str("gpu", i, "_watts"), gpu.power);
    add(str("gpu", i, "_clock_mhz"), gpu.clock);
  }
  return list;
}

std::string short_text(const MachineSample& sample) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (const std::string processor = processor_text(sample); !processor.empty()) add(processor);
  if (sample.resident >= 0) add(size_text(sample.resident));
  for (const cuda::Sensors& gpu : sample.gpus) {
    add(str("gpu ", gpu.utilization, " %"));
    add(size_text(gpu.memory_used));
    if (gpu.temperature > 0) add(str(gpu.temperature, " °C"));
    if (gpu.power > 0) add(str(std::lround(gpu.power), " W"));
    if (!gpu.throttled.empty()) add("throttled by " + gpu.throttled);
  }
  return text;
}

}  // namespace minima::train
