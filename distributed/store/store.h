#pragma once

#include <minima/distributed/store/socket.h>

#include <map>
#include <memory>
#include <optional>

// The key-value store: a server in rank 0's process, two connections from every rank. Carries addresses at start-up and
// heartbeats later, never tensors. Whoever has the job's secret is trusted; nothing is encrypted. Internal.

namespace minima::distributed::detail {

/// What the store knows of a rank.
struct Member {
  enum class State : std::uint8_t {
    absent,  ///< never came
    alive,
    left,  ///< said goodbye
    lost,  ///< its connection broke
  };
  State state = State::absent;
  double silent = 0;          ///< seconds since it was heard of last
  bool has_reported = false;  ///< it noticed a failure itself
  bool has_read = false;      ///< and has asked all it wanted to know
  /// Group → the operation that it is in or has finished last.
  struct Progress {
    std::int64_t sequence = 0;
    bool is_running = false;
    std::string operation;
  };
  std::map<std::string, Progress> progress;
};

/// What the first rank that noticed a failure said of it.
struct Failure {
  std::string text;
  std::vector<int> missing;
};

/// The answer to a heartbeat.
struct Pulse {
  std::vector<int> gone;  ///< ranks that died or left
  Failure failure;        ///< its text is empty while there is none
};

enum class Request : std::uint8_t { set, get, add, beat, status, report };
enum class Stage : std::uint8_t { running, reported, read, leaving };

struct StoreIdentity {
  std::string token;
  int rank = 0;
  int world_size = 1;
  std::string secret = {};  ///< both sides prove that they have it; empty: none is needed
};

/// The connection of one rank to the store. Calls may come from several threads.
class Store {
 public:
  /// Throws DistributedError where nobody answers in time or rank 0 refuses us, with its reason. The connection with
  /// `is_pulse` is the one whose end means that the rank has died.
  Store(const std::string& address, int port, const StoreIdentity& identity, bool is_pulse, Deadline deadline);
  ~Store();

  void set(const std::string& key, const std::string& value);
  std::optional<std::string> get(const std::string& key);
  /// Adds to a counter that starts from 0, and returns the sum.
  std::int64_t add(const std::string& key, std::int64_t amount);
  /// Waits for a key. Returns nothing if the deadline passes.
  std::optional<std::string> wait(const std::string& key, Deadline deadline);
  /// Tells where this rank is.
  Pulse beat(Stage stage, const std::map<std::string, Member::Progress>& progress);
  std::vector<Member> status();
  /// Tells all ranks of a failure; the first one counts.
  void report(const Failure& failure);
  /// Our end's address, by which the machines of a job reach each other.
  std::string local_address() const;
  /// How long a call waits for the server.
  void set_patience(double seconds) { patience_ = seconds; }

 private:
  struct Lock;
  void join(const StoreIdentity& identity, bool is_pulse, Deadline deadline);
  /// What the server answers after its empty complaint; throws DistributedError for any other.
  std::string ask(const std::string& request);

  std::string address_;
  int port_, world_size_;
  Socket socket_;
  std::unique_ptr<Lock> lock_;
  double patience_ = 5;
};

/// What strangers may take of the server's process before they have proved who they are.
struct StoreLimits {
  int strangers = 64;         ///< unauthenticated connections allowed on top of two per rank; one more drops the oldest
  double hello_seconds = 20;  ///< how long the proof may take
};

/// Serves until destroyed. Rank 0 has it.
class StoreServer {
 public:
  /// Listens at what `address` stands for and nowhere else, and waits until the deadline for that name to become known.
  /// Port 0 takes a free one. Token, world size and secret are those that ranks must have.
  StoreServer(const std::string& address, int port, const StoreIdentity& identity, Deadline deadline = {},
              StoreLimits limits = {});
  ~StoreServer();
  int port() const;

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace minima::distributed::detail
