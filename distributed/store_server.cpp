#include <minima/distributed/store_protocol.h>

#include <minima/distributed/error.h>
#include <minima/tensor/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <list>
#include <thread>

namespace minima::distributed::detail {

namespace {

struct Connection {
  explicit Connection(int descriptor) : socket(descriptor) {}
  Socket socket;
  std::string in, out;
  int rank = -1;  ///< -1 until it has said hello
  bool is_pulse = false;
  bool is_refused = false;  ///< closed once it has been told why
};

/// Everything but the sockets: keys, and what is known of the ranks.
class Ledger {
 public:
  Ledger(std::string token, int world_size)
      : token_(std::move(token)), members_(static_cast<std::size_t>(world_size)), heard_(members_.size()) {}

  /// Why this first message is refused; empty where it is welcome.
  std::string welcome(const std::string& message, Connection& connection) {
    Reader reader(message);
    if (reader.text() != store_magic) return "that was no process of minima";
    if (const std::int64_t version = reader.number(); version != store_protocol_version)
      return str("its protocol has version ", store_protocol_version, ", ours ", version, "; use one build everywhere");
    if (reader.text() != token_) return "the job token differs, so another job listens at this port; choose another MASTER_PORT";
    if (const std::int64_t size = reader.number(); size != world_size())
      return str("its world has ", world_size(), " ranks, ours ", size);
    const std::int64_t rank = reader.number();
    if (rank < 0 || rank >= world_size()) return str("there is no rank ", rank, " in a world of ", world_size());
    connection.is_pulse = reader.number() != 0;
    Member& member = members_[static_cast<std::size_t>(rank)];
    if (connection.is_pulse) {
      if (member.state != Member::State::absent) return str("there has been a rank ", rank, " already");
      member.state = Member::State::alive;
    }
    connection.rank = static_cast<int>(rank);
    heard_[static_cast<std::size_t>(rank)] = Clock::now();
    return "";
  }

  std::string answer(const std::string& message, const Connection& connection) {
    Reader reader(message);
    const auto rank = static_cast<std::size_t>(connection.rank);
    switch (static_cast<Request>(reader.number())) {
      case Request::set: {
        const std::string key = reader.text();
        values_[key] = reader.text();
        return "";
      }
      case Request::get: {
        const auto found = values_.find(reader.text());
        if (found == values_.end()) return Writer().number(0).message();
        return Writer().number(1).text(found->second).message();
      }
      case Request::add: {
        std::int64_t& counter = counters_[reader.text()];
        return Writer().number(counter += reader.number()).message();
      }
      case Request::beat: return beat(rank, reader);
      case Request::status: return status();
      case Request::report: {
        const std::string text = reader.text();
        if (failure_.text.empty()) failure_ = {text, read_ranks(reader)};
        return "";
      }
    }
    throw DistributedError("store: an unknown request");
  }

  void hang_up(const Connection& connection) {
    if (connection.rank < 0 || !connection.is_pulse) return;
    Member& member = members_[static_cast<std::size_t>(connection.rank)];
    if (member.state == Member::State::alive) member.state = Member::State::lost;
  }

 private:
  std::int64_t world_size() const { return static_cast<std::int64_t>(members_.size()); }

  std::string beat(std::size_t rank, Reader& reader) {
    Member& member = members_[rank];
    heard_[rank] = Clock::now();
    const auto stage = static_cast<Stage>(reader.number());
    if (stage == Stage::leaving) member.state = Member::State::left;
    member.has_reported |= stage == Stage::reported || stage == Stage::read;
    member.has_read |= stage == Stage::read;
    member.progress = read_progress(reader);
    // Whoever is told of the failure need not ask for it.
    member.has_read |= !failure_.text.empty();
    Writer writer;
    writer.text(failure_.text);
    write(writer, failure_.missing);
    std::vector<int> gone;
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (members_[i].state == Member::State::left || members_[i].state == Member::State::lost)
        gone.push_back(static_cast<int>(i));
    write(writer, gone);
    return writer.message();
  }

  std::string status() {
    Writer writer;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      members_[i].silent = seconds_since(heard_[i]);
      write(writer, members_[i]);
    }
    return writer.message();
  }

  std::string token_;
  Failure failure_;
  std::vector<Member> members_;
  std::vector<Clock::time_point> heard_;
  std::map<std::string, std::string> values_;
  std::map<std::string, std::int64_t> counters_;
};

bool is_this_machine_alone(const std::string& address) { return address.starts_with("127.") || address == "localhost"; }

}  // namespace

struct StoreServer::Impl {
  Impl(const std::string& address, int port, const std::string& token, int world_size)
      : listener(listen_on(is_this_machine_alone(address) ? address : "", port)), ledger(token, world_size) {
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
      std::vector<pollfd> entries{{wake_read.descriptor(), POLLIN, 0}, {listener.descriptor(), POLLIN, 0}};
      for (const Connection& c : connections)
        entries.push_back({c.socket.descriptor(), static_cast<short>(c.out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
      if (::poll(entries.data(), entries.size(), -1) < 0) continue;
      if (entries[0].revents) return;
      std::size_t i = 2;
      for (auto c = connections.begin(); c != connections.end(); ++i) {
        const bool keep = !entries[i].revents || advance(*c);
        if (!keep) ledger.hang_up(*c);
        c = keep ? std::next(c) : connections.erase(c);
      }
      if (entries[1].revents & POLLIN)
        if (const int descriptor = ::accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); descriptor >= 0)
          connections.emplace_back(descriptor);
    }
  }

  /// Reads, answers and writes as far as that goes without waiting; false where the connection is to end.
  bool advance(Connection& c) try {
    char buffer[16384];
    const ssize_t count = ::recv(c.socket.descriptor(), buffer, sizeof buffer, 0);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (count > 0) c.in.append(buffer, static_cast<std::size_t>(count));
    for (std::uint32_t size = 0; c.in.size() >= sizeof size && !c.is_refused;) {
      std::memcpy(&size, c.in.data(), sizeof size);
      if (size > longest_message) return false;
      if (c.in.size() < sizeof size + size) break;
      const std::string message = c.in.substr(sizeof size, size);
      c.in.erase(0, sizeof size + size);
      reply(c, message);
    }
    while (!c.out.empty()) {
      const ssize_t sent = ::send(c.socket.descriptor(), c.out.data(), c.out.size(), MSG_NOSIGNAL);
      if (sent < 0) return errno == EAGAIN || errno == EINTR;
      c.out.erase(0, static_cast<std::size_t>(sent));
    }
    return !c.is_refused;
  } catch (const std::exception&) {
    return false;  // what it sent makes no sense
  }

  void reply(Connection& c, const std::string& message) {
    std::string answer;
    if (c.rank < 0) {
      answer = ledger.welcome(message, c);
      c.is_refused = !answer.empty();
    } else {
      answer = ledger.answer(message, c);
    }
    const auto size = static_cast<std::uint32_t>(answer.size());
    c.out.append(reinterpret_cast<const char*>(&size), sizeof size);
    c.out += answer;
  }

  Socket listener, wake_read, wake_write;
  Ledger ledger;
  std::list<Connection> connections;
  std::thread thread;
};

StoreServer::StoreServer(const std::string& address, int port, const std::string& token, int world_size)
    : impl_(new Impl(address, port, token, world_size)) {}

StoreServer::~StoreServer() { delete impl_; }

int StoreServer::port() const { return port_of(impl_->listener); }

}  // namespace minima::distributed::detail
