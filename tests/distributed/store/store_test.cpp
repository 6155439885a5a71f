#include <minima/distributed/store/ledger.h>

#include <minima/distributed/store/error.h>

#include "tests/support/temporary_folder.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <thread>

// The store's server against other jobs, other programs and floods; on loopback, bounded in number and time.

namespace minima::distributed::store_test {
namespace {

using detail::after;
using detail::Socket;
using detail::Store;
using detail::StoreIdentity;
using detail::StoreServer;

constexpr char host[] = "127.0.0.1";

std::string refusal(const StoreServer& server, const StoreIdentity& identity) {
  return test::message_of<DistributedError>([&] { Store(host, server.port(), identity, true, after(2)); });
}

/// A connection that has sent nothing.
Socket stranger(const StoreServer& server) { return detail::connect_to(host, server.port(), after(2)); }

/// Whether the server has closed a connection, within the time.
bool is_closed(const Socket& socket, double seconds) {
  char buffer[4096];
  for (const detail::Deadline deadline = after(seconds);;) {
    const ssize_t count = ::recv(socket.descriptor(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN)) return true;
    if (detail::seconds_until(deadline) <= 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST(Store, RefusesWhatDoesNotBelongToTheJob) {
  const StoreServer server(host, 0, {"job", 0, 2});
  EXPECT_CONTAINS(refusal(server, {"other", 1, 2}), "token differs");
  EXPECT_CONTAINS(refusal(server, {"job", 1, 3}), "its world has 2 ranks, ours 3");
  EXPECT_CONTAINS(refusal(server, {"job", 2, 2}), "no rank 2");
  const Store first(host, server.port(), {"job", 1, 2}, true, after(2));
  EXPECT_CONTAINS(refusal(server, {"job", 1, 2}), "a rank 1 already");
  EXPECT_CONTAINS(test::message_of<DistributedError>([&] { StoreServer second(host, server.port(), {"job", 0, 2}); }),
                  "is taken");
}

TEST(Store, RefusesAnotherSecret) {
  const std::string secret(32, 's');
  const StoreServer with(host, 0, {"job", 0, 2, secret}), without(host, 0, {"job", 0, 2});
  Store(host, with.port(), {"job", 0, 2, secret}, true, after(2)).set("key", "value");
  EXPECT_CONTAINS(refusal(with, {"job", 1, 2, std::string(32, 't')}), "another secret");
  EXPECT_CONTAINS(refusal(with, {"job", 1, 2}), "another secret than this rank, which has none");
  EXPECT_CONTAINS(refusal(without, {"job", 1, 2, secret}), "another secret");
}

TEST(Store, OutlivesStrangersWhoSpeakAnotherProtocol) {
  const StoreServer server(host, 0, {"job", 0, 1});
  for (const std::string& nonsense :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(64, '\xff'), std::string("\4\0\0\0abcd", 8)}) {
    const Socket other = stranger(server);
    detail::send_message(other, nonsense, after(2));
    EXPECT_TRUE(is_closed(other, 2));
  }
  Store store(host, server.port(), {"job", 0, 1}, true, after(2));
  store.set("key", "value");
  EXPECT_EQ(store.get("key"), "value");
  EXPECT_EQ(store.get("other"), std::nullopt);
  EXPECT_EQ(store.add("counter", 3), 3);
  EXPECT_EQ(store.add("counter", -1), 2);
}

TEST(Store, CountersDoNotOverflow) {
  const StoreServer server(host, 0, {"job", 0, 1});
  Store store(host, server.port(), {"job", 0, 1}, true, after(2));
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(store.add("counter", most), most);
  EXPECT_CONTAINS(test::message_of<DistributedError>([&] { store.add("counter", 1); }),
                  "the counter 'counter' is at 9223372036854775807, and 1 more do not fit");
  EXPECT_EQ(store.add("counter", -most), 0);
  EXPECT_EQ(store.add("counter", -most - 1), -most - 1);
  EXPECT_THROW(store.add("counter", -1), DistributedError);
}

TEST(Store, KeepsNoMoreThanAJobNeeds) {
  detail::Ledger ledger({"job", 0, 1});
  detail::Peer peer;
  peer.rank = 0;
  const std::string value(1 << 20, 'x');
  const auto set = [&](int key) {
    const std::string request = detail::MessageWriter()
                                    .number(static_cast<int>(detail::Request::set))
                                    .text(std::to_string(key))
                                    .text(value)
                                    .message();
    const auto size = static_cast<std::uint32_t>(request.size());
    peer.in = std::string(reinterpret_cast<const char*>(&size), sizeof size) + request;
    peer.out.clear();
    EXPECT_TRUE(ledger.step(peer));
    const std::string answer = peer.out.substr(sizeof size);
    return detail::MessageReader(answer).text();
  };
  int kept = 0;
  while (kept < 1000 && set(kept).empty()) ++kept;
  EXPECT_GE(kept, 60);
  EXPECT_LE(kept, 65);
  EXPECT_CONTAINS(set(1000), "no room for the 1048576 bytes of '1000'");
  EXPECT_EQ(set(0), "");  // replaces the old value
}

TEST(Store, StrangersCannotFillItsMemory) {
  const StoreServer server(host, 0, {"job", 0, 1});
  const double before = resident_mib();
  const std::uint32_t size = detail::longest_message;
  const std::string piece(1 << 16, 'x');
  std::vector<Socket> flood;
  for (int i = 0; i < 50; ++i) {
    flood.push_back(stranger(server));
    const Socket& socket = flood.back();
    if (::send(socket.descriptor(), &size, sizeof size, MSG_NOSIGNAL) < 0) continue;
    // Nearly all of the announced message, or as much as the server accepts.
    for (std::size_t sent = 0; sent + piece.size() < size;) {
      pollfd entry{socket.descriptor(), POLLOUT, 0};
      if (::poll(&entry, 1, 500) <= 0) break;
      const ssize_t count = ::send(socket.descriptor(), piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0) break;
      sent += static_cast<std::size_t>(count);
    }
  }
  EXPECT_LT(resident_mib() - before, 100);
  for (const Socket& socket : flood) EXPECT_TRUE(is_closed(socket, 2));
  Store(host, server.port(), {"job", 0, 1}, true, after(2)).set("key", "value");
}

TEST(Store, StrangersHaveToSayHelloInTime) {
  const StoreServer server(host, 0, {"job", 0, 1}, {}, {.hello_seconds = 0.3});
  const Socket silent = stranger(server), slow = stranger(server);
  detail::send_message(slow, detail::hello(std::string(detail::digest_size, 'n')), after(1));
  EXPECT_EQ(detail::receive_message(slow, after(1)).size(), 1 + 2 * detail::digest_size);
  Store member(host, server.port(), {"job", 0, 1}, true, after(2));
  EXPECT_FALSE(is_closed(silent, 0.1));
  EXPECT_TRUE(is_closed(silent, 2));
  EXPECT_TRUE(is_closed(slow, 2));
  member.set("key", "value");  // the limit applies only before authentication
}

TEST(Store, StrangersBeyondALimitMakeRoomForTheNext) {
  const StoreServer server(host, 0, {"job", 0, 1}, {}, {.strangers = 8});
  std::vector<Socket> flood;
  for (int i = 0; i < 100; ++i) flood.push_back(stranger(server));
  Store member(host, server.port(), {"job", 0, 1}, true, after(5));
  member.set("key", "value");
  int open = 0;
  for (const Socket& socket : flood) open += !is_closed(socket, 0);
  EXPECT_LE(open, 10);
  EXPECT_GE(open, 1);
}

TEST(Store, ARankHasFewConnections) {
  const StoreServer server(host, 0, {"job", 0, 2});
  std::vector<std::unique_ptr<Store>> stores;
  const auto join = [&](int rank) {
    stores.push_back(std::make_unique<Store>(host, server.port(), StoreIdentity{"job", rank, 2}, false, after(2)));
  };
  for (int i = 0; i < detail::Ledger::most_connections; ++i) join(1);
  EXPECT_CONTAINS(test::message_of<DistributedError>([&] { join(1); }), "rank 1 has 8 connections already");
  join(0);
  stores.erase(stores.begin());
  for (int tries = 0; tries < 100 && stores.size() < 9; ++tries) {  // the server may notice a little later
    try {
      join(1);
    } catch (const DistributedError&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  EXPECT_EQ(stores.size(), 9u);
}

/// Uses up all descriptors for its lifetime.
class NoDescriptors {
 public:
  explicit NoDescriptors(const Socket& any) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{std::min<rlim_t>(before_.rlim_cur, 200), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (int d; (d = ::dup(any.descriptor())) >= 0;) descriptors_.emplace_back(d);
    EXPECT_EQ(errno, EMFILE);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
  std::vector<Socket> descriptors_;
};

TEST(Store, WaitsWithoutSpinningForDescriptors) {
  const StoreServer server(host, 0, {"job", 0, 1});
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const Socket client(descriptor);
  {
    const NoDescriptors none(client);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_LT(cpu_seconds() - before, 0.1);
  }
  // Now it is its turn.
  detail::send_message(client, detail::hello(std::string(detail::digest_size, 'n')), after(1));
  EXPECT_EQ(detail::receive_message(client, after(2)).size(), 1 + 2 * detail::digest_size);
}

TEST(Store, AFloodHoldsUpNobody) {
  const StoreServer server(host, 0, {"job", 0, 4}, {}, {.strangers = 16});
  std::atomic<bool> ends = false;
  std::vector<std::thread> flood;
  for (int t = 0; t < 2; ++t)
    flood.emplace_back([&] {
      std::vector<Socket> open;
      for (int i = 0; i < 2000 && !ends; ++i) {
        try {
          open.push_back(stranger(server));
        } catch (const DistributedError&) {}
        if (open.size() > 50) open.erase(open.begin());
      }
    });
  for (int rank = 0; rank < 4; ++rank)
    Store(host, server.port(), {"job", rank, 4}, true, after(20)).set(std::to_string(rank), "here");
  ends = true;
  for (std::thread& thread : flood) thread.join();
  EXPECT_EQ(Store(host, server.port(), {"job", 0, 4}, false, after(2)).get("3"), "here");
}

std::string listening_at(const std::vector<Socket>& sockets) {
  std::string text;
  for (const Socket& socket : sockets) text += detail::local_address(socket) + " ";
  return text;
}

bool answers(const std::string& address, int port) {
  try {
    detail::connect_to(address, port, {});
    return true;
  } catch (const DistributedError&) {
    return false;
  }
}

TEST(Store, ListensAtTheNamedAddressAlone) {
  const StoreServer server("127.0.0.2", 0, {"job", 0, 1});
  EXPECT_TRUE(answers("127.0.0.2", server.port()));
  EXPECT_FALSE(answers("127.0.0.1", server.port()));
  EXPECT_EQ(listening_at(detail::listen_on("127.0.0.3", 0)), "127.0.0.3 ");
  EXPECT_CONTAINS(test::message_of<DistributedError>([] { detail::listen_on("203.0.113.7", 29500); }),
                  "cannot listen on 203.0.113.7:29500: no interface of this machine has that address");
  EXPECT_CONTAINS(test::message_of<DistributedError>([] { detail::listen_on("no-such-host.invalid", 29500); }),
                  "no-such-host.invalid");
}

TEST(Store, ListensAtTheNamedInterfaceAlone) {
  ifaddrs* interfaces = nullptr;
  ASSERT_EQ(::getifaddrs(&interfaces), 0);
  std::string address;
  for (const ifaddrs* i = interfaces; i && address.empty(); i = i->ifa_next) {
    char text[INET_ADDRSTRLEN];
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || (i->ifa_flags & IFF_LOOPBACK) || !(i->ifa_flags & IFF_UP))
      continue;
    address = ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, text, sizeof text);
  }
  ::freeifaddrs(interfaces);
  if (address.empty()) GTEST_SKIP() << "this machine has no interface but loopback";
  const StoreServer server(address, 0, {"job", 0, 1});
  EXPECT_TRUE(answers(address, server.port()));
  EXPECT_FALSE(answers("127.0.0.1", server.port()));
}

TEST(Store, SpeaksIpv6) {
  const Socket probe(::socket(AF_INET6, SOCK_STREAM, 0));
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  if (::bind(probe.descriptor(), reinterpret_cast<sockaddr*>(&loopback), sizeof loopback) != 0)
    GTEST_SKIP() << "this machine has no ::1";
  const StoreServer server("::1", 0, {"job", 0, 1});
  Store store("::1", server.port(), {"job", 0, 1}, true, after(2));
  store.set("key", "value");
  EXPECT_EQ(store.local_address(), "::1");
  EXPECT_FALSE(answers("127.0.0.1", server.port()));
  EXPECT_EQ(detail::endpoint("::1", 5), "[::1]:5");
  EXPECT_CONTAINS(test::message_of<DistributedError>([&] { StoreServer("::1", server.port(), {"job", 0, 1}); }),
                  "is taken");
}

TEST(Store, KnowsWhatIsLoopback) {
  for (const char* address : {"127.0.0.1", "127.8.9.1", "localhost", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(detail::is_loopback(address)) << address;
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "fe80::1", "::ffff:10.0.0.1"})
    EXPECT_FALSE(detail::is_loopback(address)) << address;
  EXPECT_CONTAINS(test::message_of<DistributedError>([] { detail::is_loopback("no-such-host.invalid"); }),
                  "'no-such-host.invalid' is not known");
}

}  // namespace
}  // namespace minima::distributed::store_test
