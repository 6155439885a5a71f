#pragma once

#include <minima/io/states/board.h>
#include <minima/io/states/saved_state.h>
#include <minima/io/states/state_parts.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minima {

/// Which states a StateFolder keeps, and how it writes them.
struct StateFolderOptions {
  int keep = 3;       ///< the last so many; 0 keeps all
  int keep_best = 0;  ///< besides, so many with the best metric
  bool maximize = false;
  std::int64_t keep_every = 0;  ///< besides, those whose step is a multiple of this, for ever; 0: none
  /// While a state is being written, `save` waits for it; with this it returns false instead.
  bool skip_when_busy = false;
  double bytes_per_second = 0;  ///< that a rank writes at most; 0: no limit
  int retries = 2;              ///< of a save that fails
  double retry_seconds = 1;     ///< before the first retry, doubled for each further one
  int give_up_after = 3;        ///< failed saves in a row, after which `save` throws; 0: never
  double timeout = 120;         ///< seconds to wait for another rank
  /// A second folder, on a slower disk than the first: rank 0 copies states there in a thread, once they are complete.
  /// Empty: none. A state that the next one overtakes is not copied; which copies are kept follows the same rules.
  std::string copy_to{};
};

struct SaveOptions {
  bool synchronous = false;  ///< returns when the state is durable; needs no memory for a snapshot
  double metric = std::numeric_limits<double>::quiet_NaN();  ///< for `keep_best`; the same on all ranks
};

/// How a save went.
struct SaveOutcome {
  std::int64_t step = -1;  ///< -1 if there was none
  bool saved = false;
  std::string error;           ///< of the last attempt, one line that names rank and path
  std::size_t bytes = 0;       ///< that this rank wrote
  double stop_seconds = 0;     ///< during which `save` held up its caller
  double durable_seconds = 0;  ///< from the call until the state was complete on disk
};

/// The states of a run on disk, written and read by all its ranks together.
///
///     StateFolder states("runs/a", {.keep = 3, .keep_every = 10000});
///     if (const auto found = states.load_newest()) net.load_state_dict(found->state.replicated("model"));
///     …
///     StateParts parts;
///     parts.replicated.add("model", net.state_dict());
///     states.save(step, parts);          // copies, and writes while training continues
///
/// A state is a folder, `step-0000001000`: a safetensors file for each rank and `index.json`. Every rank writes its
/// share of what is replicated and what it alone holds. Files are written under a hidden name, with checksums, and
/// flushed; when all ranks have done so, the first one writes the index, renames the folder and replaces the link
/// `latest`. Then it removes what is not to be kept. After a crash or a power loss at any point the folder holds
/// complete states only. A step that is saved again, after a run was rewound, replaces its state in the same way.
///
/// With `copy_to`, states are saved to a fast disk that all ranks see, and copied to a slower one while training
/// continues. States that the first disk lacks are read from the second.
///
/// `save`, `load_newest` and `load` are called by all ranks in the same order. One job at a time may write. In a forked
/// child, which lacks the thread, calls throw an Error. Folders of
/// CheckpointFolder can be read and go on.
class MINIMA_API StateFolder {
 public:
  /// Creates the folder if it does not exist. `board` is that of the ranks; without it there is one. Throws FileError,
  /// or ValueError for options out of range.
  explicit StateFolder(std::string folder, const StateFolderOptions& options = {}, Ref<detail::Board> board = {});
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;
  /// Waits until the state being written is complete and copied; after an exception not for other ranks.
  ~StateFolder();

  /// Allocates memory for a snapshot of this size, so that the first `save` does not. If there is none, says so on
  /// stderr; states are then written while `save` waits, through at most 64 MiB.
  void prepare(const StateParts& parts);

  /// Saves a state of a step (0 or more): copies what this rank writes, and writes it in a thread. False if it was
  /// skipped (see StateFolderOptions). Disks that are full or fail are no exception: the save is tried again and the
  /// outcome told by `poll` and on stderr; states saved before stay as they are. Throws ValueError for parts that
  /// cannot be saved, and FileError after `give_up_after` failures in a row.
  bool save(std::int64_t step, const StateParts& parts, SaveOptions options = {});
  /// Waits for the save in progress and returns its outcome, or that of the last one.
  SaveOutcome wait();
  /// The outcome of the last save that has ended.
  SaveOutcome poll() const;
  bool is_busy() const;

  /// A state that could not be read.
  struct Skipped {
    std::string path;
    std::string reason;
  };
  struct Found {
    SavedState state;
    std::vector<Skipped> skipped;  ///< tried before this one
  };
  /// Opens and verifies the state that `latest` names or, without it, the last one. A copy comes after the state of its
  /// step. If it is damaged or incomplete, tries earlier ones from the newest down, then later ones; skipped ones are
  /// told on stderr. All ranks get the same state, and each verifies a share of the files. Nothing if the folder has no
  /// state; throws FormatError if none can be read.
  std::optional<Found> load_newest();
  /// Opens and verifies the state of a step. Throws ValueError if there is none, FormatError if it is damaged.
  SavedState load(std::int64_t step);

  /// The steps that have states or copies, in ascending order.
  std::vector<std::int64_t> steps() const;
  /// The path of a step's state or its copy; throws ValueError if there is neither.
  std::string path(std::int64_t step) const;

 private:
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minima
