#include <minima/distributed/store/ledger.h>

#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/error.h>
#include <minima/distributed/store/sha256.h>
#include <minima/distributed/store/socket.h>
#include <minima/distributed/store/store.h>
#include <minima/distributed/store/store_protocol.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

/// The overhead of a key in addition to its bytes.
constexpr std::size_t entry_size = 128;
/// Longer failure reports are truncated, since the answer to every heartbeat contains them.
constexpr std::size_t longest_report = 1 << 16;

int checked(int world_size) {
  if (world_size < 1 || world_size > most_ranks)
    throw ValueError(str("distributed: a world has 1 … ", most_ranks, " ranks, got ", world_size));
  return world_size;
}

std::string done() { return MessageWriter().text("").message(); }

}  // namespace

std::string claim(const std::string& challenge, const std::string& nonce, const StoreIdentity& identity,
                  bool is_pulse) {
  if (challenge.size() != 1 + 2 * digest_size || challenge[0] != '\0') throw DistributedError(challenge);
  const std::string nonces = nonce + challenge.substr(1, digest_size);
  if (!equal_in_constant_time(challenge.substr(1 + digest_size), server_proof(identity.secret, nonces)))
    throw DistributedError(
        str("it has another secret than this rank", identity.secret.empty() ? ", which has none" : "",
            ". Give all ranks of the job the same MINIMA_DISTRIBUTED_SECRET; if another job listens there, choose "
            "another MASTER_PORT"));
  const std::string who = identity_message(identity, is_pulse);
  return MessageWriter().text(client_proof(identity.secret, nonces, who)).text(who).message();
}

Ledger::Ledger(const StoreIdentity& identity)
    : secret_(identity.secret),
      token_(sha256(identity.token)),
      members_(static_cast<std::size_t>(checked(identity.world_size))),
      heard_(members_.size()),
      connections_(members_.size()),
      // Most of it is for Gloo's addresses: about 150 bytes for each pair of ranks.
      room_((std::size_t{64} << 20) + (members_.size() << 20)) {}

bool Ledger::step(Peer& peer) {
  std::uint32_t size = 0;
  if (peer.is_refused || peer.in.size() < sizeof size) return false;
  std::memcpy(&size, peer.in.data(), sizeof size);
  if (size > (peer.rank < 0 ? longest_greeting : longest_message))
    throw DistributedError("store: a message is too long");
  if (peer.in.size() - sizeof size < size) return false;
  const std::string message = peer.in.substr(sizeof size, size);
  peer.in.erase(0, sizeof size + size);
  const std::string answer = peer.rank >= 0        ? this->answer(message, peer)
                             : peer.nonces.empty() ? greet(message, peer)
                                                   : admit(message, peer);
  const auto answer_size = static_cast<std::uint32_t>(answer.size());
  peer.out.append(reinterpret_cast<const char*>(&answer_size), sizeof answer_size);
  peer.out += answer;
  return true;
}

/// The challenge, or the reason for a refusal.
std::string Ledger::greet(const std::string& message, Peer& peer) {
  MessageReader reader(message);
  peer.is_refused = true;
  if (reader.text() != store_magic) return "that was no process of minima";
  if (const std::int64_t version = reader.number(); version != store_protocol_version)
    return str("its protocol has version ", store_protocol_version, ", ours ", version, "; use one build everywhere");
  const std::string nonce = reader.text();
  if (nonce.size() != digest_size) return "that was no process of minima";
  peer.is_refused = false;
  peer.nonces = nonce + peer.nonce;
  return '\0' + peer.nonce + server_proof(secret_, peer.nonces);
}

/// The reason why the rank may not join; empty if it may.
std::string Ledger::admit(const std::string& message, Peer& peer) {
  MessageReader outer(message);
  const std::string proof = outer.text(), identity = outer.text();
  peer.is_refused = true;
  if (!equal_in_constant_time(proof, client_proof(secret_, peer.nonces, identity))) return "the secret differs";
  MessageReader reader(identity);
  if (reader.text() != token_)
    return "the job token differs, so another job listens at this port; choose another MASTER_PORT";
  if (const std::int64_t size = reader.number(); size != world_size())
    return str("its world has ", world_size(), " ranks, ours ", size);
  const std::int64_t number = reader.number();
  if (number < 0 || number >= world_size()) return str("there is no rank ", number, " in a world of ", world_size());
  const auto rank = static_cast<std::size_t>(number);
  const bool is_pulse = reader.flag();
  if (is_pulse && members_[rank].state != Member::State::absent) return str("there has been a rank ", rank, " already");
  if (connections_[rank] >= most_connections)
    return str("rank ", rank, " has ", most_connections, " connections already");
  peer.is_refused = false;
  peer.rank = static_cast<int>(rank);
  peer.is_pulse = is_pulse;
  ++connections_[rank];
  if (is_pulse) members_[rank].state = Member::State::alive;
  heard_[rank] = Clock::now();
  return "";
}

std::string Ledger::answer(const std::string& message, const Peer& peer) {
  MessageReader reader(message);
  switch (static_cast<Request>(reader.number(0, static_cast<int>(Request::report)))) {
    case Request::set: {
      const std::string key = reader.text();
      return set(key, reader.text());
    }
    case Request::get: {
      const auto found = values_.find(reader.text());
      if (found == values_.end()) return MessageWriter().text("").number(0).message();
      return MessageWriter().text("").number(1).text(found->second).message();
    }
    case Request::add: {
      const std::string key = reader.text();
      return add(key, reader.number());
    }
    case Request::beat: return beat(static_cast<std::size_t>(peer.rank), reader);
    case Request::status: return status();
    case Request::report: {
      const std::string text = reader.text();
      std::vector<int> missing = read_ranks(reader);
      std::erase_if(missing, [this](int rank) { return rank >= world_size(); });
      if (failure_.text.empty()) failure_ = {text.substr(0, longest_report), std::move(missing)};
      return done();
    }
  }
  throw DistributedError("store: an unknown request");
}

void Ledger::hang_up(const Peer& peer) {
  if (peer.rank < 0) return;
  const auto rank = static_cast<std::size_t>(peer.rank);
  --connections_[rank];
  if (peer.is_pulse && members_[rank].state == Member::State::alive) members_[rank].state = Member::State::lost;
}

/// Reserves the bytes if there is room.
bool Ledger::has_room(std::size_t bytes) {
  if (bytes > room_) return false;
  room_ -= bytes;
  return true;
}

std::string Ledger::set(const std::string& key, std::string value) {
  const auto found = values_.find(key);
  const std::size_t before = found == values_.end() ? 0 : found->second.size();
  room_ += before;
  if (!has_room(value.size() + (found == values_.end() ? key.size() + entry_size : 0))) {
    room_ -= before;
    return MessageWriter()
        .text(str("no room for the ", value.size(), " bytes of '", key.substr(0, 100), "'"))
        .message();
  }
  values_[key] = std::move(value);
  return done();
}

std::string Ledger::add(const std::string& key, std::int64_t amount) {
  const auto found = counters_.find(key);
  if (found == counters_.end() && !has_room(key.size() + entry_size))
    return MessageWriter().text(str("no room for the counter '", key.substr(0, 100), "'")).message();
  std::int64_t& counter = counters_[key];
  std::int64_t sum = 0;
  if (__builtin_add_overflow(counter, amount, &sum))
    return MessageWriter()
        .text(str("the counter '", key.substr(0, 100), "' is at ", counter, ", and ", amount,
                  " more do not fit into 64 bits"))
        .message();
  return MessageWriter().text("").number(counter = sum).message();
}

std::string Ledger::beat(std::size_t rank, MessageReader& reader) {
  Member& member = members_[rank];
  heard_[rank] = Clock::now();
  const auto stage = static_cast<Stage>(reader.number(0, static_cast<int>(Stage::leaving)));
  if (stage == Stage::leaving) member.state = Member::State::left;
  member.has_reported |= stage == Stage::reported || stage == Stage::read;
  member.has_read |= stage == Stage::read;
  member.progress = read_progress(reader);
  // The answer includes the failure, so the rank need not request it.
  member.has_read |= !failure_.text.empty();
  MessageWriter writer;
  writer.text("").text(failure_.text);
  write(writer, failure_.missing);
  std::vector<int> gone;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].state == Member::State::left || members_[i].state == Member::State::lost)
      gone.push_back(static_cast<int>(i));
  write(writer, gone);
  return writer.message();
}

std::string Ledger::status() {
  MessageWriter writer;
  writer.text("");
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].silent = seconds_since(heard_[i]);
    write(writer, members_[i]);
  }
  return writer.message();
}

}  // namespace minima::distributed::detail
