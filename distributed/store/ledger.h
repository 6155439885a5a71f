#pragma once

#include <minima/distributed/store/store_protocol.h>

namespace minima::distributed::detail {

/// A connection: bytes received and bytes to be sent.
struct Peer {
  std::string nonce = random_bytes(digest_size);
  std::string in = {}, out = {};
  std::string nonces = {};  ///< of both sides, after its hello
  int rank = -1;            ///< -1 until authenticated
  bool is_pulse = false;
  bool is_refused = false;  ///< close it after sending the reason
};

/// The store's logic without its sockets: keys, the state of the ranks, and authentication. Internal.
class Ledger {
 public:
  /// The limit of connections per rank, which needs two.
  static constexpr int most_connections = 8;

  explicit Ledger(const StoreIdentity& identity);

  /// Handles the first message in `peer.in` and appends the answer to `peer.out`; false if the message is incomplete.
  /// Throws DistributedError for an invalid message, after which the connection must be closed.
  bool step(Peer& peer);
  void hang_up(const Peer& peer);

 private:
  std::string greet(const std::string& message, Peer& peer);
  std::string admit(const std::string& message, Peer& peer);
  std::string answer(const std::string& message, const Peer& peer);
  std::string set(const std::string& key, std::string value);
  std::string add(const std::string& key, std::int64_t amount);
  std::string beat(std::size_t rank, MessageReader& reader);
  std::string status();
  bool has_room(std::size_t bytes);
  int world_size() const { return static_cast<int>(members_.size()); }

  std::string secret_, token_;
  Failure failure_;
  std::vector<Member> members_;
  std::vector<Clock::time_point> heard_;
  std::vector<int> connections_;
  std::map<std::string, std::string> values_;
  std::map<std::string, std::int64_t> counters_;
  std::size_t room_;  ///< bytes left for keys and values
};

}  // namespace minima::distributed::detail
