// A rank's memory by purpose, compared with what the model needs: parameters + gradients (in buckets, no second copy) +
// optimizer state + activations.
//   scripts/launch -n 4 build/cpu/benchmarks/rank_memory          on the CPU
//   scripts/launch -n 4 build/cuda/benchmarks/rank_memory cuda    a GPU for each rank, over NCCL

#include <minima/distributed/distributed.h>
#include <minima/minima.h>
#include <minima/tensor/storage/allocator.h>

#include <cstdio>
#include <string>

using namespace minima;

namespace {

struct Row {
  const char* name;
  double expected, found;
};

void print(const std::vector<Row>& rows) {
  std::printf("| purpose | expected | found | |\n| --- | ---: | ---: | ---: |\n");
  for (const Row& row : rows)
    std::printf("| %s | %.3f MiB | %.3f MiB | %+.2f %% |\n", row.name, row.expected / (1 << 20), row.found / (1 << 20),
                row.expected > 0 ? 100 * (row.found / row.expected - 1) : 0);
}

}  // namespace

int main(int argc, char** argv) try {
  const distributed::Environment environment = distributed::environment();
  const bool on_gpu = argc > 1 && std::string(argv[1]) == "cuda";
  const Device device = on_gpu ? Device::cuda(environment.local_rank) : Device::cpu();
  const distributed::ProcessGroup group = distributed::init(environment, {.device = device});
  constexpr std::int64_t width = 2048, batch = 512;
  constexpr int layers = 8;
  const auto used = [&](Purpose purpose) {
    return static_cast<double>(memory_stats(device).allocated_by[static_cast<int>(purpose)]);
  };
  double before[purpose_count];
  for (int i = 0; i < purpose_count; ++i) before[i] = used(static_cast<Purpose>(i));
  nn::Sequential net;
  for (int i = 0; i < layers; ++i) {
    net.push_back(nn::Linear({.in = width, .out = width}));
    net.push_back(nn::Tanh());
  }
  net.to(device);
  const double parameters = layers * (width * width + width) * 4.0;
  distributed::DistributedDataParallel parallel(net, group);
  optim::AdamW adam(net.parameters(), {.lr = 1e-4});
  const Tensor x = randn({batch, width}, {.device = device});
  for (int i = 0; i < 3; ++i) {
    adam.zero_grad();
    mean(net(x)).backward();
    adam.step();
  }
  const double idle = static_cast<double>(memory_stats(device).allocated);
  const Tensor loss = mean(net(x));
  const double activations = static_cast<double>(memory_stats(device).allocated) - idle;
  loss.backward();
  const auto found = [&](Purpose purpose) { return used(purpose) - before[static_cast<int>(purpose)]; };
  const double rest = idle - found(Purpose::gradients) - found(Purpose::optimizer_state);
  double start = 0;
  for (const double b : before) start += b;
  group.barrier();
  if (group.is_first()) {
    const double input = batch * width * 4.0;
    print({{"gradients", parameters, found(Purpose::gradients)},
           {"optimizer state", 2 * parameters, found(Purpose::optimizer_state)},
           {"communication, between steps", 0, found(Purpose::communication)},
           {"parameters and input", parameters + input, rest - start - found(Purpose::communication)},
           {"activations kept for backward (one per tanh)", layers * batch * width * 4.0, activations},
           {"all, with the forward's activations", 4 * parameters + input + layers * batch * width * 4.0,
            idle + activations - start}});
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "rank_memory: %s\n", error.what());
  return 1;
}
