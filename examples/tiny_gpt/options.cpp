#include "options.h"

#include "../command_line.h"

std::optional<int> parse(int argc, char** argv, Options& options) {
  using command_line::at_least, command_line::between, command_line::positive;
  CLI::App app("Trains a small character-level GPT and prints a sample of its text.", "tiny_gpt");
  app.option_defaults()->always_capture_default();
  app.add_option("--depth", options.depth, "transformer blocks")->check(at_least(1));
  app.add_option("--width", options.width, "width of the residual stream; a multiple of --heads")->check(at_least(1));
  app.add_option("--heads", options.heads, "attention heads")->check(at_least(1));
  app.add_option("--context", options.context, "context length in characters")->check(at_least(1));
  app.add_option("--dropout", options.dropout, "dropout probability")->check(between(0.0, 0.9));
  app.add_option("--batch-size", options.batch_size, "sequences per step, over all processes")->check(at_least(1));
  app.add_option("--steps", options.steps, "training steps in total, including those of earlier processes")
      ->check(at_least(1));
  app.add_option("--lr", options.lr, "peak learning rate, after a warmup of 5% of the steps")->check(positive());
  app.add_option("--optimizer", options.optimizer, "optimizer")->check(CLI::IsMember({"adamw", "lion", "sgd"}));
  app.add_option("--amp", options.amp, "mixed precision")->check(CLI::IsMember({"off", "bf16"}));
  app.add_option("--text", options.text, "text file (default: the King James Bible from Debian's bible-kjv-text)");
  app.add_option("--vocabulary", options.vocabulary, "rows of the embedding, if more than the distinct characters")
      ->check(at_least(0));
  app.add_option("--shard", options.shard,
                 "processes share optimizer state (1), gradients (2) and weights (3); 0: each has all")
      ->check(CLI::Range(0, 3));
  app.add_flag("--checkpoint", options.checkpoint, "recompute blocks in backward to save memory");
  app.add_option("--budget", options.budget, "training memory, such as 64MiB; recomputes blocks as needed to fit")
      ->transform(CLI::AsSizeValue(false));
  app.add_flag("--capture", options.capture, "on a GPU: record a step as a CUDA graph and replay it");
  app.add_option("--sample", options.sample, "characters to generate at the end")->check(at_least(0));
  command_line::add_run_options(app, options);
  command_line::add_resume_options(app, options);
  return command_line::parse(app, argc, argv);
}
