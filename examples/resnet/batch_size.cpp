#include "batch_size.h"

#include "../run.h"
#include "network.h"

using namespace minima;

namespace {

/// Bytes that the forward pass of `count` images keeps for backward.
double kept(ResNet& network, const Options& options, Device device, std::int64_t count) {
  Tensor images = randn({count, 3, options.image_size, options.image_size}, {.device = device});
  if (options.channels_last) images = channels_last(images);
  const std::int64_t before = memory_stats(device).allocated;
  const amp::Autocast guard(device.type, autocast_for(options.amp, device));
  const Tensor logits = network(images);
  return static_cast<double>(memory_stats(device).allocated - before);
}

}  // namespace

std::int64_t batch_that_fits(const Options& options, Device device) {
  // CUDA itself, its libraries' workspaces and gaps between blocks take the rest.
  constexpr double usable = 0.85;
  // In backward the peak grows with a batch by a tenth more than what forward keeps.
  constexpr double backward = 1.1;
  double resident = 0, per_image = 0;
  {
    ResNet network(options.depth, options.classes);
    network.to(device);
    // Parameters, gradients, momentum, and copies in the dtype of autocast.
    for (const Tensor& parameter : network.parameters())
      resident += 4 * static_cast<double>(parameter.numel() * parameter.itemsize());
    const double two = kept(network, options, device, 2);
    per_image = (kept(network, options, device, 4) - two) / 2;
  }
  manual_seed(options.seed);  // the measurement leaves no trace in the random numbers
  const double images = (usable * static_cast<double>(options.memory) - resident) / (backward * per_image);
  std::int64_t batch = 1;
  while (batch < 256 && 2 * static_cast<double>(batch) <= images) batch *= 2;
  return batch;
}
