#pragma once

#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/init.h>
#include <minima/tensor/base/function.h>

#include <string>
#include <vector>

namespace minima::test {

using distributed::Environment;
using distributed::InitOptions;
using distributed::ProcessGroup;

/// A port that was free a moment ago.
int free_port();

/// How a process ended.
struct Outcome {
  int exit_code = -1;  ///< -1: ended by a signal
  bool hung = false;   ///< killed at the time limit
  std::string text;    ///< its lines: see Rank::say
  double seconds = 0;
};

/// A rank's process.
struct Rank {
  Environment environment;
  int pipe = -1;
  /// A line for the parent.
  void say(const std::string& text) const;
};

/// Processes started by fork(), each a rank of one world. The destructor kills those that still run.
class Processes {
 public:
  /// If `main` throws, the process reports the exception's text and exits with 1.
  Processes(int count, const Function<void(const Rank&)>& main);
  ~Processes();
  int id(int rank) const { return children_.at(static_cast<std::size_t>(rank)).id; }
  /// Waits for a line from a rank.
  void wait_for_line(int rank, double limit);
  /// The number of children left after wait(): 0 unless a rank left orphans.
  int orphans() const;
  /// Waits for these, or all, up to a limit in seconds from the start, and kills those that still run.
  std::vector<Outcome> wait(double limit, const std::vector<int>& ranks = {});

 private:
  struct Child {
    int id = 0, pipe = -1;
    bool has_ended = false;
    Outcome outcome;
  };
  void collect(Child& child);

  std::vector<Child> children_;
  double start_;
};

/// Runs `body` in every rank's process with the joined group, and fails the test if one throws or hangs.
void run_processes(int count, const Function<void(ProcessGroup&)>& body, InitOptions options = {.timeout = 20});
/// The same with threads.
void run_threads(int count, const Function<void(ProcessGroup&)>& body);

/// EXPECT for child processes: throws unless `holds`.
void require(bool holds, const std::string& what);

}  // namespace minima::test

/// At the start of a test that runs processes.
#if defined(__SANITIZE_THREAD__)
#define SKIP_WITHOUT_PROCESSES GTEST_SKIP() << "the thread sanitizer does not follow threads of a forked child"
#else
#define SKIP_WITHOUT_PROCESSES \
  if (!minima::distributed::detail::has_gloo()) GTEST_SKIP() << "built without Gloo"
#endif
