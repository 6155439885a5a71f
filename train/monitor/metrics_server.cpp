#include <minima/train/monitor/metrics_server.h>

#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

using detail::Descriptor;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_clients = 256, longest_request = 8192;
constexpr auto patience = std::chrono::seconds(1);
/// Until accepting is tried again after the process had no descriptor left for a client.
constexpr auto pause = std::chrono::milliseconds(100);

/// Milliseconds until then, rounded up.
int timeout_until(Clock::time_point then) {
  return static_cast<int>(
      std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(then - Clock::now()).count()));
}

}  // namespace

struct MetricsServer::Client {
  Descriptor socket;
  Clock::time_point deadline;
  std::string request = {}, reply = {};
  std::size_t sent = 0;
};

MetricsServer::MetricsServer(int port, Function<std::string()> text)
    : text_(std::move(text)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (port < 0 || port > 65535) throw ValueError(str("MetricsServer: port ", port, "; expected one from 0 to 65535"));
  const int yes = 1;
  setsockopt(listener_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  int ends[2];
  if (!listener_ || bind(listener_.number(), generic, sizeof address) != 0 ||
      listen(listener_.number(), SOMAXCONN) != 0 || getsockname(listener_.number(), generic, &length) != 0 ||
      pipe2(ends, O_CLOEXEC) != 0)
    throw Error(str("MetricsServer: port ", port, " of 127.0.0.1: ", std::strerror(errno)));
  stop_ = Descriptor(ends[0]);
  stopper_ = Descriptor(ends[1]);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

MetricsServer::~MetricsServer() {
  stopper_ = Descriptor();
  if (thread_.joinable()) thread_.join();
}

void MetricsServer::serve() {
  std::vector<Client> clients;
  Clock::time_point accepting;  // from then on
  std::vector<pollfd> wanted;
  for (;;) {
    const Clock::time_point now = Clock::now();
    std::erase_if(clients, [&](const Client& client) { return client.deadline <= now; });
    const bool has_room = clients.size()<max_clients, paused = accepting> now;
    wanted.assign({{stop_.number(), POLLIN, 0}, {has_room && !paused ? listener_.number() : -1, POLLIN, 0}});
    int timeout = paused ? timeout_until(accepting) : -1;
    for (const Client& client : clients) {
      wanted.push_back({client.socket.number(), static_cast<short>(client.reply.empty() ? POLLIN : POLLOUT), 0});
      const int left = timeout_until(client.deadline);
      if (timeout < 0 || left < timeout) timeout = left;
    }
    if (poll(wanted.data(), wanted.size(), timeout) < 0 && errno != EINTR) return;
    if (wanted[0].revents != 0) return;
    for (std::size_t i = clients.size(); i-- > 0;)
      if (wanted[i + 2].revents != 0 && !advance(clients[i]))
        clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(i));
    if (wanted[1].revents == 0) continue;
    while (clients.size() < max_clients) {
      Descriptor socket(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
        accepting = Clock::now() + pause;
      if (!socket) break;
      clients.push_back({.socket = std::move(socket), .deadline = Clock::now() + patience});
    }
  }
}

bool MetricsServer::advance(Client& client) const {
  if (client.reply.empty()) {
    char piece[1024];
    const ssize_t count = recv(client.socket.number(), piece, sizeof piece, 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    client.request.append(piece, static_cast<std::size_t>(count));
    if (client.request.find("\r\n\r\n") == std::string::npos && client.request.size() < longest_request) return true;
    client.reply = reply_to(client.request);
  }
  const ssize_t count =
      send(client.socket.number(), client.reply.data() + client.sent, client.reply.size() - client.sent, MSG_NOSIGNAL);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  client.sent += static_cast<std::size_t>(count);
  return client.sent < client.reply.size();
}

std::string MetricsServer::reply_to(const std::string& request) const {
  const char* status = "404 Not Found";
  std::string body = "Only GET /metrics is here.\n";
  if (request.starts_with("GET /metrics ") || request.starts_with("GET /metrics?")) try {
      body = text_();
      status = "200 OK";
    } catch (const std::exception& error) {
      body = str(error.what(), "\n");
      status = "500 Internal Server Error";
    }
  return str("HTTP/1.1 ", status,
             "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: ", body.size(),
             "\r\nConnection: close\r\n\r\n", body);
}

}  // namespace minima::train
