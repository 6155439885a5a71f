#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

// Internal.

namespace minima::distributed::detail {

/// Remembers the last operations of this process and writes them down when one fails.
class FlightRecorder {
 public:
  FlightRecorder(std::string folder, std::string job, int rank);
  /// Returns a number for `end`.
  std::uint64_t begin(const std::string& group, std::int64_t sequence, const std::string& operation);
  void end(std::uint64_t number, const char* state);
  /// A JSON file; returns its path, empty where it could not be written. Keeps what an earlier failure wrote.
  std::string write(const std::string& failure) noexcept;

 private:
  struct Entry {
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
  std::array<Entry, kept> entries_;
  std::uint64_t next_ = 1;
  std::string written_;
};

/// Writes into the file that MINIMA_FAILURE_FILE names, if it is set, that this process failed because of others: the
/// time of the steady clock, and the ranks that are missing. By it scripts/launch tells the cause from its victims.
void tell_launcher(const std::vector<int>& missing) noexcept;

}  // namespace minima::distributed::detail
