// A table that host and device both read and write: MirroredBuffer knows which side is up to date and copies only when
// it must. Here: class weights that the host adjusts from the errors that the device has counted.

#include <minima/minima.h>
#include <minima/tensor/mirror.h>

#include <cstdio>

using namespace minima;

int main() {
  constexpr std::int64_t classes = 4, samples = 400;
  const Device device = default_device();
  manual_seed(1);

  // Class 3 has four samples in a hundred; the others share the rest. Its centre is close to class 2's.
  const Tensor number = arange(samples);
  const Tensor label = where(remainder(number, 25) < 1, 3, remainder(number, 3)).to(device);
  const Tensor centers = tensor({{2.0, 0.0}, {-2.0, 0.0}, {0.0, 1.5}, {0.0, 3.0}}, {.device = device});
  const Tensor x = index_select(centers, 0, label) + randn({samples, 2}, {.device = device});

  nn::Linear net({.in = 2, .out = classes});
  net.to(device);
  optim::SGD optimizer(net.parameters(), {.lr = 0.2});
  MirroredBuffer weights({classes}, {.device = device});  // zeros, in pinned memory and on the device
  MirroredBuffer misses({classes}, {.device = device});
  weights.overwrite_host() = 1;

  std::int64_t reads = 0;
  for (int epoch = 1; epoch <= 5; ++epoch) {
    for (int step = 0; step < 40; ++step) {
      optimizer.zero_grad();
      const Tensor logits = net(x);
      cross_entropy(logits, label, {.weight = weights.read_device()}).backward();  // copies once per epoch
      optimizer.step();
      ++reads;
      // Counted where the logits are.
      const NoGrad no_grad;
      const Tensor missed = (argmax(logits, 1) != label).to(float32);
      misses.write_device() = index_add(misses.read_device(), 0, label, missed);
    }
    // The host reads the counts, gives classes that are missed often more weight, and clears the counts for both.
    const std::vector<float> counts = misses.read_host().to_vector<float>();
    const Tensor weight = weights.write_host();
    std::printf("epoch %d: misses", epoch);
    for (std::int64_t c = 0; c < classes; ++c) {
      const std::int64_t members = c == 3 ? 16 : 128;
      const float share = counts[static_cast<std::size_t>(c)] / static_cast<float>(40 * members);
      weight.data<float>()[c] += share;
      std::printf(" %3.0f %%", 100 * static_cast<double>(share));
    }
    std::printf("\n");
    misses.overwrite_host() = 0;
  }
  std::printf("%lld reads and as many writes on the device: %lld copies of the weights, %lld of the counts\n",
              static_cast<long long>(reads), static_cast<long long>(weights.copies()),
              static_cast<long long>(misses.copies()));
}
