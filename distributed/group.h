#pragma once

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/watchdog.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/device/background.h>

#include <unistd.h>

#include <atomic>
#include <deque>
#include <memory>

// The implementation of process groups. Internal.

namespace minima::detail {
class AttributeVisitor;
}

namespace minima::distributed::detail {

class Group;

/// Added to a group's name, under which its ranks meet.
inline constexpr const char* connecting = "/start";

/// A queued or running operation of a group.
class PendingWork final : public WorkState {
 public:
  PendingWork(Operation operation, Ref<Group> group);
  void wait() override;
  bool is_done() const override;
  Tensor result() const override { return operation_.output; }

  const Operation& operation() const { return operation_; }
  Device device() const;
  /// Makes the current stream, which is captured, wait for this captured operation.
  void join();

 private:
  friend class Group;
  friend class Lane;
  Operation operation_;
  std::string signature_;
  Ref<Group> group_;  ///< released when done
  Clock::time_point start_ = Clock::now();
  std::uint64_t record_ = 0;
  std::uint64_t capture_ = 0;                                    ///< by CaptureScope::id; 0 if it is not captured
  const std::shared_ptr<BackgroundLog> log_ = background_log();  ///< of the thread that has asked for it
  // Guarded by the group's mutex.
  bool is_posted_ = false, is_running_ = false, is_done_ = false;
};

/// A thread that runs operations in order.
class Lane {
 public:
  explicit Lane(Ref<Backend> backend) : core_(std::make_shared<Core>()) { core_->backend = std::move(backend); }
  ~Lane();
  void push(Ref<PendingWork> work);

 private:
  struct Core {
    Ref<Backend> backend;
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<Ref<PendingWork>> queue;
    bool ends = false, has_ended = false;
  };
  static void serve(std::shared_ptr<Core> core);

  std::shared_ptr<Core> core_;
  const pid_t process_ = ::getpid();
  std::thread thread_;
};

class Group final : public Counted {
 public:
  /// `members` are world ranks. `watchdog` is null in a single process.
  Group(std::string name, Ref<Backend> backend, Ref<Watchdog> watchdog, int rank, std::vector<int> members,
        double timeout, bool debug);
  ~Group() override;

  /// Enqueues an operation, which keeps a reference to the group until it is done.
  static Ref<WorkState> start(const Ref<Group>& group, Operation operation);
  /// Prepares the launch of a graph that contains operations; throws if the group has failed.
  static void before_replay(Group& group);
  /// Fails the whole group, unless it has failed before. For causes that no operation of the group has found.
  void fail(const DistributedError& cause);
  Ref<Group> split(const std::vector<int>& ranks);

  /// Called periodically by the watchdog's thread: fails an operation that has timed out or needs ranks that are gone.
  void check(const std::vector<int>& gone);

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.size()); }
  const std::vector<int>& members() const { return members_; }
  double timeout() const { return timeout_; }
  /// Whether other processes must take part.
  bool has_others() const { return watchdog_ && size() > 1; }
  Backend& backend() { return *backend_; }
  const std::string& name() const { return name_; }
  /// Null in a single process.
  const Ref<Watchdog>& watchdog() const { return watchdog_; }

 private:
  friend class PendingWork;
  friend class Lane;
  /// Records the operation in the graph that this thread captures. No thread watches it: replays are watched.
  static Ref<WorkState> capture(const Ref<Group>& group, Operation operation);
  void refuse_captured(const char* what, const Operation& operation) const;
  /// Makes the backend start the operation on the caller's thread; fails the group if it cannot.
  void post(PendingWork& work);
  void run(PendingWork& work);
  void compare_with_others(const PendingWork& work);
  void finish(PendingWork& work);
  /// Fails the whole group. Only the first call counts.
  void fail(PendingWork& work, const std::string& reason);
  /// Whether this is the first failure. The caller finds the cause, then calls end().
  bool begin_to_fail();
  void end(const std::string& failure, const std::vector<int>& missing);
  /// Throws if the group has failed; waits while the cause is being looked for.
  void expect_well();
  [[noreturn]] void raise();
  /// Notes that the device waits for the operation. Called with `mutex_`.
  void note_received(PendingWork& work);
  /// Whether the device waits for an operation that is not complete.
  bool is_awaited();

  std::string name_;
  Ref<Backend> backend_;
  Ref<Watchdog> watchdog_;
  int rank_;
  std::vector<int> members_;
  double timeout_;
  bool debug_;
  const pid_t process_ = ::getpid();

  std::mutex posting_;  ///< held while an operation is posted and queued, which may take until the others have come
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t sequence_ = 0, messages_ = 0;
  std::map<std::string, std::int64_t> splits_;
  enum class Health : std::uint8_t { well, failing, failed } health_ = Health::well;
  std::string failure_;
  std::vector<int> missing_;
  Ref<PendingWork> posted_;                 ///< that the backend starts
  Ref<PendingWork> running_;                ///< the collective
  std::vector<Ref<PendingWork>> received_;  ///< the device waits for them; until they are done
  Lane collectives_, messages_lane_;
};

/// Makes a group's backend, for which the members connect. On failure, finds the missing ones as after a failed
/// operation. They are world ranks.
Ref<Backend> connect(Watchdog& watchdog, const std::string& group, const std::vector<int>& members,
                     const Function<Ref<Backend>()>& make);

struct GroupAccess {
  static const Ref<Group>& of(const ProcessGroup& group) { return group.group_; }
};
/// The group for the checker of placements; `name` is the axis's if the checker does not know it.
RankSet rank_set(const ProcessGroup& group);
/// An operator's group, as an attribute.
void tell_ranks(const ProcessGroup& group, minima::detail::AttributeVisitor& visitor);

}  // namespace minima::distributed::detail
