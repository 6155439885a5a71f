#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

// Internal.

namespace minima::distributed::detail {

/// Records this process's last operations and writes them to a file when one fails.
class FlightRecorder {
 public:
  FlightRecorder(std::string folder, std::string job, int rank);
  /// Returns a number for `end`.
  std::uint64_t begin(const std::string& group, std::int64_t sequence, const std::string& operation);
  void end(std::uint64_t number, const char* state);
  /// Writes a JSON file and returns its path; empty on error. Only the first failure is written. Without a folder it
  /// goes to minima-UID in the system's folder for temporary files, which only this user can read.
  std::string write(const std::string& failure) noexcept;

 private:
  struct Record {
    std::uint64_t number = 0;
    std::string group, operation;
    std::int64_t sequence = 0;
    double start = 0, end = 0;  ///< seconds since the epoch
    const char* state = "running";
  };
  static constexpr std::size_t kept = 64;

  std::string folder_, job_;
  int rank_;
  std::mutex mutex_;
  std::array<Record, kept> records_;
  std::uint64_t next_ = 1;
  std::string written_;
};

/// Records in the file MINIMA_FAILURE_FILE, if set, that this process failed because of others: the steady clock's time
/// and the missing ranks. scripts/launch uses it to find the rank that failed first.
void tell_launcher(const std::vector<int>& missing) noexcept;

}  // namespace minima::distributed::detail
