#pragma once

#include <minima/distributed/store/store_protocol.h>

namespace minima::distributed::detail {

/// A connection as the ledger sees it: the bytes that came, and those that are to be sent.
struct Peer {
  std::string nonce = random_bytes(digest_size);
  std::string in = {}, out = {};
  std::string nonces = {};  ///< of both sides, once it has said hello
  int rank = -1;            ///< -1 until it has proved who it is
  bool is_pulse = false;
  bool is_refused = false;  ///< closed once it has been told why
};

/// The store without its sockets: keys, what is known of the ranks, and who may speak. Internal.
class Ledger {
 public:
  /// Connections of one rank at a time. It needs two.
  static constexpr int most_connections = 8;

  explicit Ledger(const StoreIdentity& identity);

  /// Takes the first message of `peer.in` and puts the answer into `peer.out`; false if it is not complete. Throws
  /// DistributedError where it makes no sense: the connection is to be closed then.
  bool step(Peer& peer);
  void hang_up(const Peer& peer);

 private:
  std::string greet(const std::string& message, Peer& peer);
  std::string admit(const std::string& message, Peer& peer);
  std::string answer(const std::string& message, const Peer& peer);
  std::string set(const std::string& key, std::string value);
  std::string add(const std::string& key, std::int64_t amount);
  std::string beat(std::size_t rank, Reader& reader);
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
  std::size_t room_;  ///< bytes that keys and values may still take
};

}  // namespace minima::distributed::detail
