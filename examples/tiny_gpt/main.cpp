// Trains a small character-level GPT within a memory budget and samples from it. `--help` lists the flags.

#include "../run.h"
#include "trainer.h"

int main(int argc, char** argv) {
  using namespace minima;
  Options options;
  if (const std::optional<int> exit_code = parse(argc, argv, options)) return *exit_code;
  return run("tiny_gpt", options, [&](Device device, const distributed::ProcessGroup& group) {
    Trainer trainer(options, device, group);
    print_device("training", device, group);
    if (!trainer.train()) return trainer.exit_code();
    trainer.gather_weights();
    if (group.is_first()) {
      trainer.report();
      print_device("trained", device, group);
      const std::string sample = options.sample > 0 ? trainer.sample(options.sample) : "";
      if (options.sample > 0) std::printf("%s\n", sample.c_str());
      trainer.finish_events(sample);
    }
    return 0;
  });
}
