#include <minima/distributed/store/ledger.h>

#include <minima/distributed/store/error.h>
#include <minima/distributed/store/socket.h>
#include <minima/distributed/store/store.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

struct Connection {
  Connection(Socket&& socket, Deadline deadline) : socket(std::move(socket)), hello_by(deadline) {}
  bool is_stranger() const { return peer.rank < 0; }
  Socket socket;
  Peer peer;
  Deadline hello_by;
};

}  // namespace

struct StoreServer::Impl {
  Impl(const std::string& address, int port, const StoreIdentity& identity, Deadline deadline, StoreLimits limits)
      : listeners(listen_on(address, port, deadline)),
        ledger(identity),
        limits(limits),
        most_strangers(static_cast<std::size_t>(limits.strangers + 2 * identity.world_size)) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw DistributedError("store: no more descriptors");
    wake_read = Socket(ends[0]);
    wake_write = Socket(ends[1]);
    thread = std::thread([this] { serve(); });
  }
  ~Impl() {
    if (::write(wake_write.descriptor(), "x", 1) != 1) return;
    thread.join();
  }

  void serve() {
    for (;;) {
      const bool accepts = seconds_until(accept_from) <= 0;
      std::vector<pollfd> entries{{wake_read.descriptor(), POLLIN, 0}};
      for (const Socket& listener : listeners) entries.push_back({accepts ? listener.descriptor() : -1, POLLIN, 0});
      int timeout = accepts ? -1 : milliseconds_until(accept_from);
      for (const Connection& c : connections) {
        entries.push_back({c.socket.descriptor(), static_cast<short>(c.peer.out.empty() ? POLLIN : POLLOUT), 0});
        // The first stranger in the list is the oldest.
        if (c.is_stranger() && timeout < 0) timeout = milliseconds_until(c.hello_by);
      }
      if (::poll(entries.data(), entries.size(), timeout) < 0) {
        if (errno != EINTR) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        continue;
      }
      if (entries[0].revents) return;
      std::size_t i = 1 + listeners.size();
      for (auto c = connections.begin(); c != connections.end(); ++i) {
        const bool is_late = c->is_stranger() && seconds_until(c->hello_by) <= 0;
        c = (entries[i].revents == 0 || advance(*c)) && !is_late ? std::next(c) : drop(c);
      }
      for (i = 0; i < listeners.size(); ++i)
        if (entries[1 + i].revents) accept_all(listeners[i]);
    }
  }

  std::list<Connection>::iterator drop(std::list<Connection>::iterator c) {
    ledger.hang_up(c->peer);
    return connections.erase(c);
  }

  bool drop_oldest_stranger() {
    const auto oldest =
        std::find_if(connections.begin(), connections.end(), [](const Connection& c) { return c.is_stranger(); });
    if (oldest == connections.end()) return false;
    drop(oldest);
    return true;
  }

  void accept_all(const Socket& listener) try {
    for (int left = 64; left > 0; --left) {  // then serve the existing connections
      Socket socket(::accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (socket) {
        const auto strangers =
            std::count_if(connections.begin(), connections.end(), [](const Connection& c) { return c.is_stranger(); });
        if (static_cast<std::size_t>(strangers) >= most_strangers) drop_oldest_stranger();
        connections.emplace_back(std::move(socket), after(limits.hello_seconds));
      } else if (errno == EAGAIN) {
        return;
      } else if (errno != EINTR && errno != ECONNABORTED && !drop_oldest_stranger()) {
        // Out of descriptors: leave the connection in the queue, since a retry would fail at once.
        accept_from = after(0.2);
        return;
      }
    }
  } catch (const std::exception&) {  // out of memory: the same
    accept_from = after(0.2);
  }

  /// Writes, answers and reads without blocking; false if the connection must be closed. Reads nothing while an answer
  /// is unsent, so that a client cannot fill the memory with answers.
  bool advance(Connection& c) try {
    for (bool has_read = false;;) {
      while (!c.peer.out.empty()) {
        const ssize_t sent = ::send(c.socket.descriptor(), c.peer.out.data(), c.peer.out.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN;
        c.peer.out.erase(0, static_cast<std::size_t>(sent));
      }
      if (c.peer.is_refused) return false;
      if (ledger.step(c.peer)) continue;
      if (has_read) return true;
      char buffer[16384];
      const std::size_t room = c.is_stranger() ? sizeof(std::uint32_t) + longest_greeting : sizeof buffer;
      const ssize_t count = ::recv(c.socket.descriptor(), buffer, room, 0);
      if (count <= 0) return count < 0 && (errno == EAGAIN || errno == EINTR);
      c.peer.in.append(buffer, static_cast<std::size_t>(count));
      has_read = true;
    }
  } catch (const std::exception&) {
    return false;  // an invalid message
  }

  std::vector<Socket> listeners;
  Socket wake_read, wake_write;
  Ledger ledger;
  StoreLimits limits;
  std::size_t most_strangers;
  std::list<Connection> connections;
  Deadline accept_from{};
  std::thread thread;
};

StoreServer::StoreServer(const std::string& address, int port, const StoreIdentity& identity, Deadline deadline,
                         StoreLimits limits)
    : impl_(new Impl(address, port, identity, deadline, limits)) {}

StoreServer::~StoreServer() { delete impl_; }

int StoreServer::port() const { return port_of(impl_->listeners[0]); }

}  // namespace minima::distributed::detail
