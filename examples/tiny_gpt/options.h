#pragma once

#include "../run_options.h"

#include <optional>

struct Options : ResumableOptions {
  std::int64_t depth = 4;    ///< transformer blocks
  std::int64_t width = 128;  ///< of the residual stream
  std::int64_t heads = 4;
  std::int64_t context = 128;  ///< characters
  double dropout = 0.1;
  std::int64_t batch_size = 16;  ///< over all processes
  std::int64_t steps = 300;
  double lr = 1e-3;
  std::string optimizer = "adamw";
  std::string amp = "off";      ///< or bf16
  std::string text;             ///< text file; empty: Debian's King James Bible
  std::int64_t vocabulary = 0;  ///< rows of the embedding; at least the number of distinct characters
  int shard = 0;                ///< share weights among processes: ZeRO's stage; 0: each has all
  bool checkpoint = false;      ///< recompute every block in backward
  std::uint64_t budget = 0;     ///< training memory in bytes; 0: no limit
  bool capture = false;         ///< record a step as a CUDA graph and replay it
  std::int64_t sample = 300;    ///< characters to generate at the end
};

/// Parses the command line. Returns the exit code if the program should end.
std::optional<int> parse(int argc, char** argv, Options& options);
