// Trains a language model on a text: tokenizer, network, training, samples, conversation. `--help` lists the flags.

#include "../run.h"
#include "samples.h"
#include "trainer.h"

int main(int argc, char** argv) {
  using namespace minima;
  Options options;
  if (const std::optional<int> exit_code = parse(argc, argv, options)) return *exit_code;
  return run("gpt", options, [&](Device device, const distributed::ProcessGroup& group) {
    if (!options.chat.empty()) {
      chat(options, device);
      return 0;
    }
    print_device("training", device, group);
    Trainer trainer(options, device, group);
    if (options.sample > 0) encode_prompt(trainer.tokenizer(), options);  // a prompt that is too long is an error now
    if (!trainer.train()) return trainer.exit_code();
    if (!group.is_first()) return 0;
    trainer.report();
    print_device("trained", device, group);
    trainer.finish_events(options.sample > 0 ? print_sample(trainer.network(), trainer.tokenizer(), options) : "");
    return 0;
  });
}
