#pragma once

#include <cstdint>
#include <string>

struct Options {
  int depth = 50;
  std::int64_t batch_size = 0;  ///< 0: 256 on a GPU, 8 on the CPU
  std::int64_t image_size = 224;
  std::int64_t classes = 1000;  ///< of synthetic images; a folder knows its own
  std::int64_t steps = 0;       ///< 0: 100 on a GPU, 5 on the CPU
  std::int64_t warmup = 3;      ///< steps before the clock starts
  double lr = 0.1, momentum = 0.9, weight_decay = 1e-4;
  int threads = 0;             ///< to compute with; 0: all cores
  int workers = 2;             ///< threads that read images
  std::string amp = "off";     ///< or bf16, fp16
  bool channels_last = false;  ///< images in NHWC order, which tensor cores want
  std::uint64_t seed = 1;
  std::string device;  ///< cpu, cuda, cuda:1; empty: the first GPU, and the CPU where there is none
  std::string data;    ///< folder of images, a folder per class; empty: synthetic images
};

/// Reads the command line. Returns false, with the exit code, where the program is to end at once.
bool parse(int argc, char** argv, Options& options, int& exit_code);
