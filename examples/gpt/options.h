#pragma once

#include "../run_options.h"
#include "recipe.h"

#include <cstdint>
#include <optional>
#include <string>

struct Options : ResumableOptions {
  Dial dial;
  std::string text;                         ///< file; empty: Debian's King James Bible
  std::string documents;                    ///< files of documents to pack, in place of one text; patterns name several
  std::string separator = "<|endoftext|>";  ///< between documents, with \\n for the end of a line; empty: a file is one
  std::string amp = "off";
  int shard = 0;                 ///< what processes share: optimizer state (1), gradients (2), weights (3)
  bool checkpoint = false;       ///< recompute every block in backward
  std::uint64_t budget = 0;      ///< training memory in bytes; 0: no limit
  bool capture = false;          ///< record a step as a CUDA graph and replay it
  double ema = 0;                ///< decay of the weights' moving average, which is validated and saved; 0: none
  std::string out = "gpt";       ///< folder for weights, tokenizer and curve
  std::int64_t log_every = 10;   ///< steps
  std::int64_t statistics = 0;   ///< steps from one whose activations, gradients and updates are measured to the next
  std::int64_t validations = 6;  ///< in all, the last one over the whole text
  std::int64_t sample = 120;     ///< tokens at the end
  std::string prompt = "In the beginning";
  std::string chat;  ///< folder of a trained model to talk to, in place of training
  double temperature = 0.8, top_p = 0.95;
  std::string dump;  ///< folder for tokens, batches and first weights, for other programs
};

/// Parses the command line. Returns the exit code if the program should end.
std::optional<int> parse(int argc, char** argv, Options& options);
