#include "data.h"
#include "network.h"

#include <minima/data/datasets/combine.h>

#include <cstdio>
#include <exception>
#include <string>

using namespace minima;

namespace {

double accuracy_on(auto& loader, Network& network) {
  const Inference no_gradients;
  network.eval();
  Accuracy accuracy;
  for (auto& [x, y] : loader) accuracy.add(network(x), y);
  network.train();
  return accuracy.value();
}

void train(int epochs, std::uint64_t seed) {
  manual_seed(seed);                       // the initial weights, the split and the order of the samples
  const Device device = default_device();  // the first GPU, or the CPU if there is none

  const auto parts = data::random_split(spirals(3000, seed), {0.8, 0.2});
  data::DataLoader training(parts[0], {.batch_size = 64, .shuffle = true, .device = device});
  data::DataLoader validation(parts[1], {.batch_size = 256, .device = device});

  Network network;
  network.to(device);
  optim::AdamW optimizer(network.parameters(), {.lr = 1e-2});
  KeepBest best("network.safetensors", {.maximize = true});

  for (int epoch = 1; epoch <= epochs; ++epoch) {
    Mean mean_loss;
    for (auto& [x, y] : training) {
      optimizer.zero_grad();
      const Tensor loss = cross_entropy(network(x), y);
      loss.backward();
      optimizer.step();
      mean_loss.add(loss.detach(), static_cast<double>(y.numel()));
    }
    const double accuracy = accuracy_on(validation, network);
    best.update(accuracy, network.state_dict());
    std::printf("epoch %d: loss %.3f, validation accuracy %.3f\n", epoch, mean_loss.value(), accuracy);
  }
  std::printf("best validation accuracy %.3f, weights in network.safetensors\n", best.best());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    train(argc > 1 ? std::stoi(argv[1]) : 20, argc > 2 ? std::stoull(argv[2]) : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\nusage: %s [EPOCHS [SEED]]\n", argv[0], error.what(), argv[0]);
    return 1;
  }
}
