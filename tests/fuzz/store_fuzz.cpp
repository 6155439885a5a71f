#include <minima/distributed/store/ledger.h>

#include "tests/fuzz/fuzz.h"

#include <cstdlib>

// The messages that the store's client and server read. The first byte selects the side; nonces are fixed, so that
// seeds can contain a handshake.

namespace store = minima::distributed::detail;

namespace {

const store::StoreIdentity identity{"job", 0, 2, "the secret of the fuzzed job"};
const std::string client_nonce(store::digest_size, 'c'), server_nonce(store::digest_size, 's');

/// A server with one unauthenticated peer and both ranks joined.
struct Job {
  store::Ledger ledger{identity};
  store::Peer peers[3] = {{.nonce = server_nonce}, {.nonce = server_nonce}, {.nonce = server_nonce}};

  Job() {
    for (int rank : {0, 1}) {
      store::Peer& peer = peers[rank + 1];
      store::StoreIdentity joining = identity;
      joining.rank = rank;
      if (!send(peer, store::hello(client_nonce)) ||
          !send(peer, store::claim(peer.out.substr(4), client_nonce, joining, true)) || peer.rank != rank)
        std::abort();
      peer.out.clear();
    }
  }
  bool send(store::Peer& peer, const std::string& message) {
    const auto size = static_cast<std::uint32_t>(message.size());
    peer.in.append(reinterpret_cast<const char*>(&size), sizeof size).append(message);
    peer.out.clear();
    return ledger.step(peer);
  }
};

/// Pieces for three peers: peer, length, bytes.
void serve(std::string_view input) {
  static const Job joined;
  Job job = joined;
  bool is_open[3] = {true, true, true};
  while (input.size() > 2) {
    const std::size_t who = static_cast<unsigned char>(input[0]) % 3, size = static_cast<unsigned char>(input[1]);
    const std::string_view piece = input.substr(2, size);
    input.remove_prefix(2 + piece.size());
    store::Peer& peer = job.peers[who];
    if (!is_open[who]) continue;
    try {
      peer.in += piece;
      while (job.ledger.step(peer)) peer.out.clear();
      is_open[who] = !peer.is_refused;
    } catch (const minima::Error&) {
      is_open[who] = false;
      job.ledger.hang_up(peer);
    }
    if (peer.rank < 0 && peer.in.size() > store::longest_greeting + 4 + 255) __builtin_trap();
    if (peer.rank >= identity.world_size) __builtin_trap();
  }
}

}  // namespace

FUZZ_TARGET(bytes) {
  if (bytes.empty()) return;
  const std::string input(reinterpret_cast<const char*>(bytes.data()) + 1, bytes.size() - 1);
  store::MessageReader reader(input);
  switch (std::to_integer<int>(bytes[0]) % 4) {
    case 0: return serve(input);
    case 1: store::claim(input, client_nonce, identity, true); return;
    case 2: store::read_pulse(reader); return;
    default: store::read_members(reader, identity.world_size);
  }
}
