#pragma once

#include <minima/distributed/store/error.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// TCP for the key-value store: connections with timeouts, and length-prefixed messages. Internal.

namespace minima::distributed::detail {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

/// The longest wait: three years. The clock would overflow after 292.
inline constexpr double longest_wait = 1e8;

/// Seconds from now on.
inline Deadline after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, longest_wait)));
}
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
inline double seconds_until(Deadline deadline) {
  return std::chrono::duration<double>(deadline - Clock::now()).count();
}
/// For poll: rounded up, never negative, at most an hour.
inline int milliseconds_until(Deadline deadline) {
  return static_cast<int>(std::clamp(seconds_until(deadline) * 1000 + 1, 0.0, 3.6e6));
}

/// Owns a descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();

  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  void close() { Socket gone(std::move(*this)); }

 private:
  int descriptor_ = -1;
};

/// The peer closed the connection, is gone, or timed out.
class TransportError : public DistributedError {
 public:
  using DistributedError::DistributedError;
};

/// `127.0.0.1:29500`, `[::1]:29500`.
std::string endpoint(const std::string& address, int port);
/// Whether a name or address resolves to loopback addresses only (127.0.0.0/8, ::1). Waits until the deadline for
/// a name to become known; throws DistributedError if it doesn't.
bool is_loopback(const std::string& address, Deadline deadline = {});

/// Listens at every local address that the name resolves to, and nowhere else; waits until the deadline for the name to
/// resolve. Throws DistributedError if the port is taken or no interface has the address. Port 0 selects a free one.
std::vector<Socket> listen_on(const std::string& address, int port, Deadline deadline = {});
int port_of(const Socket& socket);
/// The numeric address of this end.
std::string local_address(const Socket& socket);
/// Retries until the deadline, since the server may start later.
Socket connect_to(const std::string& address, int port, Deadline deadline);

/// The length limit of messages.
inline constexpr std::uint32_t longest_message = 16u << 20;
/// The limit before authentication.
inline constexpr std::uint32_t longest_greeting = 1024;

/// These throw TransportError.
void send_message(const Socket& socket, const std::string& message, Deadline deadline);
std::string receive_message(const Socket& socket, Deadline deadline, std::uint32_t longest = longest_message);

/// Serialises values to a message.
class MessageWriter {
 public:
  MessageWriter& number(std::int64_t value);
  MessageWriter& text(const std::string& value);
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

/// Parses a message; throws DistributedError if it is too short or a number is out of range.
class MessageReader {
 public:
  explicit MessageReader(const std::string& message) : message_(message) {}
  std::int64_t number();
  /// One of `low` … `high`.
  std::int64_t number(std::int64_t low, std::int64_t high);
  bool flag() { return number(0, 1) != 0; }
  std::string text();
  bool at_end() const { return at_ == message_.size(); }

 private:
  const char* take(std::size_t bytes);

  const std::string& message_;
  std::size_t at_ = 0;
};

}  // namespace minima::distributed::detail
