#pragma once

#include <minima/io/state.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minima {

struct CheckpointFolderOptions {
  int keep = 3;  ///< number of checkpoints to keep; 0 keeps all
};

/// The most recent checkpoints of a run: `step-0000001000.safetensors` and so on, and `latest.safetensors`, a link to
/// the one saved last.
///
///     CheckpointFolder checkpoints("runs/first", {.keep = 3});
///     if (auto found = checkpoints.load_latest()) resume(found->state);
///     …
///     checkpoints.save(step, state);
///
/// One process at a time may write. A crash at any point leaves only complete checkpoints: `save` writes the new one
/// (see AtomicFile), then replaces the link, then removes old ones.
class MINIMA_API CheckpointFolder {
 public:
  /// Creates the folder if it does not exist. Throws FileError, or ValueError for a negative `keep`.
  explicit CheckpointFolder(std::string folder, CheckpointFolderOptions options = {});

  /// Writes or replaces the checkpoint of a step (0 or more), then removes all but the last `keep` up to this step.
  /// Checkpoints of later steps, left by a run that was rewound, stay and do not count. Throws FileError. A failed
  /// removal is not an error; the next save tries again. On file systems without symbolic links there is no `latest`.
  void save(std::int64_t step, const State& state);

  /// A checkpoint that could not be read.
  struct Skipped {
    std::string path;
    std::string reason;
  };
  struct Found {
    State state;
    std::int64_t step = 0;
    std::string path;
    std::vector<Skipped> skipped;  ///< tried before this one
  };
  /// Loads the checkpoint that `latest` names or, without it, the last one. If that is damaged, does not fit in memory
  /// or was removed meanwhile, tries earlier ones from the newest down, then later ones. Skipped checkpoints are in
  /// `skipped` and reported on stderr. Returns nothing if the folder has no checkpoint; throws FormatError if none of
  /// its checkpoints can be read.
  std::optional<Found> load_latest() const;

  /// The steps that have checkpoints, in ascending order.
  std::vector<std::int64_t> steps() const;
  /// The path for the checkpoint of a step, whether it exists or not.
  std::string path(std::int64_t step) const;

 private:
  std::optional<Found> load_latest_of(std::vector<std::int64_t> steps) const;

  std::string folder_;
  CheckpointFolderOptions options_;
};

}  // namespace minima
