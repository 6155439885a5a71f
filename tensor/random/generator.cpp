#include <minima/tensor/random/generator.h>

#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/random/random_tape.h>

#include <cstdint>

#include <sched.h>

namespace minima {

namespace {

/// A one-word lock, held for a few instructions.
class SpinLock {
 public:
  explicit SpinLock(std::uint32_t& word) : word_(word) {
    while (__atomic_exchange_n(&word_, 1u, __ATOMIC_ACQUIRE) != 0u) sched_yield();
  }
  ~SpinLock() { __atomic_store_n(&word_, 0u, __ATOMIC_RELEASE); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

 private:
  std::uint32_t& word_;
};

}  // namespace

RandomGenerator::Position RandomGenerator::reserve(std::uint64_t counters) {
  const PhiloxState start = detail::draw(counters, [&] {
    const SpinLock lock(locked_);
    const PhiloxState fresh{seed_, offset_, nullptr};
    offset_ += counters;
    return fresh;
  });
  return {start.seed, start.offset};
}

RandomGenerator::Position RandomGenerator::state() const {
  const SpinLock lock(locked_);
  return {seed_, offset_};
}

void RandomGenerator::set_state(Position state) {
  const SpinLock lock(locked_);
  seed_ = state.seed;
  offset_ = state.offset;
}

RandomGenerator& default_generator() {
  static RandomGenerator generator;
  return generator;
}

void manual_seed(std::uint64_t seed) { default_generator().manual_seed(seed); }

}  // namespace minima
