#pragma once

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
  int exit_code = -1;  ///< -1: by a signal, or it had to be ended
  bool hung = false;   ///< it was still there at the limit, and was ended
  std::string text;    ///< what it said: see Rank::say
  double seconds = 0;
};

/// What runs in a rank's process.
struct Rank {
  Environment environment;
  int pipe = -1;
  /// A line for the parent.
  void say(const std::string& text) const;
};

/// Processes that were started by fork(), each a rank of one world. The destructor leaves none behind.
class Processes {
 public:
  /// `main` may throw; the exception's text is then what the process says, and its exit code 1.
  Processes(int count, const Function<void(const Rank&)>& main);
  ~Processes();
  int id(int rank) const { return children_.at(static_cast<std::size_t>(rank)).id; }
  /// Waits until a rank says something.
  void hear(int rank, double limit);
  /// Processes that are children of ours and not waited for yet, after wait(): none unless a rank left some behind.
  int orphans() const;
  /// Waits for these, or all of them, at most so many seconds from the start, and ends those that are left.
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

/// Runs `body` in every rank's process with the joined group, and fails the test where one of them throws or hangs.
void run_processes(int count, const Function<void(ProcessGroup&)>& body, InitOptions options = {.timeout = 20});
/// The same with threads.
void run_threads(int count, const Function<void(ProcessGroup&)>& body);

/// In a process: what gtest's EXPECT would say; throws where `holds` is false.
void require(bool holds, const std::string& what);

}  // namespace minima::test
