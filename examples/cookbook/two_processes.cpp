// Data-parallel training. Run it alone, or as several processes: both print the same losses.
//
//   scripts/launch -n 2 cookbook_two_processes

#include <minima/distributed/distributed.h>
#include <minima/minima.h>

#include <cstdio>

using namespace minima;

int main() {
  const distributed::Environment environment = distributed::environment();
  const Device device = distributed::local_device(environment);
  distributed::ProcessGroup group = distributed::init(environment, {.device = device});  // waits for all ranks

  // Every rank draws the same data; the loader gives each its share of every batch of 32.
  manual_seed(1);
  const Tensor points = randn({640, 8}), labels = argmax(matmul(points, randn({8, 4})), 1);
  data::DataLoader loader(
      data::TensorDataset(points, labels),
      {.batch_size = 32 / group.size(), .shuffle = true, .seed = 1, .rank = group.rank(), .world_size = group.size()});

  nn::Sequential net(nn::Linear({.in = 8, .out = 32}), nn::ReLU(), nn::Linear({.in = 32, .out = 4}));
  net.to(device);
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-2});
  const distributed::DistributedDataParallel parallel(net, group);  // averages gradients during backward

  for (int epoch = 1; epoch <= 3; ++epoch) {
    double loss_sum = 0, samples = 0;
    for (auto& [x, y] : loader) {
      optimizer.zero_grad();
      const Tensor loss = cross_entropy(net(x.to(device)), y.to(device));
      loss.backward();
      optimizer.step();
      loss_sum += loss.item<double>() * static_cast<double>(y.numel());
      samples += static_cast<double>(y.numel());
    }
    const std::vector<double> totals = distributed::sum_over_ranks({loss_sum, samples}, group);
    if (group.is_first())
      std::printf("epoch %d: loss %.3f over %.0f samples\n", epoch, totals[0] / totals[1], totals[1]);
  }

  // Replicas stay bitwise equal: each rank compares its weights with all others'.
  bool equal = true;
  for (const Tensor& p : net.parameters()) {
    const Tensor all = group.all_gather(p.detach()).result();  // [ranks, …]
    for (int rank = 0; rank < group.size(); ++rank) equal = equal && identical(contiguous(all[rank]), p.detach());
  }
  if (group.is_first()) std::printf("the replicas are %s\n", equal ? "identical" : "different");
  return equal ? 0 : 1;
}
