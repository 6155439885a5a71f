#pragma once

#include <minima/profiler/advice/advice.h>
#include <minima/tensor/device/observer.h>

#include <cstdint>
#include <random>

namespace minima::profiler::test {

constexpr Roof planted_roof{.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};

/// Quick trials, timed by this stopwatch.
inline AdviceOptions options_of(Stopwatch stopwatch) {
  return {.seconds = 0, .min_gain = 1.2, .largest_batch = 64, .stopwatch = std::move(stopwatch), .roof = planted_roof};
}

/// A clock on which a call takes as long as it says: a step calls `take`. Anything else takes 1 ms.
class PlantedClock {
 public:
  void take(double milliseconds) { milliseconds_ = milliseconds; }
  Stopwatch stopwatch() {
    return {.seconds = [this](const Function<void()>& call, Device) {
      milliseconds_ = 1;
      call();
      return 1e-3 * milliseconds_;
    }};
  }

 private:
  double milliseconds_ = 1;
};

/// A clock on which each operator takes 1 ms, and what a busy machine adds to it: each call up to `noise` of its time,
/// and now and then several in a row twice as long.
class OperatorClock final : public Observer {
 public:
  explicit OperatorClock(double noise = 0, std::uint32_t seed = 1) : noise_(noise), random_(seed) {}
  OperatorClock(const OperatorClock&) = delete;
  Stopwatch stopwatch() {
    return {.seconds = [this](const Function<void()>& call, Device) {
      calls_ = 0;
      Observer* const before = set_observer(this);
      call();
      set_observer(before);
      return 1e-3 * calls_ * disturbance();
    }};
  }
  double disturbance() {
    if (noise_ == 0) return 1;
    std::uniform_real_distribution<double> uniform;
    if (busy_for_ > 0) --busy_for_;
    else if (uniform(random_) < 0.05) busy_for_ = static_cast<int>(5 + 10 * uniform(random_));
    return (1 + noise_ * uniform(random_)) * (busy_for_ > 0 ? 2 : 1);
  }

 private:
  void begin(const char*, Cost) override { ++calls_; }
  void end() noexcept override {}

  double noise_;
  std::mt19937 random_;
  int calls_ = 0, busy_for_ = 0;
};

}  // namespace minima::profiler::test
