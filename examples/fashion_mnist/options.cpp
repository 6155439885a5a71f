#include "options.h"

#include "recipe.h"

#include "../command_line.h"

bool parse(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app("Trains a small convolutional network on Fashion-MNIST.", "fashion_mnist");
  app.option_defaults()->always_capture_default();
  app.add_option("--epochs", options.epochs, "passes over the training set")->check(command_line::at_least(1));
  app.add_option("--batch-size", options.batch_size, "images per step, of all processes together")
      ->check(command_line::at_least(1));
  app.add_option("--lr", options.lr, "learning rate, the largest of the schedule")->check(command_line::positive());
  app.add_option("--optimizer", options.optimizer,
                 "what takes the steps; the others want other learning rates than adamw")
      ->check(CLI::IsMember(optimizer_names()));
  app.add_option("--schedule", options.schedule, "of the learning rate; step: each epoch takes 0.8 of the one before")
      ->check(CLI::IsMember(schedule_names()));
  app.add_option("--amp", options.amp, "mixed precision; fp16 with a loss scaler, on a GPU alone")
      ->check(CLI::IsMember({"off", "bf16", "fp16"}));
  app.add_flag("--checkpoint", options.checkpoint,
               "compute convolutions again for the gradient instead of keeping their results");
  app.add_option("--budget", options.budget, "memory to train in, such as 64MiB, the data set left out")
      ->transform(CLI::AsSizeValue(false));
  app.add_flag("--capture", options.capture, "on a GPU: record a step once and replay it");
  app.add_option("--threads", options.threads, "threads to compute with (0: one per core)")
      ->check(command_line::at_least(0));
  app.add_option("--device", options.device,
                 "cpu, cuda or cuda:N (default: the first GPU, the CPU where there is none)");
  app.add_option("--seed", options.seed, "seed of weights, order and dropout");
  app.add_option("--data", options.data, "folder of the four IDX files, plain or .gz (default: Debian's package)");
  app.add_option("--out", options.out, "folder for log.csv, learning_curve.svg and misclassified.svg");
  app.add_option("--save", options.save,
                 "file for everything that resuming needs, written after every epoch (safetensors)");
  app.add_option("--resume", options.resume, "continue from such a file");
  app.add_flag("--plain", options.plain, "leave out batch norm and dropout");
  app.add_option("--loss-log", options.loss_log, "CSV file for the loss of every step");
  app.add_option("--max-steps", options.max_steps, "stop after so many steps in all (0: do not)")
      ->check(command_line::at_least(0));
  if (!command_line::parse(app, argc, argv, exit_code)) return false;
  options.resume_command = command_line::resume_command(argc, argv, options.state_file());
  return true;
}
