#include <minima/profiler/advice/advice.h>
#include <minima/profiler/advice/comparison.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

namespace minima::profiler {

Advice advise_loader(const Function<LoaderTime(LoaderSetting)>& run, LoaderSetting now, const AdviceOptions& options) {
  if (now.workers < 0 || now.prefetch < 1)
    throw ValueError(
        str("advise_loader: workers is ", now.workers, " and prefetch ", now.prefetch, "; expected at least 0 and 1"));
  const ProcessorMeter meter;
  const LoaderTime first = run(now);
  const double promised = first.waiting < first.seconds ? first.seconds / (first.seconds - first.waiting) : 0;
  const auto attempt = [&](LoaderSetting setting) {
    std::vector<double> before, after;
    double spent = 0;
    while (spent < options.seconds || before.size() < 8) {
      before.push_back(run(now).seconds);
      after.push_back(run(setting).seconds);
      spent += std::max(before.back() + after.back(), 1e-6);
      if (options.stopwatch.is_exact) break;
    }
    Comparison comparison = compare_turns(before, after);
    if (options.stopwatch.is_exact) comparison.is_clear = true;
    Trial trial{.rule = "loader",
                .change = str(".workers = ", setting.workers, ", .prefetch = ", setting.prefetch),
                .promised = promised,
                .before = comparison.before,
                .after = comparison.after,
                .spread = comparison.spread,
                .is_clear = comparison.is_clear};
    trial.is_advised = trial.is_clear && trial.gain() >= options.min_gain;
    return trial;
  };
  Trial best;
  LoaderSetting chosen = now;
  // More workers and batches take memory and cores, so each further one must be worth it.
  const auto consider = [&](LoaderSetting setting) {
    if (setting == now) return;
    Trial trial = attempt(setting);
    if (best.after > 0 && best.after / trial.after < options.min_gain) return;
    if (trial.is_advised) chosen = setting;
    best = std::move(trial);
  };
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int workers = 0; workers <= cores + 1; ++workers) consider({workers, now.prefetch});
  for (const int times : {2, 4})
    if (chosen.workers > 0) consider({chosen.workers, now.prefetch * times});
  Advice advice;
  advice.trials.push_back(std::move(best));
  advice.processor = meter.use();
  return advice;
}

}  // namespace minima::profiler
