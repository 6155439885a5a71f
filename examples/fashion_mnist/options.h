#pragma once

#include <cstdint>
#include <string>

struct Options {
  int epochs = 3;
  std::int64_t batch_size = 64;  ///< of all processes together
  double lr = 1e-3;
  std::string optimizer = "adamw";
  std::string schedule = "step";  ///< of the learning rate, over all epochs
  std::string amp = "off";        ///< or bf16, fp16
  bool checkpoint = false;        ///< stages are computed again for the gradient
  std::uint64_t budget = 0;       ///< bytes to train in; 0: no limit
  bool capture = false;           ///< on a GPU: record a step once and replay it
  int threads = 0;                ///< 0: all cores
  std::string device;             ///< cpu, cuda, cuda:1; empty: the first GPU, and the CPU where there is none
  std::uint64_t seed = 1;
  std::string data;                        ///< folder of the four IDX files; empty: Debian's
  std::string out = "runs/fashion_mnist";  ///< folder of log and pictures
  std::string save;                        ///< state is written here after every epoch and at the end
  std::string resume;                      ///< state to go on from
  bool plain = false;                      ///< no batch norm, no dropout
  std::string loss_log;                    ///< file for the loss of every step
  std::int64_t max_steps = 0;              ///< stop after so many steps in all, within an epoch; 0: do not

  std::string state_file() const { return save.empty() ? out + "/interrupted.safetensors" : save; }
  std::string resume_command;  ///< the command as it was typed, but resuming from `state_file()`
};

/// Reads the command line. Returns false, with the exit code, where the program is to end at once.
bool parse(int argc, char** argv, Options& options, int& exit_code);
