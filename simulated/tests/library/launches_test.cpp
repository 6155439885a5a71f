#include "simulated/kernels/simt.h"
#include "simulated/tests/library/library.h"

#include <minima/ops/creation/creation.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/lion.h>
#include <minima/optim/elementwise/sgd.h>

#include <gtest/gtest.h>

// Launches are what a small step costs on a GPU.

namespace minima::test::launches_test {
namespace {

std::int64_t all_launches() {
  synchronize(first_gpu);
  std::int64_t sum = 0;
  for (const auto& [name, count] : simulated::simt::runs()) sum += count;
  return sum;
}

/// The launches of the second step, on two groups of this many parameters each; the first one creates the state.
template <class Optimizer, class Options>
std::int64_t launches_of_a_step(int parameters, const Options& options) {
  std::vector<Tensor> groups[2];
  for (std::vector<Tensor>& group : groups)
    for (int i = 0; i < parameters; ++i) {
      group.push_back(ones({3 + i}, {.device = first_gpu}).requires_grad(true));
      group.back().set_grad(ones({3 + i}, {.device = first_gpu}));
    }
  Optimizer optimizer(groups[0], options);
  optimizer.add_param_group(groups[1]);
  optimizer.step();
  const std::int64_t before = all_launches();
  optimizer.step();
  return all_launches() - before;
}

class LaunchesOnSimulatedGpus : public LibraryOnSimulatedGpus {};

TEST_F(LaunchesOnSimulatedGpus, AStepTakesTwoPerGroupHoweverManyParametersItHas) {
  for (const int parameters : {1, 40}) {
    EXPECT_EQ((launches_of_a_step<optim::SGD>(parameters, optim::SGDOptions{.lr = 0.1, .momentum = 0.9})), 4);
    EXPECT_EQ((launches_of_a_step<optim::AdamW>(parameters, optim::AdamWOptions{})), 4);
    EXPECT_EQ((launches_of_a_step<optim::Lion>(parameters, optim::LionOptions{})), 4);
  }
}

}  // namespace
}  // namespace minima::test::launches_test
