#pragma once

#include <cstdint>
#include <string>

struct Options {
  std::int64_t depth = 4;    ///< blocks
  std::int64_t width = 128;  ///< of the residual stream
  std::int64_t heads = 4;
  std::int64_t context = 128;  ///< characters that a prediction sees
  double dropout = 0.1;
  std::int64_t batch_size = 16;
  std::int64_t steps = 300;
  double lr = 1e-3;
  std::string optimizer = "adamw";
  std::string amp = "off";      ///< or bf16
  std::string text;             ///< a file; empty: Debian's King James Bible
  std::int64_t vocabulary = 0;  ///< rows of the embedding, if more than the text has characters
  bool checkpoint = false;      ///< every block
  std::uint64_t budget = 0;     ///< bytes; 0: none
  bool capture = false;
  std::int64_t sample = 300;  ///< characters at the end
  int threads = 0;
  std::string device;
  std::uint64_t seed = 1;
  std::string save;    ///< state is written here at the end
  std::string resume;  ///< state to continue from

  std::string state_file() const { return save.empty() ? "tiny_gpt-interrupted.safetensors" : save; }
  std::string resume_command;  ///< the command as it was typed, but resuming from `state_file()`
};

/// Reads the command line. Returns false, with the exit code, where the program is to end at once.
bool parse(int argc, char** argv, Options& options, int& exit_code);
