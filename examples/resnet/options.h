#pragma once

#include "../run_options.h"

#include <optional>

struct Options : ResumableOptions {
  int depth = 50;
  std::int64_t batch_size = 0;  ///< per process; 0: what fits `memory`, at most 256
  std::int64_t memory = 0;      ///< bytes; 0: the GPU's; on the CPU, a batch of 8
  std::uint64_t budget = 0;     ///< training memory in bytes; 0: no limit
  std::int64_t image_size = 224;
  std::int64_t classes = 1000;  ///< of synthetic images; a folder defines its own
  std::int64_t steps = 0;       ///< measured steps; 0: 100 on a GPU, 5 on the CPU
  std::int64_t warmup = 3;      ///< steps before the clock starts
  double lr = 0.1, momentum = 0.9, weight_decay = 1e-4;
  double peak = 0;             ///< TFLOP/s to compare the speed with; 0: a large matrix product's
  int workers = 2;             ///< threads that read images
  std::string amp = "off";     ///< or bf16, fp16
  bool channels_last = false;  ///< NHWC memory order, which tensor cores prefer
  std::string data;            ///< folder with one folder of images per class; empty: synthetic images
  bool in_memory = false;      ///< keep uint8 images in memory; the device crops, flips and normalises batches
};

/// Parses the command line. Returns the exit code if the program should end.
std::optional<int> parse(int argc, char** argv, Options& options);
