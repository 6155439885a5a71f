#pragma once

#include <minima/io/states/board.h>
#include <minima/tensor/base/function.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace minima::train::detail {

/// Names what is to be done after a step. Where ranks want different things, the largest is done.
enum class Due : std::uint8_t { nothing, save, time_is_up, warned, terminated, interrupted };

/// Lets the ranks of a job agree on a step after which all of them do something, without a message per step and however
/// far apart they are.
///
/// A thread on each rank looks at the board every few tens of milliseconds. If any rank wants something, each promises
/// not to go past the step it is in without knowing the decision, and writes that step's number on the board. Rank 0
/// decides for the largest of these numbers, which no rank can have passed. The threads answer while the training
/// threads compute or wait, so that a promise delays a rank by a look at the board at most.
class MINIMA_API Agreement {
 public:
  /// `wish` says what this rank wants now; the thread calls it. `done` is the number of steps so far, equal on all
  /// ranks.
  Agreement(Ref<minima::detail::Board> board, std::int64_t done, double timeout, Function<Due()> wish);
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  /// Tells the others that this rank takes no more steps, so that none waits for its answer.
  ~Agreement();

  /// Tells that a step has ended, of which `step` are done now, and returns what all ranks do after it. Throws
  /// DistributedError, which names the missing ranks, if a decision that this rank must wait for does not come within
  /// the timeout.
  Due after_step(std::int64_t step);

 private:
  struct Decision {
    std::int64_t step = 0;
    Due due = Due::nothing;
  };
  std::string key(const char* name) const { return prefix_ + name; }
  std::string promise_key(int rank) const;
  void attend();
  void look();
  std::optional<Decision> find_decision(std::int64_t round);
  std::optional<Decision> decide(std::int64_t round);
  std::string missing_ranks() const;

  Ref<minima::detail::Board> board_;
  double timeout_, interval_;
  Function<Due()> wish_;
  std::string prefix_;  ///< of keys: a job may have several runs, one after the other

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t done_;
  std::int64_t round_ = 0;             ///< the last one that has been decided and executed here
  std::optional<std::int64_t> limit_;  ///< of the round after it: the step that this rank has promised not to pass
  std::optional<Decision> decision_;
  bool is_lost_ = false;   ///< the board cannot be reached
  bool rests_ = false;     ///< a decision is being executed, until the next step: this rank wants nothing meanwhile
  bool is_hasty_ = false;  ///< the thread is to look at once
  bool has_left_ = false;  ///< a rank has: nothing can be agreed on any more, and nothing needs to
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace minima::train::detail
