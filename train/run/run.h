#pragma once

#include <minima/distributed/process_group.h>
#include <minima/io/state.h>
#include <minima/train/run/loss_guard.h>
#include <minima/train/run/run_options.h>
#include <minima/train/run/run_part.h>

#include <cstdint>
#include <memory>
#include <string>

namespace minima::train {

/// A training run that survives its process: saves all that was added to it into a folder, and resumes from there.
///
///     train::Run run("runs/a", group, {.keep = 3, .every = 600s, .max_time = 4h});
///     run.add("model", net), run.add("optimizer", optimizer), run.add("loader", loader), run.add("scaler", scaler);
///     run.add("random", default_generator());
///     run.config("batch size", 64), run.config("precision", "bf16");
///     run.resume();                                // the newest complete state, if there is one
///     while (loader.epoch() < epochs)
///       for (auto& [x, y] : loader) {
///         Tensor loss = step(x, y);
///         if (!run.step(loss)) return run.exit_code();
///       }
///     return run.finish();
///
/// All ranks make the same calls in the same order. Objects are referred to, so they must outlive the run. What is
/// added must be equal on all ranks, with these exceptions, of which each rank saves its own: generators, metrics with
/// sums, and optim::Accumulation. On another number of ranks, each takes over the sums of some of the former ones, a
/// generator resumes where that of the same rank stopped, or as the program has seeded it, and an accumulation starts a
/// new step. Objects of your own with `sums()` and `set_sums(sums)` count as metrics; `add_own` adds others that
/// differ.
///
/// SIGTERM, SIGINT, SIGUSR1 and `max_time` save after the same step on all ranks, which they agree on through the job's
/// store; no step waits for that. A second SIGINT ends the process at once. Messages go to stderr, from rank 0.
///
/// Created and destroyed by the main thread, by the thread that calls `step`.
class MINIMA_API Run {
 public:
  /// Creates the folder if it does not exist. Throws FileError, or ValueError for an option out of range.
  Run(const std::string& folder, const distributed::ProcessGroup& group, const RunOptions& options = {});
  /// A run of one process.
  explicit Run(const std::string& folder, const RunOptions& options = {});
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  /// Waits until the last state is on disk, and saves nothing.
  ~Run();

  /// Adds an object with `state_dict` and `load_state_dict`, a random generator, or a number or text of the program.
  /// Throws ValueError for a name that is taken, empty or `run`, or has a dot, and after `resume`.
  template <class T>
  void add(const std::string& name, T& object) {
    add_part(name, detail::part_of(object));
  }
  /// The same for an object that each rank has in another state. At another number of ranks it is not loaded.
  template <class T>
  void add_own(const std::string& name, T& object) {
    detail::RunPart part = detail::part_of(object);
    part.is_own = true;
    add_part(name, static_cast<detail::RunPart&&>(part));
  }
  /// The same for a generator that is in one state on all ranks, such as that of batches of which each rank takes its
  /// share: ranks that were not there before get it, too. A save whose ranks differ in it fails and names it.
  void add_equal(const std::string& name, RandomGenerator& generator);
  /// Adds a log, such as CsvWriter's, by its path: a resumed run cuts off what was written after the state was saved.
  /// Open logs after `resume`, for appending. Rank 0 looks after them; others may call it, too.
  void add_log(const std::string& path);

  /// Stores a setting of the program. Resuming with another value is an error unless RunOptions::force.
  void config(const std::string& name, const std::string& value);
  void config(const std::string& name, const char* value) { config(name, std::string(value)); }
  void config(const std::string& name, double value);
  template <class T>
  requires std::is_integral_v<T> void config(const std::string& name, T value) {
    if constexpr (std::is_same_v<T, bool>) config(name, value ? "true" : "false");
    else config_number(name, static_cast<std::int64_t>(value));
  }
  /// Stores a setting that does not change the result. Resuming with another value is told.
  void note(const std::string& name, const std::string& value);

  /// Loads the newest complete state; damaged ones are skipped with the reason. False if the folder has none. What
  /// differs from the saved run is told: command, commit, host, number of ranks. Throws ValueError, without having
  /// changed anything, if a setting, the seed or a parameter's dtype differs or the state lacks a part, unless
  /// RunOptions::force; then the part keeps its state.
  bool resume();

  /// Whether this step is to be taken, by RunOptions::loss. Call it before backward:
  ///
  ///     if (run.accept(loss)) loss.backward(), optimizer.step();
  ///
  /// The ranks' mean loss decides, so all get the same answer: one small all-reduce, and it synchronises with the
  /// device. Does neither if all rules are `ignore`.
  bool accept(const Tensor& loss);
  /// Tells that a step is done, and saves if a save is due. False if the run is to stop, which then is saved. A state
  /// whose loss is not finite is not saved; the loss is read only then. Throws DistributedError if the ranks cannot
  /// agree, FileError after several failed saves, Error where parameters differ over the ranks (check_replicas), and
  /// ValueError if there are rules for losses but `accept` was not asked.
  bool step(const Tensor& loss = {});
  /// Saves now; for the end of an epoch.
  void save();
  /// Saves now with this metric, the same on all ranks, by which RunOptions::keep_best chooses. True if it is the best
  /// so far.
  bool record(double metric);
  /// Saves the last state, unless that has been saved, and waits until it is on disk. Returns the exit code.
  int finish();

  /// The number of steps, those before `resume` included.
  std::int64_t steps() const;
  /// 0 while the run has not been told to stop; 75 (EX_TEMPFAIL: start me again) after SIGTERM, SIGUSR1 and max_time;
  /// 130 after SIGINT; 1 if a bad loss stopped the run, or it could not be saved.
  int exit_code() const;
  /// Why the run stopped: `SIGTERM`, `max_time`, `loss nan`; empty if it did not.
  const std::string& reason() const;
  /// How many losses were bad.
  const LossCounts& losses() const;
  /// The product of the factors by which lower_rate has lowered the rates. A program that sets rates itself multiplies
  /// them by this.
  double rate() const;

 private:
  struct Impl;
  void add_part(const std::string& name, detail::RunPart part);
  void config_number(const std::string& name, std::int64_t value);

  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minima::train
