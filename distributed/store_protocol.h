#pragma once

#include <minima/distributed/store.h>

// What the store's client and server say to each other. Internal.

namespace minima::distributed::detail {

inline constexpr std::int64_t store_protocol_version = 1;
inline constexpr char store_magic[] = "minima store";

/// The first message of a connection; the answer is empty, or says why it is refused.
inline std::string hello(const StoreIdentity& identity, bool is_pulse) {
  return Writer().text(store_magic).number(store_protocol_version).text(identity.token).number(identity.world_size)
      .number(identity.rank).number(is_pulse).message();
}

inline void write(Writer& writer, const std::vector<int>& ranks) {
  writer.number(static_cast<std::int64_t>(ranks.size()));
  for (const int rank : ranks) writer.number(rank);
}

inline std::vector<int> read_ranks(Reader& reader) {
  std::vector<int> ranks;
  for (std::int64_t count = reader.number(); count > 0; --count) ranks.push_back(static_cast<int>(reader.number()));
  return ranks;
}

inline void write(Writer& writer, const std::map<std::string, Member::Progress>& progress) {
  writer.number(static_cast<std::int64_t>(progress.size()));
  for (const auto& [group, p] : progress)
    writer.text(group).number(p.sequence).number(p.is_running).text(p.operation);
}

inline std::map<std::string, Member::Progress> read_progress(Reader& reader) {
  std::map<std::string, Member::Progress> result;
  for (std::int64_t count = reader.number(); count > 0; --count) {
    Member::Progress& p = result[reader.text()];
    p.sequence = reader.number();
    p.is_running = reader.number() != 0;
    p.operation = reader.text();
  }
  return result;
}

inline void write(Writer& writer, const Member& member) {
  writer.number(static_cast<int>(member.state)).number(static_cast<std::int64_t>(member.silent * 1000));
  writer.number(member.has_reported).number(member.has_read);
  write(writer, member.progress);
}

inline Member read_member(Reader& reader) {
  Member member;
  member.state = static_cast<Member::State>(reader.number());
  member.silent = static_cast<double>(reader.number()) / 1000;
  member.has_reported = reader.number() != 0;
  member.has_read = reader.number() != 0;
  member.progress = read_progress(reader);
  return member;
}

}  // namespace minima::distributed::detail
