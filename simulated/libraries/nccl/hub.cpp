#include "simulated/libraries/nccl/hub.h"

#include "simulated/libraries/nccl/message.h"
#include "simulated/libraries/nccl/reduce.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace simulated::nccl {

namespace {

struct Rank {
  int socket = -1;
  int device = 0;
  std::uint64_t host = 0;
  std::size_t collectives = 0;  ///< that its stream has reached
  bool has_finalized = false;
};

/// A call that a rank's stream has reached.
struct Arrival {
  int rank;
  std::uint64_t ticket;
  Description call;
  Payload data;
};

class Hub {
 public:
  explicit Hub(int listener) : listener_(listener) {}
  ~Hub() { close(listener_); }
  void serve();

 private:
  void handle(int socket, Packet packet);
  void join(int socket, const Message& message);
  void begin();
  void connect(int rank, const Link& link);
  void arrive(Arrival arrival);
  void meet(Arrival arrival);
  void finish(std::vector<Arrival>& arrivals);
  void match(const Link& link);
  void leave(int socket);
  void finalize();
  template <class Is> void hurry(const Is& is_late);
  std::vector<int> last_to_first() const;
  void tell_all(const Message& message);
  void tell(int rank, const Message& message, const Payload& payload = {});
  std::size_t size() const { return ranks_.size(); }
  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  int listener_;
  std::vector<int> sockets_;
  std::map<int, int> rank_of_;  ///< by socket
  std::vector<Rank> ranks_;
  std::map<Link, std::set<int>> links_;  ///< who has asked for each
  std::map<std::size_t, std::vector<Arrival>> collectives_;
  std::map<Link, std::pair<std::deque<Arrival>, std::deque<Arrival>>> messages_;  ///< sends and receives
};

/// Ranks that have joined are served until all of them are gone.
void Hub::serve() {
  while (ranks_.empty() || !sockets_.empty()) {
    std::vector<pollfd> entries{{listener_, POLLIN, 0}};
    for (const int socket : sockets_) entries.push_back({socket, POLLIN, 0});
    if (poll(entries.data(), entries.size(), -1) < 0) continue;  // a signal
    if (entries[0].revents)
      if (const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); socket >= 0)
        sockets_.push_back(socket);
    for (std::size_t i = 1; i < entries.size(); ++i) {
      if (!entries[i].revents) continue;
      if (auto packet = receive(entries[i].fd)) handle(entries[i].fd, std::move(*packet));
      else leave(entries[i].fd);
    }
  }
}

void Hub::handle(int socket, Packet packet) {
  const Message& message = packet.message;
  if (message.kind == Kind::join) return join(socket, message);
  const int rank = rank_of_.at(socket);
  if (message.kind == Kind::connect) connect(rank, message.link);
  if (message.kind == Kind::arrive) arrive({rank, message.ticket, message.call, std::move(packet.payload)});
  if (message.kind == Kind::finalize) {
    at(rank).has_finalized = true;
    hurry([](const Rank& other) { return !other.has_finalized; });
    finalize();
  }
}

void Hub::join(int socket, const Message& message) {
  ranks_.resize(std::max(size(), static_cast<std::size_t>(message.size)));
  rank_of_[socket] = message.rank;
  at(message.rank) = {.socket = socket, .device = message.device, .host = message.host};
  if (std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.socket >= 0; })) begin();
}

/// "Duplicate GPU detected": two ranks of one host on one GPU.
void Hub::begin() {
  for (int a = 0; a < static_cast<int>(size()); ++a)
    for (int b = 0; b < a; ++b)
      if (at(a).host == at(b).host && at(a).device == at(b).device)
        return tell_all(text_message(Kind::refused, "Duplicate GPU detected : rank " + std::to_string(b) +
                                                        " and rank " + std::to_string(a) + " both on CUDA device " +
                                                        std::to_string(at(a).device)));
  for (const int rank : last_to_first()) tell(rank, {.kind = Kind::joined, .rank = at(rank).host != at(0).host});
}

void Hub::connect(int rank, const Link& link) {
  const Message answer{.kind = Kind::connected, .link = link};
  if (link == no_link) return tell(rank, answer);
  std::set<int>& there = links_[link];
  there.insert(rank);
  const std::size_t needed = link.from < 0 ? size() : link.from == link.to ? 1 : 2;
  if (there.size() == needed)
    for (const int other : there) tell(other, answer);
}

void Hub::arrive(Arrival arrival) {
  if (arrival.call.is_collective()) return meet(std::move(arrival));
  const bool sends = arrival.call.verb == Verb::send;
  const int peer = arrival.call.peer;
  const Link link = sends ? Link{arrival.rank, peer} : Link{peer, arrival.rank};
  tell(peer, {.kind = Kind::hurry});
  auto& [sent, received] = messages_[link];
  (sends ? sent : received).push_back(std::move(arrival));
  match(link);
}

/// Sends and receives between two ranks match in their order.
void Hub::match(const Link& link) {
  auto& [sent, received] = messages_[link];
  while (!sent.empty() && !received.empty()) {
    const Arrival from = std::move(sent.front()), to = std::move(received.front());
    sent.pop_front();
    received.pop_front();
    if (from.call.type != to.call.type || from.call.count != to.call.count)
      return tell_all(text_message(Kind::mismatch, "rank " + std::to_string(link.from) + " calls " +
                                                       describe(from.call) + ", rank " + std::to_string(link.to) +
                                                       " calls " + describe(to.call)));
    tell(link.from, {.kind = Kind::result, .ticket = from.ticket});
    tell(link.to, {.kind = Kind::result, .ticket = to.ticket}, from.data);
  }
}

/// The n-th collective of a rank is the n-th of all ranks; others never end.
void Hub::meet(Arrival arrival) {
  const std::size_t number = at(arrival.rank).collectives++;
  std::vector<Arrival>& arrivals = collectives_[number];
  arrivals.push_back(std::move(arrival));
  const Arrival &first = arrivals.front(), &last = arrivals.back();
  if (describe(first.call) != describe(last.call))
    return tell_all(text_message(Kind::mismatch, "collective " + std::to_string(number + 1) + ": rank " +
                                                     std::to_string(first.rank) + " calls " + describe(first.call) +
                                                     ", rank " + std::to_string(last.rank) + " calls " +
                                                     describe(last.call)));
  if (arrivals.size() < size()) {
    hurry([&](const Rank& other) { return other.collectives <= number; });
    return;
  }
  finish(arrivals);
  collectives_.erase(number);
}

void Hub::finish(std::vector<Arrival>& arrivals) {
  std::sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) { return a.rank < b.rank; });
  const Description call = arrivals[0].call;
  const auto agreed = [&](const Arrival& one) { return describe(one.call) == describe(call); };
  if (!std::all_of(arrivals.begin(), arrivals.end(), agreed)) return;  // reported
  const std::size_t bytes = call.count * bytes_of(call.type);
  const auto answer = [&](int rank, const Payload& data) {
    tell(rank, {.kind = Kind::result, .ticket = arrivals[static_cast<std::size_t>(rank)].ticket}, data);
  };
  const auto reduced = [&](int block) {
    std::vector<const void*> parts;
    for (const Arrival& one : arrivals) parts.push_back(one.data.data() + static_cast<std::size_t>(block) * bytes);
    Payload result(bytes);
    reduce(call.reduce, call.type, result.data(), parts, call.count);
    return result;
  };
  if (call.verb == Verb::reduce_scatter) {
    for (const int rank : last_to_first()) answer(rank, reduced(rank));
    return;
  }
  if (call.verb == Verb::reduce) {
    for (const int rank : last_to_first()) answer(rank, rank == call.peer ? reduced(0) : Payload());
    return;
  }
  Payload shared;
  if (call.verb == Verb::all_reduce) shared = reduced(0);
  else if (call.verb == Verb::broadcast) shared = std::move(arrivals[static_cast<std::size_t>(call.peer)].data);
  else {
    shared = Payload(bytes * size());
    for (std::size_t rank = 0; rank < size(); ++rank)
      std::memcpy(shared.data() + rank * bytes, arrivals[rank].data.data(), bytes);
  }
  for (const int rank : last_to_first()) answer(rank, shared);
}

/// Ranks of other hosts notice that a connection broke; those of the same host share memory with it, and wait.
void Hub::leave(int socket) {
  close(socket);
  std::erase(sockets_, socket);
  const auto found = rank_of_.find(socket);
  if (found == rank_of_.end()) return;
  const int gone = found->second;
  rank_of_.erase(found);
  at(gone).socket = -1;
  if (!std::exchange(at(gone).has_finalized, true))
    for (int rank = 0; rank < static_cast<int>(size()); ++rank)
      if (at(rank).host != at(gone).host) tell(rank, {.kind = Kind::gone, .rank = gone});
  finalize();
}

void Hub::finalize() {
  if (std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.has_finalized; }))
    tell_all({.kind = Kind::finalized});
}

template <class Is> void Hub::hurry(const Is& is_late) {
  for (int rank = 0; rank < static_cast<int>(size()); ++rank)
    if (is_late(at(rank))) tell(rank, {.kind = Kind::hurry});
}

/// The hub is in rank 0's process, which may end as soon as it has heard.
std::vector<int> Hub::last_to_first() const {
  std::vector<int> ranks(size());
  std::iota(ranks.rbegin(), ranks.rend(), 0);
  return ranks;
}

void Hub::tell_all(const Message& message) {
  for (const int rank : last_to_first()) tell(rank, message);
}

/// A rank that is gone hears nothing.
void Hub::tell(int rank, const Message& message, const Payload& payload) {
  if (at(rank).socket >= 0) send(at(rank).socket, message, payload);
}

}  // namespace

std::string start_hub() {
  std::random_device random;
  std::string name = "simulated-nccl-";
  for (int i = 0; i < 4; ++i) name += std::to_string(random()) + "-";
  const int listener = listen_at(name);
  if (listener < 0) throw std::system_error(errno, std::generic_category(), "a socket for NCCL");
  std::thread([hub = std::make_unique<Hub>(listener)] { hub->serve(); }).detach();
  return name;
}

}  // namespace simulated::nccl
