#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// Ranks and the hub of their communicator exchange these messages, as packets on a Unix socket. Data travels as files
// in memory whose descriptors go with a packet, so packets are small and no end blocks while it sends.

namespace simulated::nccl {

enum class Verb : std::uint8_t { all_reduce, broadcast, all_gather, reduce_scatter, reduce, send, receive };

/// A call, as all ranks must agree on it.
struct Description {
  Verb verb{};
  ncclDataType_t type{};
  ncclRedOp_t reduce{};
  int peer = -1;  ///< the root, or the other rank of send and receive
  std::uint64_t count = 0;
  bool in_graph = false;  ///< a launch of a graph calls it: "must be uniform over all ranks participating"

  bool is_collective() const { return verb != Verb::send && verb != Verb::receive; }
};
/// `ncclAllReduce of 10 float32 (sum)`.
std::string describe(const Description& call);
const char* name(Verb verb);
std::size_t bytes_of(ncclDataType_t type);

/// A connection that ranks make at their first call that needs it: rank `from` to rank `to`, or between all ranks.
struct Link {
  int from = -1, to = -1;
  friend auto operator<=>(const Link&, const Link&) = default;
};
/// Needs no peer: an answer comes at once.
inline constexpr Link no_link{-2, -2};

enum class Kind : std::uint8_t {
  // from a rank
  join,      ///< rank, size, device, host
  connect,   ///< link
  arrive,    ///< its stream has reached a call, with the data that it sends
  finalize,  ///< it makes no more calls
  // from the hub
  joined,     ///< all ranks are there; `rank` is 1 if rank 0 is on another host
  connected,  ///< link
  hurry,      ///< another rank waits for this one
  result,     ///< of the call with this ticket, with the data that it receives
  finalized,  ///< all ranks have finalized
  gone,       ///< a rank on another host is gone
  refused,    ///< text: the ranks cannot communicate
  mismatch    ///< text: two ranks make different calls
};

struct Message {
  Kind kind{};
  int rank = 0, size = 0, device = 0;
  std::uint64_t host = 0, ticket = 0;
  Link link{};
  Description call{};
  char text[256] = {};
};
Message text_message(Kind kind, const std::string& text);

/// Bytes that other processes can map.
class Payload {
 public:
  Payload() = default;
  explicit Payload(std::size_t bytes);
  Payload(const void* data, std::size_t bytes);
  /// Takes over a descriptor.
  static Payload received(int descriptor);
  Payload(Payload&& other) noexcept;
  Payload& operator=(Payload&& other) noexcept;
  ~Payload();

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }

 private:
  void map();

  int descriptor_ = -1;
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// False if the other end is gone.
bool send(int socket, const Message& message, const Payload& payload = {});

struct Packet {
  Message message;
  Payload payload;
};
/// Waits for a packet; nothing if the other end is gone.
std::optional<Packet> receive(int socket);

/// A socket that listens at, or is connected to, a name that only this machine knows. -1 if that fails.
int listen_at(const std::string& name);
int connect_to(const std::string& name);

}  // namespace simulated::nccl
