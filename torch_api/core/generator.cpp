#include <ATen/core/Generator.h>
#include <core/random_stream.h>

namespace at {

void Generator::set_current_seed(std::uint64_t seed) const {
  native()->manual_seed(seed);
  stream().manual_seed(seed);
}

std::uint64_t Generator::seed() const {
  minima::RandomGenerator& shared = minima::default_generator();
  const auto before = shared.state();
  const std::uint64_t fresh = minima::reseed();
  if (native() != &shared) shared.set_state(before);
  set_current_seed(fresh);
  return fresh;
}

Generator Generator::clone() const {
  auto copy = std::make_shared<detail::GeneratorState>(std::uint64_t{0});
  copy->generator.set_state(native()->state());
  *copy->stream = stream();
  return Generator(std::move(copy));
}

namespace detail {

GeneratorState::GeneratorState(minima::RandomGenerator& shared)
    : generator(shared), stream(std::make_unique<RandomStream>()) {}
GeneratorState::GeneratorState(std::uint64_t seed)
    : own(seed), generator(own), stream(std::make_unique<RandomStream>(seed)) {}
GeneratorState::~GeneratorState() = default;

const Generator& getDefaultCPUGenerator() {
  static const Generator standard(std::make_shared<GeneratorState>(minima::default_generator()));
  return standard;
}
Generator createCPUGenerator(std::uint64_t seed) { return Generator(std::make_shared<GeneratorState>(seed)); }

}  // namespace detail

void manual_seed(std::uint64_t seed) {
  minima::manual_seed(seed);
  detail::getDefaultCPUGenerator().stream().manual_seed(seed);
}

}  // namespace at
