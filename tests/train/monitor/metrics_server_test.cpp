#include "tests/support/expect_error.h"
#include "tests/train/monitor/client.h"

#include <minima/tensor/base/error.h>
#include <minima/train/monitor/metrics_server.h>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace minima::train::metrics_server_test {
namespace {

using test::answer_of;
using test::client_of;
using test::message_of;

TEST(MetricsServer, AnswersForMetricsOnly) {
  const MetricsServer server(0, [] { return std::string("a 1\n"); });
  EXPECT_GT(server.port(), 0);
  EXPECT_EQ(answer_of(server.port(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: 4\r\n"
            "Connection: close\r\n\r\na 1\n");
  for (const char* other :
       {"GET / HTTP/1.1\r\n\r\n", "POST /metrics HTTP/1.1\r\n\r\n", "GET /metricsx HTTP/1.1\r\n\r\n"})
    EXPECT_TRUE(answer_of(server.port(), other).starts_with("HTTP/1.1 404 Not Found\r\n")) << other;
  EXPECT_EQ(answer_of(server.port(), std::string(20000, 'x')).substr(0, 4), "HTTP");  // and the next one is served
  EXPECT_TRUE(answer_of(server.port(), "GET /metrics HTTP/1.1\r\n\r\n").ends_with("a 1\n"));
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(MetricsServer, ServesOthersBesideClientsThatAreSilentOrSlow) {
  std::vector<int> silent;
  std::atomic<bool> done = false;
  std::thread slow;
  const double seconds = seconds_of([&] {
    const MetricsServer server(0, [] { return std::string("a 1\n"); });
    for (int i = 0; i < 200; ++i) silent.push_back(client_of(server.port()));
    slow = std::thread([&, client = client_of(server.port())] {  // a byte now and then
      while (!done && send(client, "x", 1, MSG_NOSIGNAL) == 1) usleep(100'000);
      close(client);
    });
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(answer_of(server.port(), "GET /metrics HTTP/1.1\r\n\r\n").ends_with("a 1\n"));
  });
  EXPECT_LT(seconds, 10) << "each of them must not be waited for";
  done = true;
  slow.join();
  for (const int client : silent) close(client);
}

TEST(MetricsServer, DropsAClientAfterASecondInAll) {
  const MetricsServer server(0, [] { return std::string("a 1\n"); });
  const int client = client_of(server.port());
  char byte;
  int sent = 0;
  for (; sent < 200 && recv(client, &byte, 1, MSG_DONTWAIT) != 0 && send(client, "x", 1, MSG_NOSIGNAL) == 1; ++sent)
    usleep(50'000);
  EXPECT_LT(sent, 150);
  close(client);
}

TEST(MetricsServer, IsNotHeldByAProgramThatWasStarted) {
  std::FILE* child = nullptr;
  EXPECT_LT(seconds_of([&] {
              const MetricsServer server(0, [] { return std::string(); });
              child = popen("sleep 5", "re");
            }),
            4);
  pclose(child);
}

TEST(MetricsServer, RestsWhenThereIsNoDescriptorLeft) {
  const MetricsServer server(0, [] { return std::string("a 1\n"); });
  std::vector<int> clients{client_of(server.port())}, all;
  for (int i = 0; i < 3; ++i) clients.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{static_cast<rlim_t>(clients.back()) + 8, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  for (int copy; (copy = dup(0)) >= 0;) all.push_back(copy);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
  for (int i = 1; i < 4; ++i)
    connect(clients[static_cast<std::size_t>(i)], reinterpret_cast<sockaddr*>(&address), sizeof address);
  const auto processor_time = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  };
  const double start = processor_time();
  usleep(500'000);
  EXPECT_LT(processor_time() - start, 0.2);
  for (const int copy : all) close(copy);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(answer_of(server.port(), "GET /metrics HTTP/1.1\r\n\r\n").ends_with("a 1\n"));
  for (const int client : clients) close(client);
}

TEST(MetricsServer, RefusesPortsThatAreNone) {
  for (const int port : {-1, 65536, 70000, 131152, INT_MAX, INT_MIN})
    EXPECT_EQ(message_of<ValueError>([&] { MetricsServer(port, [] { return std::string(); }); }),
              "MetricsServer: port " + std::to_string(port) + "; expected one from 0 to 65535");
}

TEST(MetricsServer, AnswersThatItsTextThrew) {
  const MetricsServer server(0, []() -> std::string { throw std::runtime_error("no figures"); });
  EXPECT_CONTAINS(answer_of(server.port(), "GET /metrics HTTP/1.1\r\n\r\n"), "HTTP/1.1 500 Internal Server Error");
}

TEST(MetricsServer, SaysWhichPortIsTaken) {
  const MetricsServer server(0, [] { return std::string(); });
  EXPECT_CONTAINS(message_of<Error>([&] { MetricsServer(server.port(), [] { return std::string(); }); }),
                  "MetricsServer: port " + std::to_string(server.port()) + " of 127.0.0.1: Address already in use");
}

}  // namespace
}  // namespace minima::train::metrics_server_test
