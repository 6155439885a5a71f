#include <minima/distributed/store/store.h>

#include <minima/distributed/store/error.h>
#include <minima/distributed/store/sha256.h>
#include <minima/distributed/store/socket.h>
#include <minima/distributed/store/store_protocol.h>
#include <minima/io/files/format_error.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace minima::distributed::detail {

struct Store::Lock {
  std::mutex mutex;
};

Store::Store(const std::string& address, int port, const StoreIdentity& identity, bool is_pulse, Deadline deadline)
    : address_(address), port_(port), world_size_(identity.world_size), lock_(new Lock) {
  const std::string where = str("store: rank 0 at ", endpoint(address_, port_));
  try {
    join(identity, is_pulse, deadline);
  } catch (const TransportError& error) {
    throw DistributedError(str(where, " did not accept this rank: ", error.what()), {0});
  } catch (const DistributedError& error) {
    if (!error.missing().empty()) throw;
    throw DistributedError(str(where, " refused this rank: ", error.what()));
  }
}

/// A server flooded by strangers drops connections early, so retry one that was lost.
void Store::join(const StoreIdentity& identity, bool is_pulse, Deadline deadline) {
  for (;;) try {
      socket_ = connect_to(address_, port_, deadline);
      const std::string nonce = random_bytes(digest_size);
      send_message(socket_, hello(nonce), deadline);
      const std::string challenge = receive_message(socket_, deadline, longest_greeting);
      send_message(socket_, claim(challenge, nonce, identity, is_pulse), deadline);
      const std::string reason = receive_message(socket_, deadline, longest_greeting);
      if (!reason.empty()) throw DistributedError(minima::detail::printable(reason));
      return;
    } catch (const TransportError&) {
      if (seconds_until(deadline) < 0.05) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

Store::~Store() = default;

std::string Store::local_address() const { return detail::local_address(socket_); }

std::string Store::ask(const std::string& request) {
  const std::lock_guard guard(lock_->mutex);
  if (!socket_) throw DistributedError("store: rank 0 is gone", {0});
  const Deadline deadline = after(patience_);
  std::string answer;
  try {
    send_message(socket_, request, deadline);
    answer = receive_message(socket_, deadline);
  } catch (const Error& error) {
    socket_.close();  // a late answer would be mistaken for that of the next request
    throw DistributedError(str("store: rank 0 does not answer (", error.what(), ")"), {0});
  }
  MessageReader reader(answer);
  const std::string complaint = reader.text();
  if (!complaint.empty()) throw DistributedError("store: " + minima::detail::printable(complaint));
  return answer.substr(sizeof(std::int64_t));
}

void Store::set(const std::string& key, const std::string& value) {
  ask(MessageWriter().number(static_cast<int>(Request::set)).text(key).text(value).message());
}

std::optional<std::string> Store::get(const std::string& key) {
  const std::string answer = ask(MessageWriter().number(static_cast<int>(Request::get)).text(key).message());
  MessageReader reader(answer);
  if (!reader.flag()) return {};
  return reader.text();
}

std::int64_t Store::add(const std::string& key, std::int64_t amount) {
  const std::string answer =
      ask(MessageWriter().number(static_cast<int>(Request::add)).text(key).number(amount).message());
  return MessageReader(answer).number();
}

std::optional<std::string> Store::wait(const std::string& key, Deadline deadline) {
  for (int pause = 1;; pause = std::min(2 * pause, 20)) {
    if (auto value = get(key)) return value;
    if (seconds_until(deadline) <= 0) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
  }
}

Pulse Store::beat(Stage stage, const std::map<std::string, Member::LastOperation>& progress) {
  MessageWriter writer;
  writer.number(static_cast<int>(Request::beat)).number(static_cast<int>(stage));
  write(writer, progress);
  const std::string answer = ask(writer.message());
  MessageReader reader(answer);
  return read_pulse(reader);
}

void Store::report(const Failure& failure) {
  MessageWriter writer;
  writer.number(static_cast<int>(Request::report)).text(failure.text);
  write(writer, failure.missing);
  ask(writer.message());
}

std::vector<Member> Store::status() {
  const std::string answer = ask(MessageWriter().number(static_cast<int>(Request::status)).message());
  MessageReader reader(answer);
  return read_members(reader, world_size_);
}

}  // namespace minima::distributed::detail
