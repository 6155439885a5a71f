#pragma once

#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/sha256.h>
#include <minima/distributed/store/store.h>
#include <minima/io/files/format_error.h>

// The protocol between the store's client and server. Internal.

namespace minima::distributed::detail {

inline constexpr std::int64_t store_protocol_version = 2;
inline constexpr char store_magic[] = "minima store";

// A connection starts with a handshake in which both sides prove knowledge of the job's secret without sending it:
//
//   client → server   magic, version, the client's nonce
//   server → client   '\0', the server's nonce, HMAC(secret, "server" + nonces); or the reason for a refusal
//   client → server   HMAC(secret, "client" + nonces + identity), identity
//   server → client   an empty text; or the reason for a refusal
//
// Both nonces are fresh, which prevents replays, and the labels prevent reflecting one side's proof to the other.
// Without a secret the key is empty: nothing is proved then, and only the token separates jobs.

inline std::string hello(const std::string& nonce) {
  return MessageWriter().text(store_magic).number(store_protocol_version).text(nonce).message();
}

inline std::string identity_message(const StoreIdentity& identity, bool is_pulse) {
  return MessageWriter()
      .text(sha256(identity.token))
      .number(identity.world_size)
      .number(identity.rank)
      .number(is_pulse)
      .message();
}

/// `nonces`: the client's, then the server's.
inline std::string server_proof(const std::string& secret, const std::string& nonces) {
  return hmac_sha256(secret, "server" + nonces);
}
inline std::string client_proof(const std::string& secret, const std::string& nonces, const std::string& identity) {
  return hmac_sha256(secret, "client" + nonces + identity);
}

/// The client's answer to the server's challenge; throws DistributedError if that is a refusal or its proof is wrong.
std::string claim(const std::string& challenge, const std::string& nonce, const StoreIdentity& identity, bool is_pulse);

// Afterwards every answer starts with a text: the error, or empty on success.

inline void write(MessageWriter& writer, const std::vector<int>& ranks) {
  writer.number(static_cast<std::int64_t>(ranks.size()));
  for (const int rank : ranks) writer.number(rank);
}

inline std::vector<int> read_ranks(MessageReader& reader) {
  std::vector<int> ranks;
  for (std::int64_t count = reader.number(0, most_ranks); count > 0; --count)
    ranks.push_back(static_cast<int>(reader.number(0, most_ranks - 1)));
  return ranks;
}

inline void write(MessageWriter& writer, const std::map<std::string, Member::LastOperation>& progress) {
  writer.number(static_cast<std::int64_t>(progress.size()));
  for (const auto& [group, p] : progress) writer.text(group).number(p.sequence).number(p.is_running).text(p.operation);
}

inline std::map<std::string, Member::LastOperation> read_progress(MessageReader& reader) {
  std::map<std::string, Member::LastOperation> result;
  for (std::int64_t count = reader.number(); count > 0; --count) {
    Member::LastOperation& p = result[minima::detail::printable(reader.text())];
    p.sequence = reader.number();
    p.is_running = reader.flag();
    p.operation = minima::detail::printable(reader.text());
  }
  return result;
}

inline void write(MessageWriter& writer, const Member& member) {
  writer.number(static_cast<int>(member.state)).number(static_cast<std::int64_t>(member.silent * 1000));
  writer.number(member.has_reported).number(member.has_read);
  write(writer, member.progress);
}

inline Member read_member(MessageReader& reader) {
  Member member;
  member.state = static_cast<Member::State>(reader.number(0, static_cast<int>(Member::State::lost)));
  member.silent = static_cast<double>(reader.number()) / 1000;
  member.has_reported = reader.flag();
  member.has_read = reader.flag();
  member.progress = read_progress(reader);
  return member;
}

inline Pulse read_pulse(MessageReader& reader) {
  Pulse pulse;
  pulse.failure.text = minima::detail::printable(reader.text());
  pulse.failure.missing = read_ranks(reader);
  pulse.gone = read_ranks(reader);
  return pulse;
}

inline std::vector<Member> read_members(MessageReader& reader, int world_size) {
  std::vector<Member> members;
  while (!reader.at_end()) members.push_back(read_member(reader));
  if (members.size() != static_cast<std::size_t>(world_size))
    throw DistributedError("store: rank 0 reports another world size");
  return members;
}

}  // namespace minima::distributed::detail
