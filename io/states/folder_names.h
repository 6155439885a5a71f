#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

// The names in a folder of states: `step-0000001000`, `step-0000001000.2` for a step that was saved once more,
// `step-0000001000.safetensors` for a single file, `latest`, a link, and `.step-….tmp` for what is being written or
// removed.

namespace minima::detail {

struct MINIMA_API StateName {
  std::int64_t step = 0;
  int attempt = 1;
  bool is_file = false;
  std::string name;

  /// Newer ones are greater; a folder is newer than a file of its step.
  bool operator<(const StateName& other) const;
};

/// The states in a folder, in ascending order. Throws FileError.
MINIMA_API std::vector<StateName> list_states(const std::string& folder);
/// The path of the newest state of a step; empty if there is none.
std::string path_of_step(const std::string& folder, std::int64_t step);
/// A name that is not in the list.
StateName new_name(std::int64_t step, const std::vector<StateName>& existing);
/// The name of what is written for a while: `.step-0000001000.ID.tmp`.
std::string temporary_name(std::int64_t step, const std::string& id);

/// The step of a state by its path; -1 if its name is none of these.
std::int64_t step_by_name(const std::string& path);
/// The name that `latest` points to; empty without it.
MINIMA_API std::string latest_name(const std::string& folder);
/// Replaces the link and flushes the folder. Does nothing where there are no symbolic links.
void point_latest(const std::string& folder, const std::string& name);

/// Creates a folder; one that exists is right. Throws FileError.
void make_folder(const std::string& path);
/// Removes a folder of files, or a file. Renames it first, unless its name is temporary, so that none is seen that is
/// removed in part. Failures are ignored: what is left goes with the next call of remove_temporaries.
void remove_state(const std::string& folder, const std::string& name) noexcept;
/// Removes what killed runs have left.
void remove_temporaries(const std::string& folder) noexcept;

}  // namespace minima::detail
