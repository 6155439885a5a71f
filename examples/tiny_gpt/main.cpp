// Trains a small GPT on the characters of a text, in as much memory as it is given. `--help` lists the flags.

#include "trainer.h"

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
    trainer.report();
    if (options.sample > 0) std::printf("%s\n", trainer.sample(options.sample).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tiny_gpt: %s\n", error.what());
    return 2;
  }
  return 0;
}
