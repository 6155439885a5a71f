#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// TCP for the key-value store: connections with deadlines, and messages with a length in front. Internal.

namespace minima::distributed::detail {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

/// Seconds from now on.
inline Deadline after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}
inline double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
inline double seconds_until(Deadline deadline) { return std::chrono::duration<double>(deadline - Clock::now()).count(); }

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

/// Throws DistributedError where the port is taken or the address is not of this machine. Port 0 takes a free one.
Socket listen_on(const std::string& address, int port);
int port_of(const Socket& socket);
/// The address of this end, in numbers.
std::string local_address(const Socket& socket);
/// Tries until the deadline, since the other side may start later.
Socket connect_to(const std::string& address, int port, Deadline deadline);

/// No message of the store is longer: what announces more is no peer of ours.
inline constexpr std::uint32_t longest_message = 16u << 20;

/// These throw DistributedError when the deadline passes or the other side is gone.
void send_message(const Socket& socket, const std::string& message, Deadline deadline);
std::string receive_message(const Socket& socket, Deadline deadline);

/// Values one after the other in a message.
class Writer {
 public:
  Writer& number(std::int64_t value);
  Writer& text(const std::string& value);
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

/// Takes them out again; throws DistributedError for a message that ends too early.
class Reader {
 public:
  explicit Reader(const std::string& message) : message_(message) {}
  std::int64_t number();
  std::string text();
  bool at_end() const { return at_ == message_.size(); }

 private:
  const char* take(std::size_t bytes);

  const std::string& message_;
  std::size_t at_ = 0;
};

}  // namespace minima::distributed::detail
