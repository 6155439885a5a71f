#pragma once

#include "simulated/machine/cost.h"

#include <driver_types.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace simulated {

/// A range that work may touch.
struct Access {
  const char* address = nullptr;
  std::size_t bytes = 0;
};

struct Task;
using TaskRef = std::shared_ptr<Task>;

/// A piece of work that a GPU does when its turn comes: a copy, a kernel. Without `run` and `begin` it only marks a
/// place in the order.
struct Work {
  std::string name{};
  int device = 0;
  std::vector<Access> accesses{};
  Cost cost{};                         ///< what it uses
  double seconds = 0;                  ///< how long it would take; computed where there is a cost
  double gap = 0;                      ///< seconds before it starts
  Label label{};                       ///< who asked for it
  std::uint64_t node = 0, launch = 0;  ///< of a graph: which node of the process this is, and which launch
  std::function<void()> run{};
  std::function<void(const TaskRef&)> begin{};  ///< instead of `run`, for work that lasts until Schedule::end
};

/// Thrown by work: the device fails with this error.
struct DeviceFault {
  cudaError_t error;
  std::string text{};  ///< printed
};

/// Work that was submitted.
struct Task {
  Work work;
  bool done = false;
  int waits_for = 0;             ///< tasks that must be done first
  std::vector<Task*> followers;  ///< tasks that wait for it
  double begin = 0, end = 0;     ///< seconds on the simulated clock
};

/// Submitted work and what it waits for. Whenever something runs, a seeded generator picks it among all that may run
/// next, so that every order that CUDA allows comes up for some seed, and one seed gives one order.
class Schedule {
 public:
  /// `mutex` is held during all calls.
  Schedule(std::uint64_t seed, std::mutex& mutex) : mutex_(mutex) { reseed(seed); }
  void reseed(std::uint64_t seed);

  TaskRef add(Work work, std::span<const TaskRef> after, double now);
  /// Runs work until the task is done.
  void finish(const TaskRef& task);
  /// The end of work that has begun and waited for something outside this machine.
  void end(const TaskRef& task);
  /// Lets other threads call until something has changed.
  void wait() { changed.wait(mutex_); }
  /// Runs work until none of the device is left.
  void finish_device(int device);
  /// Runs a few pieces of work or none: few for some seeds, most for others.
  void advance();
  /// For queries, whose callers may ask until work is done: runs a piece of work every other time.
  void nudge();
  /// True with this probability.
  bool chance(double probability) { return std::uniform_real_distribution<>()(random_) < probability; }
  /// From now on only marks run: no arithmetic, no copies.
  void set_dry(bool dry) { dry_ = dry; }
  bool dry() const { return dry_; }
  /// Drops everything that has not run, as after an error that ends all work.
  void drop();

  /// Work that has not run and may touch the range; null if there is none.
  const Task* find_pending(const char* address, std::size_t bytes) const;
  std::size_t pending() const { return pending_.size(); }
  /// The same of one device.
  std::size_t pending_of(int device) const { return pending_of_.contains(device) ? pending_of_.at(device) : 0; }
  /// The error that running work ended with, once; cudaSuccess if there was none.
  cudaError_t take_fault();

  std::condition_variable_any changed;  ///< work was submitted or is done

 private:
  void run_one();
  void run_next();
  void complete(Task& task);

  std::mutex& mutex_;
  std::mt19937_64 random_;
  double eagerness_ = 0;  ///< the probability that another piece of work runs in advance()
  std::unordered_map<Task*, TaskRef> pending_;
  std::map<int, std::size_t> pending_of_;  ///< by device
  std::vector<Task*> ready_;
  cudaError_t fault_ = cudaSuccess;
  bool dry_ = false;
};

/// Whether this thread runs a piece of work at the moment, and which.
const Work* running_work();

}  // namespace simulated
