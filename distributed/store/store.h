#pragma once

#include <minima/distributed/store/socket.h>

#include <map>
#include <memory>
#include <optional>

// The key-value store: a server in rank 0's process with two connections from every rank. Carries addresses at start-up
// and heartbeats later, never tensors. Peers with the job's secret are trusted; nothing is encrypted. Internal.

namespace minima::distributed::detail {

/// The store's record of a rank.
struct Member {
  enum class State : std::uint8_t {
    absent,  ///< never joined
    alive,
    left,  ///< left regularly
    lost,  ///< its connection broke
  };
  State state = State::absent;
  double silent = 0;          ///< seconds since its last message
  bool has_reported = false;  ///< it has noticed a failure
  bool has_read = false;      ///< it has finished its diagnosis
  /// The running or last operation in a group.
  struct LastOperation {
    std::int64_t sequence = 0;
    bool is_running = false;
    std::string operation;
  };
  std::map<std::string, LastOperation> progress;  ///< by group
};

/// The first report of a failure.
struct Failure {
  std::string text;
  std::vector<int> missing;
};

/// The answer to a heartbeat.
struct Pulse {
  std::vector<int> gone;  ///< ranks that died or left
  Failure failure;        ///< with an empty text if there is none
};

enum class Request : std::uint8_t { set, get, add, beat, status, report };
enum class Stage : std::uint8_t { running, reported, read, leaving };

struct StoreIdentity {
  std::string token;
  int rank = 0;
  int world_size = 1;
  std::string secret = {};  ///< for mutual authentication; empty: none
};

/// A rank's connection to the store. Thread-safe.
class MINIMA_API Store {
 public:
  /// Throws DistributedError on timeout, or with rank 0's reason for a refusal. If the connection with `is_pulse`
  /// breaks, the rank counts as dead.
  Store(const std::string& address, int port, const StoreIdentity& identity, bool is_pulse, Deadline deadline);
  ~Store();

  void set(const std::string& key, const std::string& value);
  std::optional<std::string> get(const std::string& key);
  /// Adds to a counter that starts at 0 and returns the sum.
  std::int64_t add(const std::string& key, std::int64_t amount);
  /// Waits for a key. Returns nothing if the deadline passes.
  std::optional<std::string> wait(const std::string& key, Deadline deadline);
  /// Sends a heartbeat.
  Pulse beat(Stage stage, const std::map<std::string, Member::LastOperation>& progress);
  std::vector<Member> status();
  /// Reports a failure to all ranks. Only the first report counts.
  void report(const Failure& failure);
  /// The address of this end, which other machines of the job can reach.
  std::string local_address() const;
  /// How long a call waits for the server.
  void set_patience(double seconds) { patience_ = seconds; }

 private:
  struct Lock;
  void join(const StoreIdentity& identity, bool is_pulse, Deadline deadline);
  /// The server's answer; throws DistributedError if it reports an error.
  std::string ask(const std::string& request);

  std::string address_;
  int port_, world_size_;
  Socket socket_;
  std::unique_ptr<Lock> lock_;
  double patience_ = 5;
};

/// Limits for unauthenticated connections.
struct StoreLimits {
  int strangers = 64;         ///< number allowed on top of two per rank; one more drops the oldest
  double hello_seconds = 20;  ///< time allowed for authentication
};

/// Serves until destroyed; runs in rank 0's process.
class MINIMA_API StoreServer {
 public:
  /// Listens at the addresses of `address` and nowhere else; waits until the deadline for the name to resolve. Port 0
  /// selects a free one. Ranks must have the token, world size and secret of `identity`.
  StoreServer(const std::string& address, int port, const StoreIdentity& identity, Deadline deadline = {},
              StoreLimits limits = {});
  ~StoreServer();
  int port() const;

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace minima::distributed::detail
