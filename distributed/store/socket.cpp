#include <minima/distributed/store/socket.h>

#include <minima/tensor/base/format.h>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

/// The addresses of a name. Retries until the deadline: in a cluster a name may become known late.
struct Addresses {
  Addresses(const std::string& address, int port, Deadline deadline = {}) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    while ((error = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &list)) != 0 &&
           seconds_until(deadline) > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  Addresses(const Addresses&) = delete;
  ~Addresses() {
    if (list) freeaddrinfo(list);
  }
  addrinfo* list = nullptr;
  int error = 0;
};

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24 == 127;
  if (address->sa_family != AF_INET6) return false;
  const in6_addr& ip = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&ip) || (IN6_IS_ADDR_V4MAPPED(&ip) && ip.s6_addr[12] == 127);
}

void set_port(sockaddr* address, int port) {
  (address->sa_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(address)->sin6_port
                                  : reinterpret_cast<sockaddr_in*>(address)->sin_port) =
      htons(static_cast<std::uint16_t>(port));
}

void set_option(const Socket& socket, int level, int option) {
  const int on = 1;
  setsockopt(socket.descriptor(), level, option, &on, sizeof on);
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
      throw TransportError("the peer closed the connection");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_until_ready(socket, sends ? POLLOUT : POLLIN, deadline)) throw TransportError("no answer in time");
    } else if (errno != EINTR) {
      throw TransportError(std::strerror(errno));
    }
  }
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string endpoint(const std::string& address, int port) {
  return address.find(':') == std::string::npos ? str(address, ":", port) : str("[", address, "]:", port);
}

bool is_loopback(const std::string& address, Deadline deadline) {
  const Addresses addresses(address, 0, deadline);
  if (addresses.error)
    throw DistributedError(str("store: rank 0's address '", address, "' is not known on this machine (",
                               gai_strerror(addresses.error), "); does MASTER_ADDR name its host?"),
                           {0});
  for (const addrinfo* a = addresses.list; a; a = a->ai_next)
    if (!is_loopback(a->ai_addr)) return false;
  return true;
}

namespace {

/// Whether an earlier address in the list is the same: a name may have an address twice.
bool is_repeated(const Addresses& addresses, const addrinfo* a) {
  for (const addrinfo* b = addresses.list; b != a; b = b->ai_next)
    if (a->ai_addrlen == b->ai_addrlen && std::memcmp(a->ai_addr, b->ai_addr, a->ai_addrlen) == 0) return true;
  return false;
}

/// Sets `listening`; 0, or the errno of the attempt.
int listen_at(const addrinfo& a, int port, Socket& listening) {
  Socket socket(::socket(a.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return errno;
  set_option(socket, SOL_SOCKET, SO_REUSEADDR);
  sockaddr_storage place{};
  std::memcpy(&place, a.ai_addr, a.ai_addrlen);
  set_port(reinterpret_cast<sockaddr*>(&place), port);
  if (::bind(socket.descriptor(), reinterpret_cast<sockaddr*>(&place), a.ai_addrlen) != 0 ||
      ::listen(socket.descriptor(), 1024) != 0)
    return errno;
  listening = std::move(socket);
  return 0;
}

}  // namespace

std::vector<Socket> listen_on(const std::string& address, int port, Deadline deadline) {
  const Addresses addresses(address, port, deadline);
  const auto refuse = [&](const std::string& reason) {
    return DistributedError(str("store: rank 0 cannot listen on ", endpoint(address, port), ": ", reason));
  };
  if (addresses.error) throw refuse(gai_strerror(addresses.error));
  std::vector<Socket> sockets;
  int error = 0;
  for (addrinfo* a = addresses.list; a; a = a->ai_next) {
    if (is_repeated(addresses, a)) continue;
    Socket socket;
    const int failure = listen_at(*a, sockets.empty() ? port : port_of(sockets[0]), socket);
    if (failure == EADDRINUSE)
      throw DistributedError(str("store: port ", port, " of this machine is taken, so rank 0 cannot listen there; ",
                                 "another job may be running here: choose another MASTER_PORT"));
    if (failure != 0) error = failure;
    else sockets.push_back(std::move(socket));
  }
  if (!sockets.empty()) return sockets;
  if (error == EADDRNOTAVAIL)
    throw refuse(
        "no interface of this machine has that address. Start rank 0 on the host that MASTER_ADDR names; if the "
        "address is translated (NAT, a Kubernetes service), set MINIMA_STORE_LISTEN to the address to listen on");
  throw refuse(std::strerror(error));
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
    const Addresses addresses(address, port);
    if (addresses.error) reason = gai_strerror(addresses.error);
    for (const addrinfo* a = addresses.list; a; a = a->ai_next) {
      Socket socket;
      // An address that drops packets must not use up the time for the others.
      const int error = connect_once(*a, std::min(deadline, after(5)), socket);
      if (error == 0) return socket;
      reason = std::strerror(error);
    }
    if (seconds_until(deadline) < 0.05)
      throw DistributedError(str("store: rank 0 could not be reached at ", endpoint(address, port), " (", reason,
                                 "); does it run, and do MASTER_ADDR and MASTER_PORT name it?"),
                             {0});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void send_message(const Socket& socket, const std::string& message, Deadline deadline) {
  const auto size = static_cast<std::uint32_t>(message.size());
  std::string framed(reinterpret_cast<const char*>(&size), sizeof size);
  framed += message;
  transfer(socket, framed.data(), framed.size(), true, deadline);
}

std::string receive_message(const Socket& socket, Deadline deadline, std::uint32_t longest) {
  std::uint32_t size = 0;
  transfer(socket, reinterpret_cast<char*>(&size), sizeof size, false, deadline);
  if (size > longest) throw DistributedError("the server is not a minima store");
  std::string message(size, '\0');
  transfer(socket, message.data(), size, false, deadline);
  return message;
}

MessageWriter& MessageWriter::number(std::int64_t value) {
  message_.append(reinterpret_cast<const char*>(&value), sizeof value);
  return *this;
}

MessageWriter& MessageWriter::text(const std::string& value) {
  number(static_cast<std::int64_t>(value.size()));
  message_ += value;
  return *this;
}

const char* MessageReader::take(std::size_t bytes) {
  if (bytes > message_.size() - at_) throw DistributedError("store: a message ends too early");
  const char* const result = message_.data() + at_;
  at_ += bytes;
  return result;
}

std::int64_t MessageReader::number() {
  std::int64_t value = 0;
  std::memcpy(&value, take(sizeof value), sizeof value);
  return value;
}

std::int64_t MessageReader::number(std::int64_t low, std::int64_t high) {
  const std::int64_t value = number();
  if (value < low || value > high)
    throw DistributedError(str("store: a message has ", value, " where ", low, " … ", high, " may be"));
  return value;
}

std::string MessageReader::text() {
  const std::int64_t size = number();
  if (size < 0) throw DistributedError("store: a message ends too early");
  return {take(static_cast<std::size_t>(size)), static_cast<std::size_t>(size)};
}

}  // namespace minima::distributed::detail
