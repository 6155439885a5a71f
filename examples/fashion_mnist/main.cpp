// Trains a convolutional network on Fashion-MNIST; the README's quick start. `--help` lists the flags.

#include "../run.h"
#include "report.h"

using namespace minima;

namespace {

void report_test(const Options& options, Device device, Trainer& trainer) {
  const data::LabelledImages test = data::FashionMnist::test(options.data);
  const Evaluation evaluation = evaluate(trainer.network(), test.images, test.labels);
  draw_misclassified(options, test, evaluation);
  std::printf("trained on %s\n", describe(device, options).c_str());
  std::printf("log, learning curve and misclassified images: %s\n", options.out.c_str());
  std::printf("test accuracy %.4f\n", evaluation.accuracy);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const std::optional<int> exit_code = parse(argc, argv, options)) return *exit_code;
  return run("fashion_mnist", options, [&](Device device, const distributed::ProcessGroup& group) {
    Trainer trainer(options, device, group);
    if (!trainer.run()) return trainer.exit_code();
    if (group.is_first()) {
      std::printf("%s", trainer.memory_report().c_str());
      report_test(options, device, trainer);
    }
    return 0;
  });
}
