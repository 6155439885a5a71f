// Trains a convolutional network on Fashion-MNIST; the README's quick start. `--help` lists the flags.

#include "report.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  using namespace minima;
  Options options;
  int exit_code = 0;
  if (!parse(argc, argv, options, exit_code)) return exit_code;
  try {
    if (options.threads > 0) set_num_threads(options.threads);
    manual_seed(options.seed);
    // Started by scripts/launch, torchrun, srun or mpirun this is one of several processes.
    const distributed::Environment environment = distributed::environment();
    const Device device =
        options.device.empty() ? distributed::local_device(environment) : parse_device(options.device);
    const distributed::ProcessGroup group = distributed::init(environment, {.device = device});
    Trainer trainer(options, device, group);
    if (!trainer.run()) return trainer.exit_code();
    if (!group.is_first()) return 0;
    std::printf("%s", trainer.memory_report().c_str());

    const data::LabelledImages test = data::FashionMnist::test(options.data);
    const Evaluation evaluation = evaluate(trainer.network(), test.images, test.labels);
    draw_misclassified(options, test, evaluation);
    std::printf("log, learning curve and misclassified images: %s\n", options.out.c_str());
    std::printf("test accuracy %.4f\n", evaluation.accuracy);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fashion_mnist: %s\n", error.what());
    return 2;
  }
  return 0;
}
