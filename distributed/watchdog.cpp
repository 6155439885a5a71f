#include <minima/distributed/watchdog.h>

#include <minima/distributed/group.h>
#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/error.h>
#include <minima/distributed/store/socket.h>
#include <minima/distributed/store/store.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace minima::distributed::detail {

namespace {

/// Every heartbeat carries the records of these.
constexpr std::size_t most_gone = 64;

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

std::string ranks_text(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += str(i ? ", " : "", ranks[i]);
  return text;
}

/// The operations that the rank has begun: of several, it may have failed in any.
std::string running_text(const Member& member) {
  std::string text;
  for (const auto& [group, last] : member.progress)
    if (last.is_running)
      text += str(text.empty() ? ": it was in " : " and in ", last.operation, " (#", last.sequence, " of ", group, ")");
  return text;
}

}  // namespace

Watchdog::Watchdog(const Environment& environment, double timeout, const std::string& flight_folder)
    : environment_(environment),
      timeout_(timeout),
      interval_(std::clamp(timeout / 10, 0.05, 1.0)),
      recorder_(flight_folder, environment.token, environment.rank) {
  const Deadline deadline = after(timeout);
  choose_address(deadline);
  const StoreIdentity identity{environment_.token, environment_.rank, environment_.world_size, environment_.secret};
  if (environment_.is_first()) {
    server_.emplace(environment_.listen.empty() ? environment_.address : environment_.listen, environment_.port,
                    identity, deadline);
    environment_.port = server_->port();
  }
  store_.emplace(environment_.address, environment_.port, identity, false, deadline);
  pulse_.emplace(environment_.address, environment_.port, identity, true, deadline);
  // Long enough for a busy machine, short enough to end before an operation times out.
  pulse_->set_patience(std::clamp(timeout / 2, 0.5, 30.0));
  thread_ = std::thread([this] { beat_forever(); });
  try {
    wait_for_all(seconds_until(deadline));
  } catch (...) {
    // Other ranks may still query who is absent.
    if (server_) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    leave(true);
    throw;
  }
}

Watchdog::~Watchdog() { leave(has_failed_ || std::uncaught_exceptions() > 0); }

/// Requires a secret if other machines can reach the store.
void Watchdog::choose_address(Deadline deadline) {
  Environment& e = environment_;
  const bool is_open = !is_loopback(e.address, deadline) || (!e.listen.empty() && !is_loopback(e.listen, deadline));
  if (!is_open || !e.secret.empty() || e.is_trusted) return;
  if (!e.is_one_host)
    throw DistributedError(
        str("distributed: rank 0's store at ", endpoint(e.address, e.port),
            " can be reached from other machines, so ranks ",
            "need a secret: set the same MINIMA_DISTRIBUTED_SECRET (`openssl rand -hex 32` makes one) or ",
            "MINIMA_DISTRIBUTED_SECRET_FILE on all of them, or MINIMA_DISTRIBUTED_TRUSTED=1 on a trusted network"));
  e.address = "127.0.0.1";  // all ranks are on this host
  e.listen = "";
}

void Watchdog::wait_for_all(double timeout) {
  const std::string who = str("rank ", environment_.rank, " of ", environment_.world_size);
  const auto did_not_join = [&](const std::vector<int>& absent) {
    const bool is_hidden =
        server_ && environment_.local_world_size < environment_.world_size && is_loopback(environment_.address);
    return DistributedError(
        str("distributed: ", who, ": ", ranks_text(absent), " did not join within ", seconds_text(timeout_),
            "; were all of them started, with the same MASTER_ADDR, MASTER_PORT, token and secret?",
            is_hidden
                ? str(" On this host ", environment_.address, " is a loopback address, which other hosts cannot reach.")
                : ""),
        absent);
  };
  std::vector<int> absent{0};
  for (const Deadline deadline = after(timeout);;) {
    std::vector<int> gone;
    std::vector<Member> members;
    try {
      members = store_->status();
    } catch (const Error&) {  // rank 0 has timed out a little earlier
      throw did_not_join(absent);
    }
    absent.clear();
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i].state == Member::State::absent) absent.push_back(static_cast<int>(i));
      else if (members[i].state != Member::State::alive) gone.push_back(static_cast<int>(i));
    }
    if (absent.empty()) return;
    // Ranks that timed out a moment earlier are not to blame.
    if (!gone.empty()) throw did_not_join(absent);
    if (seconds_until(deadline) <= 0) throw did_not_join(absent);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Watchdog::Progress Watchdog::progress() {
  const std::lock_guard guard(mutex_);
  return progress_;
}

void Watchdog::begin(const std::string& group, std::int64_t sequence, const std::string& operation) {
  const std::lock_guard guard(mutex_);
  progress_[group] = {sequence, true, operation};
}

void Watchdog::end(const std::string& group) {
  const std::lock_guard guard(mutex_);
  progress_[group].is_running = false;
}

void Watchdog::forget(const std::string& group) {
  const std::lock_guard guard(mutex_);
  gone_.push_back(group);
  if (gone_.size() <= most_gone) return;
  progress_.erase(gone_.front());
  gone_.pop_front();
}

std::int64_t Watchdog::count(const std::string& name) {
  const std::lock_guard guard(mutex_);
  return ++counts_[name];
}

void Watchdog::learn(const Failure& failure) {
  if (failure.text.empty()) return;
  const std::lock_guard guard(mutex_);
  if (!failure_) failure_ = {failure.missing, failure.text};
}

std::optional<Diagnosis> Watchdog::known_failure(const std::vector<int>& members) {
  std::optional<Diagnosis> known;
  {
    const std::lock_guard guard(mutex_);
    known = failure_;
  }
  if (!known ||
      std::find_first_of(members.begin(), members.end(), known->missing.begin(), known->missing.end()) == members.end())
    return {};
  let_others_read();
  return known;
}

void Watchdog::watch(Group* group) {
  const std::lock_guard guard(groups_mutex_);
  groups_.push_back(group);
}

bool Watchdog::unwatch(Group* group) {
  const std::lock_guard guard(groups_mutex_);
  std::erase(groups_, group);
  return groups_.empty();
}

void Watchdog::beat_forever() {
  for (;;) {
    {
      std::unique_lock guard(mutex_);
      wake_.wait_for(guard, std::chrono::duration<double>(interval_), [this] { return is_leaving_; });
      if (is_leaving_) return;
    }
    std::vector<int> gone;
    try {
      const Pulse pulse = pulse_->beat(Stage::running, progress());
      gone = pulse.gone;
      learn(pulse.failure);
    } catch (const Error&) {
      gone = {0};
    }
    const std::lock_guard guard(groups_mutex_);
    for (Group* group : groups_) group->check(gone);
  }
}

/// The ranks that caused a failure; empty while that is not certain.
Diagnosis Watchdog::blame(const std::vector<Member>& status, const std::string& group, const std::vector<int>& members,
                          std::int64_t sequence, const std::string& operation, bool last_try) {
  Diagnosis found, lagging, failed;
  bool all_settled = true;
  const double too_silent = std::max(3 * interval_, last_try ? 0 : timeout_ / 2);
  const auto note = [](Diagnosis& d, int rank, const std::string& what) {
    d.missing.push_back(rank);
    d.text += str(d.text.empty() ? "rank " : "; rank ", rank, " ", what);
  };
  for (const int rank : members) {
    if (rank == environment_.rank) continue;
    const Member& m = status.at(static_cast<std::size_t>(rank));
    const auto at = m.progress.find(group);
    const bool is_elsewhere =
        at != m.progress.end() && at->second.sequence == sequence && at->second.operation != operation;
    const bool is_behind = at == m.progress.end() || at->second.sequence < sequence;
    if (is_elsewhere)
      note(lagging, rank, str("is in another operation: ", at->second.operation, " as #", sequence, " (desync)"));
    else if (m.has_reported && is_behind)
      note(failed, rank, str("has failed before it reached this operation", running_text(m)));
    if (m.has_reported || is_elsewhere) continue;
    if (m.state == Member::State::lost) note(found, rank, "died: its connection to the store broke");
    else if (m.state == Member::State::left) note(found, rank, "left: it has exited, or thrown an exception");
    else if (m.silent > too_silent)
      note(found, rank, str("has been silent for ", seconds_text(m.silent), ": it hangs, or its host is down"));
    else if (is_behind)
      note(lagging, rank,
           at == m.progress.end() ? std::string("is alive but has not reached this group yet")
                                  : str("is alive but has not reached this operation: it is at #", at->second.sequence,
                                        " ", at->second.operation, at->second.is_running ? "" : " (done)"));
    else all_settled = false;
  }
  if (!found.missing.empty() && (all_settled || last_try)) return found;
  if (last_try) return lagging.missing.empty() ? failed : lagging;
  return {};
}

Diagnosis Watchdog::query_members(const std::string& group, const std::vector<int>& members, std::int64_t sequence,
                                  const std::string& operation) {
  store_->set_patience(2);
  learn(store_->beat(Stage::reported, progress()).failure);  // after which rank 0 may leave
  for (const Deadline deadline = after(2);;) {
    const bool last_try = seconds_until(deadline) <= 0;
    const std::vector<Member> status = store_->status();
    // If all have failed, there is nothing to wait for.
    const bool all_failed = std::all_of(members.begin(), members.end(), [&](int rank) {
      return status.at(static_cast<std::size_t>(rank)).has_reported;
    });
    Diagnosis found = blame(status, group, members, sequence, operation, last_try || all_failed);
    if (last_try || all_failed || !found.missing.empty()) return found;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

Diagnosis Watchdog::diagnose(const std::string& group, const std::vector<int>& members, std::int64_t sequence,
                             const std::string& operation) {
  {
    const std::lock_guard guard(mutex_);
    has_failed_ = true;
  }
  Diagnosis found;
  try {
    found = query_members(group, members, sequence, operation);
    if (!found.missing.empty()) {
      learn({found.text, found.missing});
      store_->report({found.text, found.missing});
    }
    learn(store_->beat(Stage::read, progress()).failure);
    let_others_read();
  } catch (const Error& error) {
    // Rank 0 may have left after its own diagnosis, which another thread of this rank may be reading.
    for (const Deadline deadline = after(interval_ + 0.1);;) {
      if (auto known = known_failure(members)) return *known;
      if (seconds_until(deadline) <= 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return {{0}, str("rank 0, which runs the store, is gone or hangs (", error.what(), ")")};
  }
  return found;
}

/// Rank 0, whose process may end once it knows a failure, waits for the others to read it: for two seconds at most,
/// counted from the first of its threads to wait.
void Watchdog::let_others_read() {
  if (!server_) return;
  Deadline deadline;
  {
    const std::lock_guard guard(mutex_);
    if (!read_by_) read_by_ = after(2);
    deadline = *read_by_;
  }
  try {
    while (seconds_until(deadline) > 0) {
      const std::vector<Member> status = store_->status();
      if (std::all_of(status.begin(), status.end(), [&](const Member& m) {
            return m.has_read || m.state != Member::State::alive || m.silent > std::max(3 * interval_, 1.0);
          }))
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  } catch (const Error&) {  // the server is too busy to answer
  }
}

void Watchdog::leave(bool in_haste) {
  {
    const std::lock_guard guard(mutex_);
    if (is_leaving_) return;
    is_leaving_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (!pulse_) return;
  try {
    pulse_->set_patience(1);
    pulse_->beat(Stage::leaving, progress());
    // The last messages may still be in flight; closing connections now would discard them.
    for (const Deadline deadline = after(1); !in_haste && seconds_until(deadline) > 0;) {
      const std::vector<Member> status = store_->status();
      if (std::none_of(status.begin(), status.end(),
                       [](const Member& m) { return m.state == Member::State::alive && !m.has_reported; }))
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  } catch (const Error&) {  // rank 0 has left already
  }
}

}  // namespace minima::distributed::detail
