#pragma once

#include <minima/distributed/flight_recorder.h>
#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/store.h>
#include <minima/tensor/base/counted.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

// What a process knows of the others beside the data path. Internal.

namespace minima::distributed::detail {

class Group;

/// Who is to blame, and the words for it.
struct Diagnosis {
  std::vector<int> missing;
  std::string text;
};

/// One per process and world: the store, heartbeats both ways, and the thread that watches over deadlines.
class Monitor : public Counted {
 public:
  /// Waits for all ranks; throws DistributedError that names those that have not come within the timeout.
  Monitor(const Environment& environment, double timeout, const std::string& flight_folder);
  ~Monitor() override;

  Store& store() { return *store_; }
  const Environment& environment() const { return environment_; }
  FlightRecorder& recorder() { return recorder_; }

  /// This rank came to an operation, and is done with it.
  void begin(const std::string& group, std::int64_t sequence, const std::string& operation);
  void end(const std::string& group);

  /// Looks around after a failure and says so to the others. `members` are ranks of the world.
  Diagnosis diagnose(const std::string& group, const std::vector<int>& members, std::int64_t sequence,
                     const std::string& operation);
  /// A failure that concerns one of these, which another rank has found before.
  std::optional<Diagnosis> known_failure(const std::vector<int>& members);

  /// Groups are asked about their deadlines while they are watched.
  void watch(Group* group);
  void unwatch(Group* group);
  /// Says goodbye, and gives others the time to take what was sent last.
  void leave(bool in_haste);

 private:
  using Progress = std::map<std::string, Member::Progress>;
  void choose_address(Deadline deadline);
  void wait_for_all(double timeout);
  void beat_forever();
  void learn(const Failure& failure);
  Progress progress();
  Diagnosis blame(const std::vector<Member>& status, const std::string& group, const std::vector<int>& members,
                  std::int64_t sequence, const std::string& operation, bool last_try);
  Diagnosis ask_around(const std::string& group, const std::vector<int>& members, std::int64_t sequence,
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
  std::optional<Diagnosis> failure_;
  bool is_leaving_ = false, has_failed_ = false;

  std::mutex groups_mutex_;  ///< held while groups are asked, so that none is destroyed meanwhile
  std::vector<Group*> groups_;
  std::thread thread_;
};

}  // namespace minima::distributed::detail
