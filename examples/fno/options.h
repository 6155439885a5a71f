#pragma once

#include "../run_options.h"

#include <optional>

struct Options : RunOptions {
  std::int64_t fields = 1000;   ///< to train on
  std::int64_t held_out = 200;  ///< to test on
  std::int64_t size = 32;       ///< cells along a side
  int epochs = 30;
  std::int64_t batch_size = 20;
  double lr = 2e-3;  ///< at the beginning; follows a cosine to 0
  std::int64_t channels = 32, modes = 8, layers = 4;
  std::string out = "runs/fno";  ///< folder for fields.svg and network.safetensors
};

/// Parses the command line. Returns the exit code if the program should end.
std::optional<int> parse(int argc, char** argv, Options& options);
