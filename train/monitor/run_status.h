#pragma once

#include <minima/train/monitor/machine_sample.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::train {

/// Describes a run, in its own words, for `minima-top`.
struct RunStatus {
  std::string name;  ///< of the program or the run
  std::int64_t process = 0;
  std::string device;                ///< `cpu`, `cuda:0`
  std::int64_t step = 0, steps = 0;  ///< done, and in all; 0: unknown
  double loss = 0;
  double rate = 0;     ///< steps per second, lately
  double seconds = 0;  ///< since the start
  std::string alert;   ///< the last one
  MachineSample machine = {};
};

/// Where runs of this user leave their status: $XDG_RUNTIME_DIR/minima, or minima-UID in the system's temporary folder.
MINIMA_API std::string status_folder();
/// Writes the status into a file of the folder that only its user can read, atomically. Creates the folder, which
/// becomes private; throws FileError if it is a link or another user's.
MINIMA_API void write_status(const RunStatus& status, const std::string& folder = status_folder());
MINIMA_API void remove_status(std::int64_t process, const std::string& folder = status_folder());
/// The runs whose processes live, as their files PID.json say. Links, files and folders of other users, files of more
/// than a megabyte and what cannot be read are left out; files of processes that have ended are removed. Texts are as
/// the files have them: print them with detail::printable.
MINIMA_API std::vector<RunStatus> running(const std::string& folder = status_folder());

}  // namespace minima::train
