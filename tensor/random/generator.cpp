#include <minima/tensor/random/generator.h>

#include <minima/tensor/base/environment.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/philox.h>
#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/random/random_tape.h>
#include <minima/tensor/random/system_seed.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <optional>
#include <system_error>

#include <sched.h>
#include <sys/random.h>
#include <unistd.h>

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

namespace {

/// A number that other processes do not get. Where the kernel has none to give yet, time and process make one.
std::uint64_t draw_from_system() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed) return seed;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto nanoseconds =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  const Philox::Block words = Philox::at(nanoseconds, static_cast<std::uint64_t>(::getpid()));
  return words.word[0] | std::uint64_t{words.word[1]} << 32;
}

std::optional<std::uint64_t> seed_from_environment() {
  const char* const text = detail::environment("MINIMA_SEED");
  if (!text) return {};
  const char* const end = text + std::strlen(text);
  std::uint64_t seed = 0;
  const auto [stop, error] = std::from_chars(text, end, seed);
  if (error != std::errc() || stop != end)
    throw ValueError(str("MINIMA_SEED=", text, ": expected a number from 0 to ", UINT64_MAX));
  return seed;
}

/// The generator, and the seed that it got from the system.
struct Default {
  std::optional<std::uint64_t> chosen = seed_from_environment();
  std::uint64_t drawn = chosen ? 0 : draw_from_system();
  RandomGenerator generator{chosen.value_or(drawn)};
};

Default& the_default() {
  static Default instance;
  return instance;
}

}  // namespace

RandomGenerator& default_generator() { return the_default().generator; }
void manual_seed(std::uint64_t seed) { default_generator().manual_seed(seed); }
std::uint64_t initial_seed() { return default_generator().state().seed; }

std::uint64_t reseed() {
  const std::uint64_t seed = draw_from_system();
  manual_seed(seed);
  return seed;
}

bool detail::has_system_seed() {
  const Default& all = the_default();
  return !all.chosen && all.generator.state().seed == all.drawn;
}

}  // namespace minima
