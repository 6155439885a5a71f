#pragma once

#include <minima/io/text/json.h>
#include <minima/nn/module/module_base.h>
#include <minima/profiler/roofs/roof.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/system/processor_use.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// How trials are timed, where not by the clock: tests plant times, and `simulated/dryrun/predict_advice.h` predicts
/// those of a GPU that need not be there.
struct Stopwatch {
  /// Seconds that a call takes, whose work is on this device. Empty: the steady clock, with the device synchronised.
  Function<double(const Function<void()>& call, Device device)> seconds = {};
  Function<double(const Function<void()>& call)> busy = {};  ///< seconds that the GPU works; empty: unknown
  Roof gpu = {};                                             ///< of the GPU; zeros: unknown
  bool is_exact = false;  ///< every call takes the same time, so one is enough: a prediction
};

struct AdviceOptions {
  double seconds = 0.5;    ///< of each trial
  double min_gain = 1.05;  ///< a change that brings less is not advised
  std::int64_t largest_batch = 4096;
  std::int64_t memory_budget = 0;      ///< bytes that a step may take at most; 0: as many as it likes
  std::vector<std::string> only = {};  ///< names of rules; empty: all
  Stopwatch stopwatch = {};
  Roof roof = {};  ///< of this machine; zeros: measured, for a second or two
};

/// A change that was tried.
struct Trial {
  std::string rule = {};    ///< a name in `rules()`, or `loader`
  std::string change = {};  ///< the line to write
  double promised = 0;      ///< gain by the profile, before anything is tried; 0: the profile does not tell
  double before = 0;        ///< seconds of a sample, or of a batch from a loader
  double after = 0;
  double spread = 0;      ///< of the gain
  bool is_clear = false;  ///< the difference exceeds the spread
  bool is_advised = false;
  std::int64_t peak_before = 0, peak_after = 0;  ///< bytes, where the rule is about memory
  std::string note = {};                         ///< what ended a search, or an error

  /// How many times as fast; below 1 is slower.
  double gain() const { return after > 0 ? before / after : 0; }
};

/// Holds what was tried, the largest gain first.
struct Advice {
  std::vector<Trial> trials;
  bool is_predicted = false;  ///< by a dry run
  ProcessorUse processor;     ///< during the trials

  /// Numbered advice with the line to change, the gain promised and the one measured, with the times of a sample (of a
  /// loader: of a batch); then what was tried and does not help. It says so if other programs had much of the
  /// processor.
  MINIMA_API std::string text() const;
  /// {"predicted", "advice": [{"rule", "change", "promised", "gain", "spread", "clear", "before_us", "after_us",
  /// "peak_before", "peak_after", "advised", "note"}], "processor": {"cores", "usable",
  /// "share"}}
  MINIMA_API Json json() const;
  /// The first trial of a rule, or null.
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
/// docs/profiling.md lists the rules. A rule looks at a profile of the step first and may have nothing to try. Batches
/// grow by repetition along dimension 0, so a step must not depend on the number of samples. Parameters, buffers and
/// gradients are afterwards what they were; a step that also calls an optimizer changes the optimizer's state. On a GPU
/// the times are those of a synchronised step. Throws ValueError if the batch is empty.
MINIMA_API Advice advise(nn::ModuleBase& network, const Function<void(const std::vector<Tensor>&)>& step,
                         const std::vector<Tensor>& batch, const AdviceOptions& options = {});

/// How a loader prefetches.
struct LoaderSetting {
  int workers = 0;
  int prefetch = 2;
  bool operator==(const LoaderSetting&) const = default;
};
/// Holds the times of a loop over some batches, in seconds per batch.
struct LoaderTime {
  double seconds = 0;
  double waiting = 0;  ///< of them, for the loader
};

/// Tries numbers of workers, from 0 to one more than there are cores, and with the best of them to prefetch twice and
/// four times as many batches. `run` loads some batches and computes as long as your step does:
///
///     profiler::advise_loader([&](profiler::LoaderSetting setting) {
///       data::DataLoader loader(dataset, {.workers = setting.workers, .prefetch = setting.prefetch});
///       …
///     }, {.workers = 0});
///
/// The gain promised is that of a loop that never waits. Each setting is measured in turns with the present one.
MINIMA_API Advice advise_loader(const Function<LoaderTime(LoaderSetting)>& run, LoaderSetting now,
                                const AdviceOptions& options = {});

}  // namespace minima::profiler
