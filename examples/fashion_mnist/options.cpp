#include "options.h"

#include "recipe.h"

#include "../command_line.h"

std::optional<int> parse(int argc, char** argv, Options& options) {
  using command_line::at_least, command_line::positive;
  CLI::App app("Trains a small convolutional network on Fashion-MNIST.", "fashion_mnist");
  app.option_defaults()->always_capture_default();
  app.add_option("--epochs", options.epochs, "passes over the training set")->check(at_least(1));
  app.add_option("--batch-size", options.batch_size, "images per step, over all processes")->check(at_least(1));
  app.add_option("--lr", options.lr, "peak learning rate")->check(positive());
  app.add_option("--optimizer", options.optimizer, "optimizer; the default --lr suits adamw")
      ->check(CLI::IsMember(optimizer_names()));
  app.add_option("--schedule", options.schedule, "learning-rate schedule; step: times 0.8 after each epoch")
      ->check(CLI::IsMember(schedule_names()));
  app.add_option("--amp", options.amp, "mixed precision; fp16 uses a loss scaler and needs a GPU")
      ->check(CLI::IsMember({"off", "bf16", "fp16"}));
  app.add_option("--loss-scale", options.loss_scale, "loss scale that --amp fp16 begins with")->check(positive());
  app.add_flag("--checkpoint", options.checkpoint, "recompute convolutions in backward to save memory");
  app.add_option("--budget", options.budget, "training memory, such as 64MiB, excluding the data set")
      ->transform(CLI::AsSizeValue(false));
  app.add_flag("--capture", options.capture, "on a GPU: record a step as a CUDA graph and replay it");
  app.add_option("--data", options.data, "folder of the four IDX files, plain or .gz (default: Debian's package)");
  app.add_option("--out", options.out, "folder for log.csv, learning_curve.svg and misclassified.svg");
  app.add_flag("--plain", options.plain, "leave out batch norm and dropout");
  command_line::add_run_options(app, options);
  command_line::add_resume_options(app, options);
  return command_line::parse(app, argc, argv);
}
