#include <minima/minima.h>

#include "simulated/dryrun/dry_run.h"
#include "simulated/dryrun/report.h"

#include <cstdio>

using namespace minima;

// What a step of this network would ask of a GPU, without computing anything.
int main() {
  const Device device = Device::cuda();
  simulated::DryRun dry(device);
  nn::Sequential net(nn::Linear({.in = 4096, .out = 16384}), nn::ReLU(), nn::Linear({.in = 16384, .out = 4096}));
  net.to(device);
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
  const Tensor x = zeros({1024, 4096}, {.device = device});
  const simulated::DryRunReport report = dry.run(net, [&] {
    optimizer.zero_grad();
    Tensor loss = mean(square(net(x)));
    loss.backward();
    optimizer.step();
    return loss;
  });
  std::puts(text_report(report, 5).c_str());
  return report.launches > 0 && report.predicted_ms > 0 ? 0 : 1;
}
