#pragma once

#include <minima/distributed/flight_recorder.h>
#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/store.h>
#include <minima/tensor/base/counted.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

// Liveness of other processes, outside the data path. Internal.

namespace minima::distributed::detail {

class Group;

/// The ranks to blame for a failure, and the text for the message.
struct Diagnosis {
  std::vector<int> missing;
  std::string text;
};

/// One per process: the connection to the store, heartbeats, and the thread that enforces timeouts.
class Watchdog : public Counted {
 public:
  /// Waits for all ranks; throws a DistributedError that names those missing after the timeout.
  Watchdog(const Environment& environment, double timeout, const std::string& flight_folder);
  ~Watchdog() override;

  Store& store() { return *store_; }
  const Environment& environment() const { return environment_; }
  FlightRecorder& recorder() { return recorder_; }

  /// Records that this rank has started or finished an operation.
  void begin(const std::string& group, std::int64_t sequence, const std::string& operation);
  void end(const std::string& group);
  /// A group is gone. Others may still be in its last operation, so its record is kept until many more have gone.
  void forget(const std::string& group);
  /// Counts from 1 how often it was called with this name.
  std::int64_t count(const std::string& name);

  /// Finds the cause of a failure and reports it to the other ranks. `members` are world ranks.
  Diagnosis diagnose(const std::string& group, const std::vector<int>& members, std::int64_t sequence,
                     const std::string& operation);
  /// A failure that has been found and that blames one of these ranks. Rank 0 waits until the others know it, too.
  std::optional<Diagnosis> known_failure(const std::vector<int>& members);

  /// Calls Group::check periodically while a group is watched.
  void watch(Group* group);
  /// Returns whether none is watched any more.
  bool unwatch(Group* group);
  /// Leaves the job. Unless `in_haste`, waits until the other ranks have received the last messages.
  void leave(bool in_haste);

 private:
  using Progress = std::map<std::string, Member::LastOperation>;
  void choose_address(Deadline deadline);
  void wait_for_all(double timeout);
  void beat_forever();
  void learn(const Failure& failure);
  Progress progress();
  Diagnosis blame(const std::vector<Member>& status, const std::string& group, const std::vector<int>& members,
                  std::int64_t sequence, const std::string& operation, bool last_try);
  Diagnosis query_members(const std::string& group, const std::vector<int>& members, std::int64_t sequence,
                          const std::string& operation);
  void let_others_read();

  Environment environment_;
  double timeout_, interval_;
  FlightRecorder recorder_;
  std::optional<StoreServer> server_;
  std::optional<Store> store_;  ///< for keys and diagnoses
  std::optional<Store> pulse_;  ///< for heartbeats

  std::mutex mutex_;
  std::condition_variable wake_;
  Progress progress_;
  std::deque<std::string> gone_;  ///< groups in `progress_` that exist no more, in the order in which they went
  std::map<std::string, std::int64_t> counts_;
  std::optional<Diagnosis> failure_;
  std::optional<Deadline> read_by_;  ///< when rank 0 stops waiting for others to read a failure
  bool is_leaving_ = false, has_failed_ = false;

  std::mutex groups_mutex_;  ///< held during Group::check, so that no group is destroyed meanwhile
  std::vector<Group*> groups_;
  std::thread thread_;
};

}  // namespace minima::distributed::detail
