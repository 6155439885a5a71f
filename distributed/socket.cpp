#include <minima/distributed/socket.h>

#include <minima/distributed/error.h>
#include <minima/tensor/format.h>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

namespace minima::distributed::detail {

namespace {

struct Addresses {
  explicit Addresses(const std::string& address, int port, int flags) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    error = getaddrinfo(address.empty() ? nullptr : address.c_str(), std::to_string(port).c_str(), &hints, &list);
  }
  Addresses(const Addresses&) = delete;
  ~Addresses() {
    if (list) freeaddrinfo(list);
  }
  addrinfo* list = nullptr;
  int error = 0;
};

void set_option(const Socket& socket, int level, int option) {
  const int on = 1;
  setsockopt(socket.descriptor(), level, option, &on, sizeof on);
}

/// Milliseconds for poll, rounded up, never negative.
int milliseconds_until(Deadline deadline) {
  const double ms = seconds_until(deadline) * 1000;
  return ms <= 0 ? 0 : static_cast<int>(std::min(ms + 1, 3.6e6));
}

/// False if the deadline passed.
bool wait_until_ready(const Socket& socket, short events, Deadline deadline) {
  pollfd entry{socket.descriptor(), events, 0};
  for (;;) {
    const int count = ::poll(&entry, 1, milliseconds_until(deadline));
    if (count > 0) return true;
    if (count == 0) return false;
    if (errno != EINTR) return false;
  }
}

/// 0, or the errno of the attempt.
int connect_once(const addrinfo& address, Deadline deadline, Socket& result) {
  Socket socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return errno;
  if (::connect(socket.descriptor(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    if (!wait_until_ready(socket, POLLOUT, deadline)) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return error;
  }
  set_option(socket, IPPROTO_TCP, TCP_NODELAY);
  result = std::move(socket);
  return 0;
}

void transfer(const Socket& socket, char* data, std::size_t bytes, bool sends, Deadline deadline) {
  while (bytes > 0) {
    const ssize_t count = sends ? ::send(socket.descriptor(), data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT)
                                : ::recv(socket.descriptor(), data, bytes, MSG_DONTWAIT);
    if (count > 0) {
      data += count;
      bytes -= static_cast<std::size_t>(count);
    } else if (count == 0 && !sends) {
      throw DistributedError("store: the other side closed the connection");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_until_ready(socket, sends ? POLLOUT : POLLIN, deadline))
        throw DistributedError("store: no answer in time");
    } else if (errno != EINTR) {
      throw DistributedError(str("store: ", std::strerror(errno)));
    }
  }
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Socket listen_on(const std::string& address, int port) {
  const Addresses addresses(address, port, AI_PASSIVE);
  int error = 0;
  for (const addrinfo* a = addresses.list; a; a = a->ai_next) {
    Socket socket(::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) continue;
    set_option(socket, SOL_SOCKET, SO_REUSEADDR);
    if (::bind(socket.descriptor(), a->ai_addr, a->ai_addrlen) == 0 && ::listen(socket.descriptor(), 1024) == 0)
      return socket;
    error = errno;
  }
  if (error == EADDRINUSE)
    throw DistributedError(str("store: port ", port, " of this machine is taken, so rank 0 cannot have its store there; ",
                               "another job may run here: choose another MASTER_PORT"));
  throw DistributedError(str("store: rank 0 cannot listen on ", address, ":", port, ": ",
                             addresses.error ? gai_strerror(addresses.error) : std::strerror(error)));
}

int port_of(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

std::string local_address(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[NI_MAXHOST] = "";
  if (getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) == 0)
    getnameinfo(reinterpret_cast<sockaddr*>(&address), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return text;
}

Socket connect_to(const std::string& address, int port, Deadline deadline) {
  for (std::string reason;;) {
    const Addresses addresses(address, port, 0);
    if (addresses.error) reason = gai_strerror(addresses.error);
    for (const addrinfo* a = addresses.list; a; a = a->ai_next) {
      Socket socket;
      const int error = connect_once(*a, deadline, socket);
      if (error == 0) return socket;
      reason = std::strerror(error);
    }
    if (seconds_until(deadline) < 0.05)
      throw DistributedError(str("store: rank 0 could not be reached at ", address, ":", port, " (", reason,
                                 "); does it run, and do MASTER_ADDR and MASTER_PORT name it?"), {0});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void send_message(const Socket& socket, const std::string& message, Deadline deadline) {
  const auto size = static_cast<std::uint32_t>(message.size());
  std::string framed(reinterpret_cast<const char*>(&size), sizeof size);
  framed += message;
  transfer(socket, framed.data(), framed.size(), true, deadline);
}

std::string receive_message(const Socket& socket, Deadline deadline) {
  std::uint32_t size = 0;
  transfer(socket, reinterpret_cast<char*>(&size), sizeof size, false, deadline);
  if (size > longest_message) throw DistributedError("store: what answers there is no store of minima");
  std::string message(size, '\0');
  transfer(socket, message.data(), size, false, deadline);
  return message;
}

Writer& Writer::number(std::int64_t value) {
  message_.append(reinterpret_cast<const char*>(&value), sizeof value);
  return *this;
}

Writer& Writer::text(const std::string& value) {
  number(static_cast<std::int64_t>(value.size()));
  message_ += value;
  return *this;
}

const char* Reader::take(std::size_t bytes) {
  if (bytes > message_.size() - at_) throw DistributedError("store: a message ends too early");
  const char* const result = message_.data() + at_;
  at_ += bytes;
  return result;
}

std::int64_t Reader::number() {
  std::int64_t value = 0;
  std::memcpy(&value, take(sizeof value), sizeof value);
  return value;
}

std::string Reader::text() {
  const std::int64_t size = number();
  if (size < 0) throw DistributedError("store: a message ends too early");
  return {take(static_cast<std::size_t>(size)), static_cast<std::size_t>(size)};
}

}  // namespace minima::distributed::detail
