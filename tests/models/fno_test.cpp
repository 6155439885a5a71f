#include "examples/fno/network.h"
#include "tests/models/recording.h"

// The Fourier neural operator of examples/fno (Li et al. 2021) on Darcy flow.

namespace minima::fno_test {
namespace {

TEST(Models, FourierNeuralOperatorFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("fno");
  FourierNeuralOperator net(6, 3, 3);
  recorded.start(net);
  const Tensor a = recorded["a"], u = recorded["u"];
  const auto norms = [](const Tensor& x) { return sqrt(sum(square(flatten(x, 1)), 1)); };
  optim::Adam optimizer(net.parameters(), {.lr = 0.01});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor loss = mean(norms(net(a) - u) / norms(u));
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.layers[1].spectral.weight);
}

}  // namespace
}  // namespace minima::fno_test
