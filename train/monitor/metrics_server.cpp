#include <minima/train/monitor/metrics_server.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace minima::train {

MetricsServer::MetricsServer(int port, Function<std::string()> text) : text_(std::move(text)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof address;
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 4) != 0 || getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
      pipe(stop_) != 0) {
    const std::string reason = std::strerror(errno);
    if (listener_ >= 0) close(listener_);
    throw Error(str("MetricsServer: port ", port, " of 127.0.0.1: ", reason));
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

MetricsServer::~MetricsServer() {
  close(stop_[1]);
  thread_.join();
  close(stop_[0]);
  close(listener_);
}

void MetricsServer::serve() {
  for (;;) {
    pollfd wanted[] = {{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    if (poll(wanted, 2, -1) < 0 && errno != EINTR) return;
    if (wanted[0].revents != 0) return;
    if (wanted[1].revents == 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const timeval patience{1, 0};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    answer(client);
    close(client);
  }
}

void MetricsServer::answer(int client) const {
  std::string request;
  char piece[1024];
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < 8192) {
    const ssize_t count = recv(client, piece, sizeof piece, 0);
    if (count <= 0) return;
    request.append(piece, static_cast<std::size_t>(count));
  }
  const bool is_known = request.starts_with("GET /metrics ") || request.starts_with("GET /metrics?");
  const std::string body = is_known ? text_() : "Only GET /metrics is here.\n";
  const std::string reply =
      str("HTTP/1.1 ", is_known ? "200 OK" : "404 Not Found",
          "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: ", body.size(),
          "\r\nConnection: close\r\n\r\n", body);
  for (std::size_t sent = 0; sent < reply.size();) {
    const ssize_t count = send(client, reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace minima::train
