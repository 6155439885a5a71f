#include <minima/tensor/auto_device.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/device/gpu_memory.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace minima {

namespace {

/// The minimum of several runs in seconds, since other processes only slow a run down.
template <class F>
double least_seconds(int runs, const F& f) {
  double least = 1e9;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    f();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

constexpr std::int64_t large = std::int64_t{32} << 20;  ///< bytes, more than most caches hold
constexpr std::int64_t tiny = 64;
/// The share of peak arithmetic that well-tuned kernels reach.
constexpr double usual_share = 0.7;

/// Independent multiply-adds that don't wait for memory.
double arithmetic(std::int64_t rounds) {
  constexpr int lanes = 64;
  float values[lanes];
  for (int i = 0; i < lanes; ++i) values[i] = static_cast<float>(i);
  for (std::int64_t round = 0; round < rounds; ++round)
    for (int i = 0; i < lanes; ++i) values[i] = values[i] * 0.999f + 0.5f;
  double sum = 0;
  for (const float value : values) sum += value;
  return sum;
}

DeviceSpeed measure_cpu() {
  constexpr std::int64_t part = std::int64_t{1} << 20, rounds = 20'000;
  const Tensor from = empty({large / 4}), to = empty({large / 4});
  std::memset(from.raw_data(), 0, large);
  const double copying = least_seconds(5, [&] {
    parallel_for(0, large / part, 1, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(static_cast<char*>(to.raw_data()) + begin * part,
                  static_cast<const char*>(from.raw_data()) + begin * part,
                  static_cast<std::size_t>((end - begin) * part));
    });
  });
  const int threads = num_threads();
  std::vector<double> sums(static_cast<std::size_t>(threads));
  const double computing = least_seconds(5, [&] {
    parallel_for(0, threads, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sums[static_cast<std::size_t>(i)] = arithmetic(rounds);
    });
  });
  return {.flops = usual_share * 128.0 * static_cast<double>(rounds) * threads / computing,
          .bytes = 2.0 * static_cast<double>(large) / copying,
          .transfer_bytes = 0,
          .launch_seconds = 1e-6,
          .transfer_seconds = 0};
}

/// Single-precision multiply-adds per clock and multiprocessor, from the CUDA programming guide.
int lanes_of(const cuda::DeviceProperties& gpu) {
  return gpu.major < 8 || (gpu.major == 8 && gpu.minor == 0) ? 64 : 128;
}

DeviceSpeed measure_gpu(Device device) {
  const Tensor host = empty({large / 4}), from = empty({large / 4}, {.device = device}),
               to = empty({large / 4}, {.device = device});
  std::memset(host.raw_data(), 0, large);
  const auto copy_seconds = [&](const Tensor& source, const Tensor& target, std::int64_t bytes) {
    return least_seconds(5, [&] {
      detail::gpu_copy(target.raw_data(), target.device(), source.raw_data(), source.device(),
                       static_cast<std::size_t>(bytes), source.impl()->storage.get());
      synchronize(device);
    });
  };
  const double launch = copy_seconds(from, to, tiny), within = copy_seconds(from, to, large);
  const double first_byte = copy_seconds(host, to, tiny), across = copy_seconds(host, to, large);
  const cuda::DeviceProperties& gpu = cuda::properties(device.index);
  const double size = static_cast<double>(large), shortest = 1e-7;
  return {.flops = usual_share * 2.0 * lanes_of(gpu) * gpu.multiprocessors * 1e3 * gpu.clock_khz,
          .bytes = 2 * size / std::max(within - launch, shortest),
          .transfer_bytes = size / std::max(across - first_byte, shortest),
          .launch_seconds = launch,
          .transfer_seconds = first_byte};
}

/// Sums what this thread's operators report.
class WorkObserver final : public Observer {
 public:
  WorkObserver() : previous_(set_observer(this)) {}
  ~WorkObserver() { set_observer(previous_); }
  WorkObserver(const WorkObserver&) = delete;
  WorkObserver& operator=(const WorkObserver&) = delete;

  void begin(const char* op, Cost cost) override {
    work.flops += cost.flops;
    work.bytes += cost.bytes;
    ++work.launches;
    if (previous_) previous_->begin(op, cost);
  }
  void end() noexcept override {
    if (previous_) previous_->end();
  }

  Workload work{.launches = 0};

 private:
  Observer* previous_;
};

}  // namespace

Workload observed_workload(const Function<void()>& f) {
  WorkObserver observer;
  f();
  return observer.work;
}

double estimated_seconds(const Workload& work, const DeviceSpeed& speed, bool transfers) {
  double seconds = work.launches * speed.launch_seconds + std::max(work.flops / speed.flops, work.bytes / speed.bytes);
  if (transfers && work.transferred > 0)
    seconds += 2 * speed.transfer_seconds + work.transferred / speed.transfer_bytes;
  return seconds;
}

bool prefers_gpu(const Workload& work, const DeviceSpeed& cpu, const DeviceSpeed& gpu, std::int64_t room) {
  if (work.memory > room) return false;
  return estimated_seconds(work, gpu, true) < estimated_seconds(work, cpu, false);
}

const DeviceSpeed& measured_speed(Device device) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const speeds = new std::map<int, DeviceSpeed>;
  const int key = device.is_cpu() ? -1 : device.index;
  const std::lock_guard lock(*mutex);
  const auto found = speeds->find(key);
  if (found != speeds->end()) return found->second;
  return speeds->emplace(key, device.is_cpu() ? measure_cpu() : measure_gpu(device)).first->second;
}

Device auto_device(double flops, double bytes) {
  return auto_device(
      {.flops = flops, .bytes = bytes, .transferred = bytes, .memory = static_cast<std::int64_t>(bytes)});
}

Device auto_device(const Workload& work) {
  if (cuda::device_count() == 0) return Device::cpu();
  auto& memory = detail::gpu_allocator(Device::cuda(), "auto_device").memory();
  const MemoryStats stats = memory.stats();
  const std::int64_t idle = stats.reserved - stats.allocated;
  std::int64_t room = static_cast<std::int64_t>(memory.driver().memory().free) + idle;
  if (memory.limit() > 0) room = std::min(room, static_cast<std::int64_t>(memory.limit()) - stats.allocated);
  if (work.memory > room) return Device::cpu();
  return prefers_gpu(work, measured_speed(Device::cpu()), measured_speed(Device::cuda()), room) ? Device::cuda()
                                                                                                : Device::cpu();
}

}  // namespace minima
