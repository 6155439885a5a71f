#pragma once

#include <minima/tensor/random/generator.h>

#include <c10/core/Device.h>

#include <memory>
#include <mutex>
#include <optional>

namespace at {

using namespace c10;

namespace detail {
class RandomStream;

struct GeneratorState {
  explicit GeneratorState(minima::RandomGenerator& shared);
  explicit GeneratorState(std::uint64_t seed);
  ~GeneratorState();

  minima::RandomGenerator own;
  minima::RandomGenerator& generator;  ///< for GPUs
  std::unique_ptr<RandomStream> stream;
  std::mutex mutex;
};
}  // namespace detail

/// A stream of random numbers: a handle, whose copies share the state. There is one default generator for all devices.
/// A seed gives LibTorch's numbers on the CPU, and others on a GPU.
class Generator {
 public:
  Generator() = default;
  explicit Generator(std::shared_ptr<detail::GeneratorState> state) : state_(std::move(state)) {}

  bool defined() const { return state_ != nullptr; }
  void set_current_seed(std::uint64_t seed) const;
  std::uint64_t current_seed() const { return native()->state().seed; }
  /// Draws a seed from the system and sets it.
  std::uint64_t seed() const;
  void set_offset(std::uint64_t offset) const { native()->set_state({current_seed(), offset}); }
  std::uint64_t get_offset() const { return native()->state().offset; }
  Generator clone() const;
  Device device() const { return kCPU; }
  std::mutex& mutex() const { return state_->mutex; }

  /// The numbers of the CPU.
  detail::RandomStream& stream() const { return *state_->stream; }
  /// The generator for minima's functions; null if undefined, which means the default generator.
  minima::RandomGenerator* native() const { return state_ ? &state_->generator : nullptr; }
  friend bool operator==(const Generator& a, const Generator& b) { return a.state_ == b.state_; }

 private:
  std::shared_ptr<detail::GeneratorState> state_;
};

namespace detail {
const Generator& getDefaultCPUGenerator();
Generator createCPUGenerator(std::uint64_t seed = 67280421310721ull);
}  // namespace detail

template <class Implementation = void, class... Args>
Generator make_generator(Args&&... args) {
  return detail::createCPUGenerator(std::forward<Args>(args)...);
}

void manual_seed(std::uint64_t seed);

}  // namespace at
