#pragma once

#include <minima/io/states/state_folder.h>
#include <minima/train/early_stopping.h>
#include <minima/train/run/agreement.h>
#include <minima/train/run/pace.h>
#include <minima/train/run/replica_check.h>
#include <minima/train/run/run.h>
#include <minima/train/signal_watch.h>

#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minima::train {

/// Internal.
struct Run::Impl {
  struct Part {
    std::string name;
    detail::RunPart object;
  };

  Impl(const std::string& folder, const distributed::ProcessGroup& group, const RunOptions& options);

  bool is_first() const { return board->rank() == 0; }
  /// A line on stderr, from rank 0.
  void tell(const std::string& text) const;
  /// Tells what this rank wants; called by a thread of the agreement.
  detail::Due wish() const;
  double seconds() const;  ///< since the construction

  // run_save.cpp
  void name_parameters();
  detail::NamedTensors replicas() const;
  void check_replicas();
  StateParts parts();
  State own_values() const;
  /// Whether the last loss is finite on all ranks, or there is none.
  bool is_good();
  /// False if the state was not saved.
  bool save(bool waits, double metric);
  void tell_costs() const;
  void note_progress();
  std::vector<std::string> log_sizes() const;

  // run_resume.cpp
  void compare(const SavedState& saved) const;
  std::vector<std::string> missing_parts(const SavedState& saved) const;
  std::vector<std::string> changed_dtypes(const SavedState& saved) const;
  void load(const SavedState& saved);
  void load_part(const Part& part, const SavedState& saved) const;
  void load_own(const Part& part, const SavedState& saved) const;
  void cut_logs(const State& values) const;
  void tell_of_lost_steps() const;
  /// Loads the newest state but for positions. False if there is none.
  bool rewind();

  std::string path;
  distributed::ProcessGroup group;
  RunOptions options;
  Ref<minima::detail::Board> board;
  StateFolder folder;
  std::vector<Part> objects;
  std::vector<std::string> logs;
  State config, notes;
  detail::LossGuard guard;
  Best best;
  std::shared_ptr<minima::detail::SignalWatch> signals;
  std::optional<detail::Pace> pace;
  const pid_t process = ::getpid();
  std::optional<detail::Agreement> agreement;  ///< from the first step on

  std::int64_t steps = 0, steps_here = 0, saved_step = -1;
  std::int64_t saves = 0;
  double stopped_seconds = 0;  ///< by saves
  double start_seconds = 0;    ///< until the first step was done
  Tensor last_loss;
  bool has_accepted = false, has_started = false;
  int exit_code = 0;
  std::string reason;
  std::int64_t began = 0, told_progress = 0;  ///< nanoseconds
  std::atomic<double> last_save{0};           ///< seconds since the construction
  std::atomic<double> save_seconds{0};        ///< of the last save, until it was on disk
};

}  // namespace minima::train
