#include "simulated/tests/library/library.h"
#include "simulated/tests/library/training.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

// A training under many orders of execution equals the CPU's bit for bit. MINIMA_SIMULATED_SEEDS=1000 tries that many
// for each way of training.

namespace minima::orders_test {
namespace {

using test::Mode;

class SimulatedLibraryOrders : public LibraryOnSimulatedGpus, public ::testing::WithParamInterface<Mode> {};

TEST_P(SimulatedLibraryOrders, LeadToTheSameWeights) {
  const char* const wanted = std::getenv("MINIMA_SIMULATED_SEEDS");
  const std::uint64_t seeds = wanted ? std::stoull(wanted) : 60;
  constexpr int steps = 8;
  const std::vector<float> expected = test::expected_weights(steps);
  int differences = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    simulated::reseed(seed);
    differences += test::train(GetParam(), steps) != expected;
  }
  EXPECT_EQ(differences, 0) << "of " << seeds << " seeds";
}

INSTANTIATE_TEST_SUITE_P(, SimulatedLibraryOrders, ::testing::Values(Mode::loader, Mode::captured, Mode::streams),
                         [](const auto& info) { return std::string(test::mode_names[static_cast<int>(info.param)]); });

}  // namespace
}  // namespace minima::orders_test
