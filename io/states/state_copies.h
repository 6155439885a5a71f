#pragma once

#include <minima/io/states/state_folder.h>
#include <minima/tensor/base/api.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace minima::detail {

/// Copies a state of the folder `from` to options.copy_to, and removes what is not to be kept there. Throws FileError
/// or FormatError; then the copies are as they were.
MINIMA_API void copy_state(const std::string& from, const std::string& name, const StateFolderOptions& options,
                           std::map<std::string, double>& metrics);

/// Copies the states of a folder to another one, on a slower disk, in a thread. A state that a newer one overtakes
/// before its turn is left out. Copies are written as states are: flushed before they are seen, `latest` last. An error
/// is told on stderr and tried again; states and copies that were there before stay as they are.
class MINIMA_API StateCopies {
 public:
  /// Copies from `from` to options.copy_to, which is created if it does not exist. Throws FileError.
  StateCopies(std::string from, const StateFolderOptions& options);
  StateCopies(const StateCopies&) = delete;
  StateCopies& operator=(const StateCopies&) = delete;
  /// Waits until the newest state is copied, which is told if it takes long.
  ~StateCopies();

  /// Copies the state of this name next.
  void offer(const std::string& name);

 private:
  void run() noexcept;
  void copy_or_tell(const std::string& name);
  bool has_next() const;

  std::string from_;
  StateFolderOptions options_;
  std::map<std::string, double> metrics_;  ///< of copies; the thread's own
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable has_ended_;
  std::string next_;         ///< guarded, as is the next
  bool is_running_ = false;  ///< the thread will look at `next_` once more
};

}  // namespace minima::detail
