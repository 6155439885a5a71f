#pragma once

#include "../run_options.h"

#include <optional>

struct Options : ResumableOptions {
  int epochs = 3;
  std::int64_t batch_size = 64;  ///< over all processes
  double lr = 1e-3;
  std::string optimizer = "adamw";
  std::string schedule = "step";           ///< learning-rate schedule over all epochs
  std::string amp = "off";                 ///< or bf16, fp16
  double loss_scale = 65536;               ///< of the first step with fp16
  bool checkpoint = false;                 ///< recompute the stages in backward
  std::uint64_t budget = 0;                ///< training memory in bytes; 0: no limit
  bool capture = false;                    ///< record a step as a CUDA graph and replay it
  std::string data;                        ///< folder of the four IDX files; empty: Debian's package
  std::string out = "runs/fashion_mnist";  ///< folder for the log and pictures
  bool plain = false;                      ///< no batch norm, no dropout
};

/// Parses the command line. Returns the exit code if the program should end.
std::optional<int> parse(int argc, char** argv, Options& options);
