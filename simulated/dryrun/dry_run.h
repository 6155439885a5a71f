#pragma once

#include "simulated/census/census.h"

#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace simulated {

/// A report of what one step asks of a GPU. Times are predictions by simulated/machine/time_model.h, not measurements.
struct DryRunReport {
  /// A slower path that ran in place of a library's, or a library's own.
  struct Fallback {
    std::string op, module, kernel, why;
    std::int64_t count = 0;
  };

  std::string gpu;
  double predicted_ms = 0;    ///< from the first call to the end of the last kernel
  double gpu_ms = 0;          ///< kernels, copies and library calls, without gaps
  double host_ms = 0;         ///< the host's calls of CUDA; what the program itself computes is not in it
  double program_ms = 0;      ///< that, if DryRun::program_ms has been asked for it
  std::int64_t launches = 0;  ///< kernels, library calls, copies and fills
  double bytes = 0, flops = 0;
  std::int64_t peak_bytes = 0;  ///< of all steps, the warm-up and a capture included
  std::array<std::int64_t, minima::purpose_count>
      peak_by{};  ///< by purpose, when the most was allocated; parameters and gradients are the network's
  std::int64_t layout_copies = 0, casts = 0;
  std::int64_t strided_loops = 0;      ///< element by element, with strides or mixed dtypes
  std::int64_t one_thread_grids = 0;   ///< grids of at most a warp
  std::int64_t uncounted_kernels = 0;  ///< launches whose loads and instructions are assumed (kernel_counts.h)
  std::int64_t synchronisations = 0, allocations = 0, page_moves = 0;
  std::int64_t calls = 0;  ///< of the runtime, the driver and libraries
  std::vector<Fallback> fallbacks;

  std::vector<Piece> pieces;          ///< in the order of submission
  std::vector<CallCount> host_calls;  ///< by function and operator
};

/// Runs a training step on a simulated GPU without computing anything, and reports what it would ask of a real one:
/// does it fit, how long would it take, what costs most? Memory is reserved but not committed, so models of any size
/// run in seconds. The program must be linked to minima's build for simulated GPUs, with
/// MINIMA_SIMULATED_GPUS=1xRTX4090 or the like in its environment.
///
///     simulated::DryRun dry(Device::cuda());
///     simulated::DryRunReport report = dry.run(network, [&] {
///       optimizer.zero_grad();
///       Tensor loss = cross_entropy(network(x), y);
///       loss.backward();
///       optimizer.step();
///       return loss;
///     });
///     std::puts(text_report(report).c_str());
///
/// Values do not exist. A step may read the loss that it returned before, which is 1, and what `will_read` announced;
/// reading anything else throws an Error that names the operator. One at a time, on one thread.
class DryRun {
 public:
  /// All work on the device is dry while this exists.
  explicit DryRun(minima::Device device);
  ~DryRun();
  DryRun(const DryRun&) = delete;

  /// From now on x, with one element, reads as `value` as long as it keeps its memory.
  static void will_read(const minima::Tensor& x, double value);

  /// Calls step() until caches, plans and graphs are warm, then reports another call. Throws OutOfMemoryError if the
  /// step does not fit.
  DryRunReport run(minima::nn::ModuleBase& network, const minima::Function<minima::Tensor()>& step, int warmup = 5);

  /// The milliseconds that a step, after such a run, takes between its calls of CUDA. They are measured on this
  /// machine, not predicted: the least of the steps that fit into 50 ms, since other programs are in the way.
  double program_ms(const minima::Function<minima::Tensor()>& step);

 private:
  /// The loss reads as 1 in the next step.
  void announce(const minima::Tensor& loss) const;

  minima::Device device_;
};

}  // namespace simulated
