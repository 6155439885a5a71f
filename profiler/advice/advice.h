#pragma once

#include <minima/io/text/json.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

struct AdviceOptions {
  double seconds = 0.5;      ///< of each trial
  double least_gain = 1.05;  ///< a change that brings less is not advised
  std::int64_t largest_batch = 4096;
};

/// A change that was tried.
struct Trial {
  std::string rule = {};    ///< `autocast`, `channels_last`, `batch size`, `one thread` or `workers`
  std::string change = {};  ///< the line to write
  double before = 0;        ///< seconds of a sample, or of a batch from a loader
  double after = 0;
  bool is_advised = false;
  std::string note = {};  ///< what ended a search, or an error

  /// How many times as fast; below 1 is slower.
  double gain() const { return after > 0 ? before / after : 0; }
};

/// What was tried, the largest gain first.
struct Advice {
  std::vector<Trial> trials;

  /// Numbered advice with the line to change and the gain measured, then what was tried and does not help.
  MINIMA_API std::string text() const;
  /// {"advice": [{"rule", "change", "gain", "before_us", "after_us", "advised", "note"}]}
  MINIMA_API Json json() const;
  /// The trial of a rule, or null.
  MINIMA_API const Trial* find(const std::string& rule) const;
};

/// Tries what might make a training step faster, and measures each change against the unchanged step, in turns:
///
///     const auto step = [&](const std::vector<Tensor>& batch) {
///       network.zero_grad();
///       cross_entropy(network(batch[0]), batch[1]).backward();
///     };
///     std::puts(profiler::advise(network, step, {x, y}).text().c_str());
///
/// autocast to bfloat16; channels_last, if a tensor of the batch has four dimensions and several channels; one thread;
/// batches twice as large as long as a sample gets faster, up to the memory limit. Batches grow by repetition along
/// dimension 0, so a step must not depend on the number of samples. Parameters, buffers and gradients are afterwards
/// what they were; a step that also calls an optimizer changes the optimizer's state. On a GPU the times are those of
/// a synchronised step. Throws ValueError if the batch is empty.
MINIMA_API Advice advise(nn::ModuleBase& network, const Function<void(const std::vector<Tensor>&)>& step,
                         const std::vector<Tensor>& batch, const AdviceOptions& options = {});

/// Tries numbers of workers: `seconds_of_a_batch` loads some batches with so many and returns the time that a loop
/// which computes as long as yours took for each. Tries 0 to the number of cores, and one more.
///
///     profiler::advise_workers([&](int workers) { … data::DataLoader loader(dataset, {.workers = workers}); … }, 0);
MINIMA_API Advice advise_workers(const Function<double(int workers)>& seconds_of_a_batch, int workers_now,
                                 const AdviceOptions& options = {});

}  // namespace minima::profiler
