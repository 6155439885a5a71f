#pragma once

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace minima::test {

/// A connection to a port of the loopback device.
inline int client_of(int port) {
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  EXPECT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return client;
}

/// Returns the answer of a server on this port of the loopback device.
inline std::string answer_of(int port, const std::string& request) {
  const int client = client_of(port);
  std::string reply;
  if (send(client, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char piece[512];
    while (const ssize_t count = recv(client, piece, sizeof piece, 0)) {
      if (count < 0) break;
      reply.append(piece, static_cast<std::size_t>(count));
    }
  }
  close(client);
  return reply;
}

}  // namespace minima::test
