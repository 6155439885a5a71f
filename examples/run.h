#pragma once

// The common parts of the examples: the body of main, mixed precision, and the run that is saved.

#include "run_options.h"

#include <minima/distributed/distributed.h>
#include <minima/minima.h>
#include <minima/train/run/run.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

/// The body of main: calls `int train(Device, ProcessGroup)` and returns its exit code. Prints an exception as one line
/// on standard error and returns 2.
template <class Train>
int run(const char* program, const RunOptions& options, Train train) {
  using namespace minima;
  try {
    if (options.threads > 0) set_num_threads(options.threads);
    deterministic(options.deterministic);
    manual_seed(options.seed);
    // One of several processes if started by scripts/launch, torchrun, srun or mpirun.
    const distributed::Environment environment = distributed::environment();
    const Device device =
        options.device.empty() ? distributed::local_device(environment) : parse_device(options.device);
    const distributed::ProcessGroup group = distributed::init(environment, {.device = device});
    return train(device, group);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  }
}

/// Prints `training on …` or `trained on …`, why not on a GPU, and the seed; on the first rank only.
inline void print_device(const char* verb, minima::Device device, const minima::distributed::ProcessGroup& group) {
  if (!group.is_first()) return;
  std::printf("%s on %s\nseed %llu\n", verb, minima::describe_device(device).c_str(),
              static_cast<unsigned long long>(minima::initial_seed()));
  std::fflush(stdout);
}

/// The autocast options for `--amp off`, `bf16` or `fp16`. Throws ValueError for fp16 on the CPU.
inline minima::amp::AutocastOptions autocast_for(const std::string& amp, minima::Device device) {
  if (amp == "off") return {.enabled = false};
  if (amp == "bf16") return {.dtype = minima::bfloat16};
  if (device.is_cpu())
    throw minima::ValueError("--amp fp16 needs a GPU; on the CPU use bf16, which needs no loss scaler");
  return {.dtype = minima::float16};
}

/// The run in the folder --run; none without. Ctrl-C and SIGTERM then save the state.
inline void open_run(std::optional<minima::train::Run>& run, const ResumableOptions& options,
                     const minima::distributed::ProcessGroup& group) {
  if (options.run.empty()) return;
  run.emplace(
      options.run, group,
      minima::train::RunOptions{.every = options.save_every, .max_time = options.max_time, .force = options.force});
  if (!options.loss_log.empty()) run->add_log(options.loss_log);
}
