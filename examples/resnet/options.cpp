#include "options.h"

#include "../command_line.h"

bool parse(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app("Trains a ResNet and says how fast: images per second and the share of a matrix product's speed.",
               "resnet");
  app.option_defaults()->always_capture_default();
  app.add_option("--depth", options.depth, "18, 34, 50, 101 or 152")->check(CLI::IsMember({18, 34, 50, 101, 152}));
  app.add_option("--batch-size", options.batch_size, "images per step (0: 256 on a GPU, 8 on the CPU)")
      ->check(command_line::at_least(0));
  app.add_option("--image-size", options.image_size, "height and width")->check(command_line::between(32, 4096));
  app.add_option("--classes", options.classes, "of synthetic images")->check(command_line::at_least(1));
  app.add_option("--steps", options.steps, "steps that are measured (0: 100 on a GPU, 5 on the CPU)")
      ->check(command_line::at_least(0));
  app.add_option("--warmup", options.warmup, "steps before them")->check(command_line::at_least(0));
  app.add_option("--lr", options.lr, "learning rate of SGD")->check(command_line::positive());
  app.add_option("--momentum", options.momentum)->check(command_line::between(0.0, 1.0));
  app.add_option("--weight-decay", options.weight_decay)->check(command_line::at_least(0));
  app.add_option("--amp", options.amp, "mixed precision; fp16 with a loss scaler, on a GPU alone")
      ->check(CLI::IsMember({"off", "bf16", "fp16"}));
  app.add_flag("--channels-last", options.channels_last, "images in NHWC order in memory");
  app.add_option("--threads", options.threads, "threads to compute with (0: one per core)")
      ->check(command_line::at_least(0));
  app.add_option("--workers", options.workers, "threads that read images")->check(command_line::at_least(0));
  app.add_option("--seed", options.seed, "seed of weights, images and order");
  app.add_option("--device", options.device,
                 "cpu, cuda or cuda:N (default: the first GPU, the CPU where there is none)");
  app.add_option("--data", options.data,
                 "folder with a folder of JPEG or PNG images per class (default: synthetic images)");
  return command_line::parse(app, argc, argv, exit_code);
}
