// Trains a convolutional network on Fashion-MNIST; the README's quick start. `--help` lists the flags.

#include "../run.h"
#include "report.h"

using namespace minima;

namespace {

void report_test(const Options& options, Trainer& trainer) {
  const data::LabelledImages test = data::FashionMnist::test(options.data);
  const Evaluation evaluation = evaluate(trainer.network(), test.images, test.labels);
  draw_misclassified(options, test, evaluation);
  trainer.events().scalar("test/accuracy", evaluation.accuracy, trainer.steps());
  trainer.events().image("test/misclassified", trainer.steps(), [&] { return misclassified(test, evaluation, 36); });
  trainer.events().finish(true);
  std::printf("log, learning curve and misclassified images: %s\n", options.out.c_str());
  std::printf("test accuracy %.4f\n", evaluation.accuracy);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const std::optional<int> exit_code = parse(argc, argv, options)) return *exit_code;
  return run("fashion_mnist", options, [&](Device device, const distributed::ProcessGroup& group) {
    Trainer trainer(options, device, group);
    print_device("training", device, group);
    if (!trainer.train()) return trainer.exit_code();
    if (group.is_first()) {
      std::printf("%s", trainer.memory_report().c_str());
      print_device("trained", device, group);
      report_test(options, trainer);
    }
    return 0;
  });
}
