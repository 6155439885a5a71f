#include "options.h"

#include "../command_line.h"

std::optional<int> parse(int argc, char** argv, Options& options) {
  using command_line::at_least, command_line::between, command_line::positive;
  CLI::App app("Trains a ResNet and prints its speed: images per second, and FLOP/s relative to a matrix product.",
               "resnet");
  app.option_defaults()->always_capture_default();
  app.add_option("--depth", options.depth, "number of layers")->check(CLI::IsMember({18, 34, 50, 101, 152}));
  app.add_option("--batch-size", options.batch_size, "images per step and process (0: what fits --memory, at most 256)")
      ->check(at_least(0));
  app.add_option("--memory", options.memory, "such as 8GiB (0: the GPU's; on the CPU, a batch of 8)")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--budget", options.budget, "training memory, such as 8GiB; recomputes blocks as needed to fit")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--image-size", options.image_size, "height and width")->check(between(32, 4096));
  app.add_option("--classes", options.classes, "classes of the synthetic images")->check(at_least(1));
  app.add_option("--steps", options.steps,
                 "steps after the warmup, including those of earlier processes (0: 100 on a GPU, "
                 "5 on the CPU)")
      ->check(at_least(0));
  app.add_option("--warmup", options.warmup, "steps before the measured ones")->check(at_least(0));
  app.add_option("--peak", options.peak,
                 "TFLOP/s to compare the speed with, such as a data sheet's (0: measure a large matrix product)")
      ->check(at_least(0));
  app.add_option("--lr", options.lr, "learning rate of SGD")->check(positive());
  app.add_option("--momentum", options.momentum, "momentum of SGD")->check(between(0.0, 1.0));
  app.add_option("--weight-decay", options.weight_decay, "weight decay of SGD")->check(at_least(0));
  app.add_option("--amp", options.amp, "mixed precision; fp16 uses a loss scaler and needs a GPU")
      ->check(CLI::IsMember({"off", "bf16", "fp16"}));
  app.add_flag("--channels-last", options.channels_last, "store images in NHWC order");
  app.add_option("--workers", options.workers, "threads that read images")->check(at_least(0));
  app.add_option("--data", options.data,
                 "folder with one folder of JPEG or PNG images per class (default: synthetic images)");
  app.add_flag("--in-memory", options.in_memory,
               "keep the images in memory as uint8, and crop, flip and normalise batches on the device");
  command_line::add_run_options(app, options);
  command_line::add_resume_options(app, options);
  return command_line::parse(app, argc, argv);
}
