// Trains a Fourier neural operator to solve Darcy's equation. `--help` lists the flags. Ctrl-C ends training early.

#include "../run.h"
#include "../run_events.h"
#include "../run_monitor.h"
#include "../step_profile.h"
#include "darcy.h"
#include "network.h"
#include "options.h"
#include "report.h"

#include <minima/tensor/base/format.h>
#include <minima/train/interrupt.h>

#include <filesystem>

using namespace minima;

namespace {

/// The mean over fields of |u - target| / |target|, Euclidean norms.
Tensor relative_error(const Tensor& u, const Tensor& target) {
  const auto norm = [](const Tensor& x) { return sqrt(sum(square(x), {1, 2, 3})); };
  return mean(norm(u - target) / norm(target));
}

/// The equation is the same for all eight symmetries of the square.
void turn(Tensor& x, std::int64_t side) {
  if (side & 1) x = flip(x, {2});
  if (side & 2) x = flip(x, {3});
  if (side & 4) x = transpose(x, 2, 3);
}

/// Fields that the network has not seen, on the device.
struct Test {
  DarcyFields fields;

  Test(const Options& options, std::int64_t size, Device device)
      : fields(make_darcy_fields(options.held_out, size, options.seed + 1)) {
    fields.a = fields.a.to(device), fields.u = fields.u.to(device);
  }
  Tensor predicted(FourierNeuralOperator& network) const {
    Inference guard;
    std::vector<Tensor> parts;
    for (const Tensor& a : split(fields.a, 50)) parts.push_back(network(a));
    return cat(parts, 0);
  }
  double error(FourierNeuralOperator& network) const {
    return relative_error(predicted(network), fields.u).item<double>();
  }
};

/// Returns false if Ctrl-C ended it early.
bool fit(FourierNeuralOperator& network, const Options& options, const Test& test, Device device) {
  Interrupt interrupt;
  const DarcyFields fields = make_darcy_fields(options.fields, options.size, options.seed);
  data::DataLoader loader(data::TensorDataset(fields.a, fields.u),
                          {.batch_size = options.batch_size, .shuffle = true, .seed = options.seed, .device = device});
  optim::AdamW optimizer(network.parameters(), {.lr = options.lr, .weight_decay = 1e-4});
  const auto schedule = optim::schedules::cosine(options.epochs * loader.batches());
  StepProfile profile(options, network);
  RunMonitor monitor("fno", options, device, options.epochs * loader.batches(), true);
  RunEvents events(
      options, true,
      {{"lr", options.lr}, {"modes", options.modes}, {"channels", options.channels}, {"seed", options.seed}},
      {"test/error"});
  std::int64_t steps = 0;
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    Progress progress(options.fields, {.label = str("epoch ", epoch, "/", options.epochs), .unit = "field"});
    RunningMean error;
    for (auto& [a, u] : loader) {
      turn(a, steps % 8), turn(u, steps % 8);
      optimizer.set_lr(schedule(steps, options.lr));
      optimizer.zero_grad();
      const Tensor loss = relative_error(network(a), u);
      loss.backward();
      optimizer.step();
      error.add(loss.detach());
      events.loss(steps++, loss);
      profile.step();
      monitor.step(steps, events);
      progress.advance(a.size(0),
                       progress.is_due() ? monitor.text(steps, error.value(), str("error ", error.value())) : "");
      if (interrupt.requested()) break;
    }
    progress.finish();
    const double held_out = test.error(network);
    events.scalar("test/error", held_out, steps);
    std::printf("epoch %d/%d  training error %.4f  held-out error %.4f\n", epoch, options.epochs, error.value(),
                held_out);
    std::fflush(stdout);
    if (interrupt.requested()) break;
  }
  profile.finish(monitor.pictures());
  events.finish(!interrupt.requested());
  return !interrupt.requested();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const std::optional<int> exit_code = parse(argc, argv, options)) return *exit_code;
  return run("fno", options, [&](Device device, const distributed::ProcessGroup& group) {
    if (group.size() > 1) throw ValueError("fno trains in one process");
    std::filesystem::create_directories(options.out);
    print_device("training", device, group);
    FourierNeuralOperator network(options.channels, options.modes, options.layers);
    network.to(device);
    const Test test(options, options.size, device);
    const bool finished = fit(network, options, test, device);
    save(options.out + "/network.safetensors", network.state_dict());
    write_file(options.out + "/fields.svg", fields_svg(test.fields, test.predicted(network)));
    std::printf("network and picture: %s\n", options.out.c_str());
    print_device("trained", device, group);
    std::printf("held-out error %.4f; on fields of %lld x %lld cells %.4f\n", test.error(network),
                static_cast<long long>(2 * options.size), static_cast<long long>(2 * options.size),
                Test(options, 2 * options.size, device).error(network));
    return finished ? 0 : 130;
  });
}
