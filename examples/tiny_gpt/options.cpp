#include "options.h"

#include "../command_line.h"

bool parse(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app("Trains a small GPT on the characters of a text and prints what it makes up afterwards.", "tiny_gpt");
  app.option_defaults()->always_capture_default();
  app.add_option("--depth", options.depth, "transformer blocks")->check(command_line::at_least(1));
  app.add_option("--width", options.width, "of the residual stream; a multiple of --heads")
      ->check(command_line::at_least(1));
  app.add_option("--heads", options.heads, "of attention")->check(command_line::at_least(1));
  app.add_option("--context", options.context, "characters that a prediction sees")->check(command_line::at_least(1));
  app.add_option("--dropout", options.dropout)->check(command_line::between(0.0, 0.9));
  app.add_option("--batch-size", options.batch_size, "pieces of text per step")->check(command_line::at_least(1));
  app.add_option("--steps", options.steps)->check(command_line::at_least(1));
  app.add_option("--lr", options.lr, "learning rate, reached after a twentieth of the steps")
      ->check(command_line::positive());
  app.add_option("--optimizer", options.optimizer)->check(CLI::IsMember({"adamw", "lion", "sgd"}));
  app.add_option("--amp", options.amp, "mixed precision")->check(CLI::IsMember({"off", "bf16"}));
  app.add_option("--text", options.text, "a file (default: the King James Bible of Debian's bible-kjv-text)");
  app.add_option("--vocabulary", options.vocabulary, "rows of the embedding, if more than the text has characters")
      ->check(command_line::at_least(0));
  app.add_flag("--checkpoint", options.checkpoint,
               "blocks keep their inputs alone and are computed again for the gradient");
  app.add_option("--budget", options.budget, "memory to train in, such as 64MiB: blocks are kept or recomputed as fits")
      ->transform(CLI::AsSizeValue(false));
  app.add_flag("--capture", options.capture, "on a GPU: record a step once and replay it");
  app.add_option("--sample", options.sample, "characters to make up at the end")->check(command_line::at_least(0));
  app.add_option("--threads", options.threads, "threads to compute with (0: one per core)")
      ->check(command_line::at_least(0));
  app.add_option("--device", options.device,
                 "cpu, cuda or cuda:N (default: the first GPU, the CPU where there is none)");
  app.add_option("--seed", options.seed, "seed of weights, batches, dropout and sample");
  app.add_option("--save", options.save, "file for everything that resuming needs, written at the end (safetensors)");
  app.add_option("--resume", options.resume, "continue from such a file, up to --steps in all");
  if (!command_line::parse(app, argc, argv, exit_code)) return false;
  options.resume_command = command_line::resume_command(argc, argv, options.state_file());
  return true;
}
