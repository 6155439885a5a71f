#include "options.h"

#include "../command_line.h"

std::optional<int> parse(int argc, char** argv, Options& options) {
  using command_line::at_least, command_line::between, command_line::positive;
  CLI::App app("Trains a language model on a text, from its tokenizer to samples. --depth sets the rest.", "gpt");
  Dial& dial = options.dial;
  app.option_defaults()->always_capture_default();
  app.add_option("--depth", dial.depth, "transformer blocks; width, heads, rates, batch and steps follow")
      ->check(at_least(1));
  app.add_option("--model", dial.model, "architecture")->check(CLI::IsMember({"llama", "gpt2"}));
  auto* const text =
      app.add_option("--text", options.text, "text file (default: the King James Bible from Debian's bible-kjv-text)");
  app.add_option(
         "--documents", options.documents,
         "text files of documents, such as 'stories/*.txt', which are packed into rows without seeing each other")
      ->excludes(text);
  app.add_option("--separator", options.separator,
                 "the text between documents, in which \\n ends a line; '' makes each file a document");
  app.add_option("--vocabulary", dial.vocabulary, "tokens of the tokenizer, which is trained on the text")
      ->check(at_least(257));
  app.add_option("--length", dial.length, "tokens of a row")->check(at_least(1));
  app.add_option("--tokens-per-parameter", dial.tokens_per_parameter, "decides the steps")->check(positive());
  app.add_option("--steps", dial.steps, "in its place")->default_str("")->check(at_least(1));
  app.add_option("--tokens-per-step", dial.tokens_per_step,
                 "over all processes (default: for 300 steps or more; with --steps one pass)")
      ->default_str("")
      ->check(at_least(1));
  app.add_option("--rows", dial.rows, "rows that pass at once; a step of more accumulates gradients")
      ->check(at_least(1));
  app.add_option("--optimizer", dial.optimizer, "muon for hidden matrices and adamw for the rest, or adamw for all")
      ->check(CLI::IsMember({"muon", "adamw"}));
  app.add_option("--lr", dial.lr, "peak rate of adamw")->default_str("")->check(positive());
  app.add_option("--matrix-lr", dial.matrix_lr, "peak rate of muon")->default_str("")->check(positive());
  app.add_option("--weight-decay", dial.weight_decay, "of matrices")->check(at_least(0));
  app.add_option("--z-loss", dial.z_loss, "factor of the squared logarithm of softmax's sum, which training adds")
      ->check(at_least(0));
  app.add_option("--ema", options.ema, "decay of a moving average of the weights, which then is validated and saved")
      ->check(between(0.0, 0.99999));
  app.add_option("--schedule", dial.schedule, "after the warm-up: cosine, or steady and a linear end")
      ->check(CLI::IsMember({"cosine", "wsd"}));
  app.add_option("--dropout", dial.dropout, "of gpt2")->check(between(0.0, 0.9));
  app.add_option("--amp", options.amp, "mixed precision")->check(CLI::IsMember({"off", "bf16"}));
  app.add_option("--shard", options.shard, "processes share optimizer state (1), gradients (2) and weights (3)")
      ->check(CLI::Range(0, 3));
  app.add_flag("--checkpoint", options.checkpoint, "recompute blocks in backward to save memory");
  app.add_option("--budget", options.budget, "training memory, such as 64MiB; recomputes blocks as needed to fit")
      ->transform(CLI::AsSizeValue(false));
  app.add_flag("--capture", options.capture,
               "on a GPU, with --optimizer adamw: record a step as a CUDA graph and replay it");
  app.add_option("--out", options.out, "folder for weights, tokenizer and curve.svg");
  app.add_option("--log-every", options.log_every, "steps between lines")->check(at_least(1));
  app.add_option("--statistics", options.statistics,
                 "measure activations, gradients and updates by layer in every so many steps: into the log, "
                 "--tensorboard and statistics.svg")
      ->default_str("")
      ->check(at_least(1));
  app.add_option("--validations", options.validations, "how often the validation loss is computed")->check(at_least(1));
  app.add_option("--prompt", options.prompt, "what samples begin with");
  app.add_option("--sample", options.sample, "tokens of a sample")->check(at_least(0));
  app.add_option("--temperature", options.temperature, "of samples")->check(at_least(0));
  app.add_option("--top-p", options.top_p, "of samples")->check(between(0.001, 1));
  app.add_option("--chat", options.chat, "talk to the model in this folder instead of training");
  app.add_option("--dump", options.dump,
                 "also write tokens, batches and first weights, for other programs, into this folder");
  command_line::add_run_options(app, options);
  command_line::add_resume_options(app, options);
  return command_line::parse(app, argc, argv);
}
