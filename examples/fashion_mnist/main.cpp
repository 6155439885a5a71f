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
    const Device device = options.device.empty() ? default_device() : parse_device(options.device);
    Trainer trainer(options, device);
    trainer.run();

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
