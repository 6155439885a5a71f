#include <minima/distributed/store.h>

#include <minima/distributed/error.h>
#include <minima/distributed/store_protocol.h>
#include <minima/tensor/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

namespace minima::distributed::detail {

struct Store::Lock {
  std::mutex mutex;
};

Store::Store(const std::string& address, int port, const StoreIdentity& identity, bool is_pulse, Deadline deadline)
    : socket_(connect_to(address, port, deadline)), lock_(new Lock) {
  try {
    send_message(socket_, hello(identity, is_pulse), deadline);
    const std::string reason = receive_message(socket_, deadline);
    if (!reason.empty()) throw DistributedError(str("store: rank 0 at ", address, ":", port, " refused us: ", reason));
  } catch (...) {
    delete lock_;
    throw;
  }
}

Store::~Store() { delete lock_; }

std::string Store::local_address() const { return detail::local_address(socket_); }

std::string Store::ask(const std::string& request) {
  const std::lock_guard guard(lock_->mutex);
  if (!socket_) throw DistributedError("store: rank 0 is gone", {0});
  const Deadline deadline = after(patience_);
  try {
    send_message(socket_, request, deadline);
    return receive_message(socket_, deadline);
  } catch (...) {
    socket_.close();  // an answer that comes late would be taken for the next one's
    throw;
  }
}

void Store::set(const std::string& key, const std::string& value) {
  ask(Writer().number(static_cast<int>(Request::set)).text(key).text(value).message());
}

std::optional<std::string> Store::get(const std::string& key) {
  const std::string answer = ask(Writer().number(static_cast<int>(Request::get)).text(key).message());
  Reader reader(answer);
  if (reader.number() == 0) return {};
  return reader.text();
}

std::int64_t Store::add(const std::string& key, std::int64_t amount) {
  const std::string answer = ask(Writer().number(static_cast<int>(Request::add)).text(key).number(amount).message());
  return Reader(answer).number();
}

std::optional<std::string> Store::wait(const std::string& key, Deadline deadline) {
  for (int pause = 1;; pause = std::min(2 * pause, 20)) {
    if (auto value = get(key)) return value;
    if (seconds_until(deadline) <= 0) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
  }
}

Pulse Store::beat(Stage stage, const std::map<std::string, Member::Progress>& progress) {
  Writer writer;
  writer.number(static_cast<int>(Request::beat)).number(static_cast<int>(stage));
  write(writer, progress);
  const std::string answer = ask(writer.message());
  Reader reader(answer);
  Pulse pulse;
  pulse.failure.text = reader.text();
  pulse.failure.missing = read_ranks(reader);
  pulse.gone = read_ranks(reader);
  return pulse;
}

void Store::report(const Failure& failure) {
  Writer writer;
  writer.number(static_cast<int>(Request::report)).text(failure.text);
  write(writer, failure.missing);
  ask(writer.message());
}

std::vector<Member> Store::status() {
  const std::string answer = ask(Writer().number(static_cast<int>(Request::status)).message());
  Reader reader(answer);
  std::vector<Member> members;
  while (!reader.at_end()) members.push_back(read_member(reader));
  return members;
}

}  // namespace minima::distributed::detail
