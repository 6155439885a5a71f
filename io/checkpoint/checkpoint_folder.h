#pragma once

#include <minima/io/state.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minima {

struct CheckpointFolderOptions {
  int keep = 3;  ///< so many checkpoints, older ones are removed; 0 keeps all
};

/// The last checkpoints of a run: `step-0000001000.safetensors` and so on, and `latest.safetensors`, a link to the one
/// saved last.
///
///     CheckpointFolder checkpoints("runs/first", {.keep = 3});
///     if (auto found = checkpoints.load_latest()) resume(found->state);
///     …
///     checkpoints.save(step, state);
///
/// One process at a time may write. Whatever happens meanwhile, the folder holds whole checkpoints: first the new one
/// gets its name (see AtomicFile), then the link is replaced, and only then older ones go.
class MINIMA_API CheckpointFolder {
 public:
  /// Makes the folder if need be. Throws FileError, or ValueError for a negative `keep`.
  explicit CheckpointFolder(std::string folder, CheckpointFolderOptions options = {});

  /// Writes the checkpoint of a step (0 or more), replacing the one there may be, and removes all but the last `keep`
  /// up to this step. Those of later steps stay and do not count: a run that went back, or another one, left them.
  /// Throws FileError; what cannot be removed is no error and is tried again by the next save. Where the file system
  /// knows no links there is no `latest`.
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
  /// The checkpoint that `latest` names, or the last one without it; if that is damaged, the nearest earlier one that
  /// is whole, then later ones. What is passed over is in `skipped`, and a line on stderr names it and says why. None
  /// if the folder has no checkpoint; throws FormatError if it has some and none can be read.
  std::optional<Found> load_latest() const;

  /// The steps there are checkpoints of, in order.
  std::vector<std::int64_t> steps() const;
  /// Where the checkpoint of a step is or would be.
  std::string path(std::int64_t step) const;

 private:
  std::string folder_;
  CheckpointFolderOptions options_;
};

}  // namespace minima
