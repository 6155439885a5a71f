#include <minima/optim/names/named_state.h>

#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/optim/averaging/averaging.h>
#include <minima/optim/borrow_state.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/tensor/base/error.h>

#include "tests/support/expect_error.h"

namespace minima::named_state_test {
namespace {

using Named = std::vector<State::NamedTensor>;

Named parameters(const std::vector<std::string>& names) {
  Named named;
  for (const std::string& name : names) named.push_back({name, full({2}, 1).requires_grad(true)});
  return named;
}

std::vector<Tensor> tensors_of(const Named& named) {
  std::vector<Tensor> tensors;
  for (const auto& [name, tensor] : named) tensors.push_back(tensor);
  return tensors;
}

/// Adam after a step with gradients 1, 2, … by name, so that a state tells whose it is.
struct Trained {
  explicit Trained(const std::vector<std::string>& names)
      : named(parameters(names)), adam(tensors_of(named), {.lr = 0.1}) {
    adam.name_parameters(named);
  }
  void step() {
    for (const auto& [name, tensor] : named) sum(tensor * static_cast<double>(name.back())).backward();
    adam.step();
    adam.zero_grad();
  }
  Named named;
  optim::Adam adam;
};

TEST(NamedState, FollowsParametersToOtherPositionsAndIsNoCopy) {
  Trained trained({"net.a", "net.b", "net.a.c"});
  trained.step();
  const State state = optim::named_state(trained.adam);
  EXPECT_EQ(state.tensor("state.net.b.exp_avg").raw_data(), trained.adam.slots()[1].state[0].raw_data());
  Trained other({"net.a.c", "new", "net.b"});
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { optim::load_named_state(other.adam, state); }),
                  "the optimizer has no net.a");
  Trained turned({"net.b", "net.a.c", "net.a"});
  optim::load_named_state(turned.adam, state);
  EXPECT_EQ(turned.adam.slots()[0].state[0].to_vector<float>(), trained.adam.slots()[1].state[0].to_vector<float>());
  EXPECT_EQ(turned.adam.slots()[2].state[1].to_vector<float>(), trained.adam.slots()[0].state[1].to_vector<float>());
  EXPECT_NE(turned.adam.slots()[0].state[0].raw_data(), trained.adam.slots()[1].state[0].raw_data());

  const std::vector<float> before = state.tensor("state.net.a.exp_avg").to_vector<float>();
  trained.step();
  EXPECT_NE(state.tensor("state.net.a.exp_avg").to_vector<float>(), before);
  EXPECT_EQ(turned.adam.slots()[2].state[0].to_vector<float>(), before);
}

TEST(NamedState, PositionsAreReadAndKeptWhereThereAreNoNames) {
  Trained trained({"a", "b"});
  trained.step();
  Trained other({"a", "b"});
  optim::load_named_state(other.adam, trained.adam.state_dict());
  EXPECT_EQ(other.adam.slots()[1].state[0].to_vector<float>(), trained.adam.slots()[1].state[0].to_vector<float>());

  const Named named = parameters({"a", "b"});
  optim::Adam unnamed(tensors_of(named), {.lr = 0.1});
  EXPECT_CONTAINS(
      test::message_of<ValueError>([&] { optim::load_named_state(unnamed, optim::named_state(trained.adam)); }),
      "name its parameters");
  optim::load_named_state(unnamed, trained.adam.state_dict());
  const State positions = optim::named_state(unnamed);
  EXPECT_TRUE(positions.find("state.1.exp_avg"));
  unnamed.name_parameters(Named{{"same", named[0].tensor}, {"same", named[1].tensor}});
  EXPECT_THROW(optim::named_state(unnamed), ValueError);
}

TEST(NamedState, StateDictsAreCopiesUnlessBorrowed) {
  Trained trained({"a"});
  trained.step();
  optim::Ema ema(tensors_of(trained.named), {.decay = 0.5});
  const auto* const own = trained.adam.slots()[0].state[0].raw_data();
  EXPECT_NE(trained.adam.state_dict().tensor("state.0.exp_avg").raw_data(), own);
  const optim::BorrowState guard;
  EXPECT_EQ(trained.adam.state_dict().tensor("state.0.exp_avg").raw_data(), own);
  EXPECT_EQ(ema.state_dict().tensor("average.0").raw_data(), ema.state_dict().tensor("average.0").raw_data());
  EXPECT_NE(ema.state_dict().tensor("average.0").raw_data(), trained.named[0].tensor.raw_data());
}

}  // namespace
}  // namespace minima::named_state_test
