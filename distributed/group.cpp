#include <minima/distributed/group.h>

#include <minima/distributed/aborted_reads.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/collective.h>
#include <minima/distributed/captured_groups.h>
#include <minima/distributed/flight_recorder.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/store/error.h>
#include <minima/distributed/store/socket.h>
#include <minima/distributed/watchdog.h>
#include <minima/io/files/format_error.h>
#include <minima/ops/core/operator_call.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/background.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/wait_observer.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

using minima::detail::capture_scope;

// --- PendingWork ---

PendingWork::PendingWork(Operation operation, Ref<Group> group)
    : operation_(std::move(operation)), signature_(signature(operation_)), group_(std::move(group)) {}

Device PendingWork::device() const { return group_->backend_->device(); }

void PendingWork::join() { group_->backend_->receive(operation_); }

bool PendingWork::is_done() const {
  if (capture_ != 0) return !capture_scope || capture_scope->id() != capture_;
  const Ref<Group> group = group_;
  const std::lock_guard guard(group->mutex_);
  return is_done_ || (group->health_ == Group::Health::well && group->backend_->is_complete(operation_));
}

void PendingWork::wait() {
  Group& group = *group_;
  if (capture_ != 0) {
    // Behind the step, the stream has waited for its replay.
    if (!capture_scope || capture_scope->id() != capture_) return;
    join();
    if (CapturedGroups* const captured = CapturedGroups::current(); captured && group.has_others())
      captured->received(*this);
    return;
  }
  if (minima::detail::is_captured(group.backend_->device()) && group.has_others())
    throw CaptureError(str("waiting for ", minima::distributed::name(operation_.kind),
                           " inside a captured step, outside of which it was started: replays would not wait"));
  group.refuse_captured("waiting for ", operation_);
  const minima::detail::Waiting waiting(Wait::ranks);
  std::unique_lock guard(group.mutex_);
  if (!is_done_ && group.health_ == Group::Health::well) {
    group.note_received(*this);
    guard.unlock();
    if (group.backend_->receive(operation_)) return;
    guard.lock();
  }
  group.changed_.wait(guard, [&] { return is_done_ || group.health_ == Group::Health::failed; });
  if (!is_done_) group.raise();
}

// --- Lane ---

Lane::~Lane() {
  if (!thread_.joinable()) return;
  if (process_ != ::getpid()) {
    thread_.detach();
    return;
  }
  std::unique_lock guard(core_->mutex);
  core_->ends = true;
  core_->wake.notify_all();
  if (thread_.get_id() == std::this_thread::get_id()) {  // it held the last reference to the group
    thread_.detach();
    return;
  }
  // A backend call may hang, so do not wait: the thread owns what it uses.
  const bool has_ended = core_->wake.wait_for(guard, std::chrono::seconds(1), [this] { return core_->has_ended; });
  guard.unlock();
  if (has_ended) thread_.join();
  else thread_.detach();
}

void Lane::push(Ref<PendingWork> work) {
  const std::lock_guard guard(core_->mutex);
  core_->queue.push_back(std::move(work));
  core_->wake.notify_all();
  if (!thread_.joinable()) thread_ = std::thread([core = core_] { serve(core); });
}

void Lane::serve(std::shared_ptr<Core> core) {
  // If a peer dies, the write to it fails with an error instead of killing the process by SIGPIPE.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  std::unique_lock guard(core->mutex);
  for (;;) {
    core->wake.wait(guard, [&] { return core->ends || !core->queue.empty(); });
    if (core->queue.empty()) break;
    Ref<PendingWork> work = std::move(core->queue.front());
    core->queue.pop_front();
    guard.unlock();
    work->group_->run(*work);
    work = {};  // may destroy the group
    guard.lock();
  }
  core->has_ended = true;
  core->wake.notify_all();
}

// --- Group ---

Group::Group(std::string name, Ref<Backend> backend, Ref<Watchdog> watchdog, int rank, std::vector<int> members,
             double timeout, bool debug)
    : name_(std::move(name)),
      backend_(std::move(backend)),
      watchdog_(std::move(watchdog)),
      rank_(rank),
      members_(std::move(members)),
      timeout_(timeout),
      debug_(debug),
      collectives_(backend_),
      messages_lane_(backend_) {
  if (watchdog_) watchdog_->watch(this);
}

Group::~Group() {
  if (process_ != ::getpid()) {
    // In a forked child: the threads are not here to be joined, and what goes through the connections the others would
    // take for the parent's. Backend and watchdog are never freed.
    static_cast<void>(new (std::nothrow) Ref<Backend>(std::move(backend_)));
    static_cast<void>(new (std::nothrow) Ref<Watchdog>(std::move(watchdog_)));
    return;
  }
  allow_reads(this);
  if (!watchdog_) return;
  watchdog_->forget(name_ + connecting);
  watchdog_->forget(name_);
  if (watchdog_->unwatch(this)) watchdog_->leave(health_ != Health::well || std::uncaught_exceptions() > 0);
}

Ref<WorkState> Group::start(const Ref<Group>& group, Operation operation) {
  Group& self = *group;
  if (self.process_ != ::getpid())
    throw Error(
        "ProcessGroup: its threads and connections belong to the parent of this forked process; only programs that the "
        "launcher starts are ranks");
  const bool is_message = operation.is_point_to_point();
  if (!(operation.timeout > 0)) operation.timeout = self.timeout_;
  operation.timeout = std::min(operation.timeout, longest_wait);
  self.refuse_captured("", operation);
  if (CapturedGroups* const noted = CapturedGroups::current(); noted && self.has_others()) noted->note(group);
  if (minima::detail::is_captured(self.backend_->device())) return capture(group, std::move(operation));
  const std::lock_guard order(self.posting_);
  Ref<PendingWork> work;
  {
    const std::lock_guard guard(self.mutex_);
    if (self.health_ == Health::failed) self.raise();
    operation.sequence = is_message ? ++self.messages_ : ++self.sequence_;
    work = Ref<PendingWork>(new PendingWork(std::move(operation), group));
    self.posted_ = work;
    if (work->operation_.replayed > 0) self.note_received(*work);
  }
  if (self.watchdog_)
    work->record_ = self.watchdog_->recorder().begin(self.name_, work->operation_.sequence, work->signature_);
  self.post(*work);
  if (self.backend_->runs_at_once()) self.run(*work);
  else (is_message ? self.messages_lane_ : self.collectives_).push(work);
  return work;
}

void Group::post(PendingWork& work) {
  std::string error;
  try {
    backend_->post(work.operation_);
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  if (!error.empty()) {
    if (watchdog_ && !work.operation_.is_point_to_point())
      watchdog_->begin(name_, work.operation_.sequence, work.signature_);
    fail(work, error);
  }
  std::unique_lock guard(mutex_);
  posted_ = {};
  work.is_posted_ = error.empty();
  if (work.is_posted_) return;
  changed_.wait(guard, [&] { return health_ == Health::failed; });
  raise();
}

void Group::run(PendingWork& work) {
  {
    const std::lock_guard guard(mutex_);
    if (health_ != Health::well || work.is_done_ || !work.is_posted_) return;  // here only to be released: see check()
    work.is_running_ = true;
    work.start_ = Clock::now();  // a step's replays may have been launched long before their turn
    if (!work.operation_.is_point_to_point()) {
      work.retain();
      running_ = Ref<PendingWork>(&work);
    }
  }
  if (watchdog_) {
    if (!work.operation_.is_point_to_point()) watchdog_->begin(name_, work.operation_.sequence, work.signature_);
    if (watchdog_->known_failure(members_)) return fail(work, "another rank found a failure before");
  }
  const std::int64_t begin = minima::detail::steady_ns();
  try {
    if (debug_ && watchdog_ && !work.operation_.is_point_to_point()) compare_with_others(work);
    backend_->run(work.operation_);
    if (work.log_)
      work.log_->add({work.operation_.is_point_to_point() ? "messages" : "collectives", work.signature_, begin,
                      minima::detail::steady_ns()});
    finish(work);
  } catch (const std::exception& error) {
    fail(work, error.what());
  }
}

void Group::finish(PendingWork& work) {
  if (watchdog_) {
    if (!work.operation_.is_point_to_point()) watchdog_->end(name_);
    watchdog_->recorder().end(work.record_, "done");
  }
  const std::lock_guard guard(mutex_);
  if (health_ == Health::well) work.is_done_ = true;
  std::erase_if(received_, [&](const auto& each) { return each.get() == &work; });
  running_ = {};
  changed_.notify_all();
}

/// In debug mode ranks publish each operation before they start it and compare. Two keys per rank suffice, since no
/// rank is two operations ahead.
void Group::compare_with_others(const PendingWork& work) {
  const Deadline deadline = after(work.operation_.timeout);
  const std::int64_t sequence = work.operation_.sequence;
  const auto key = [&](int member) { return str("check/", name_, "/", sequence % 2, "/", member); };
  const std::string number = str(sequence, " ");
  watchdog_->store().set(key(rank_), number + work.signature_);
  std::string different;
  for (int member = 0; member < size(); ++member) {
    for (;;) {
      const auto value = watchdog_->store().wait(key(member), deadline);
      if (value && value->starts_with(number)) {
        if (const std::string theirs = value->substr(number.size()); theirs != work.signature_)
          different +=
              str("; rank ", members_[static_cast<std::size_t>(member)], " does ", minima::detail::printable(theirs));
        break;
      }
      if (seconds_until(deadline) <= 0) throw DistributedError(str("no answer within ", work.operation_.timeout, " s"));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  if (!different.empty()) throw DistributedError(str("desync: the ranks do different things", different));
}

void Group::fail(const DistributedError& cause) {
  if (begin_to_fail()) end(cause.what(), cause.missing());
}

void Group::fail(PendingWork& work, const std::string& reason) {
  if (!begin_to_fail()) return;
  std::string text =
      str(work.signature_, " (#", work.operation_.sequence, " of group ", name_, ", rank ", rank_, " of ", size(),
          ") failed after ", std::lround(seconds_since(work.start_) * 1000) / 1000.0, " s");
  Diagnosis diagnosis;
  if (watchdog_) {
    diagnosis = watchdog_->diagnose(name_, members_, work.operation_.is_point_to_point() ? 0 : work.operation_.sequence,
                                    work.signature_);
  } else {
    for (const int late : backend_->late(work.operation_)) {
      diagnosis.missing.push_back(members_[static_cast<std::size_t>(late)]);
      diagnosis.text += str(diagnosis.text.empty() ? "rank " : ", rank ", late);
    }
    if (!diagnosis.text.empty()) diagnosis.text += " did not join";
  }
  if (!diagnosis.text.empty()) text += ": " + diagnosis.text;
  text += str("; the backend (", backend_->name(), ") reports: ", reason);
  if (watchdog_) {
    tell_launcher(diagnosis.missing);
    watchdog_->recorder().end(work.record_, "failed");
    if (const std::string path = watchdog_->recorder().write(text); !path.empty()) text += "; last operations: " + path;
  }
  end(text, diagnosis.missing);
}

bool Group::begin_to_fail() {
  const std::lock_guard guard(mutex_);
  if (health_ != Health::well) return false;
  health_ = Health::failing;
  return true;
}

void Group::end(const std::string& failure, const std::vector<int>& missing) {
  if (is_awaited()) refuse_reads(this, backend_->device(), failure, missing);
  backend_->abort();
  const std::lock_guard guard(mutex_);
  failure_ = failure;
  missing_ = missing;
  health_ = Health::failed;
  running_ = {};
  changed_.notify_all();
}

void Group::expect_well() {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [&] { return health_ != Health::failing; });
  if (health_ == Health::failed) raise();
}

void Group::note_received(PendingWork& work) {
  if (!backend_->device().is_cuda()) return;
  work.retain();
  received_.emplace_back(&work);
}

bool Group::is_awaited() {
  std::vector<Ref<PendingWork>> received;
  {
    const std::lock_guard guard(mutex_);
    received = std::exchange(received_, {});
  }
  try {
    return std::any_of(received.begin(), received.end(),
                       [&](const auto& work) { return !backend_->is_complete(work->operation_); });
  } catch (const std::exception&) {  // the device has failed
    return true;
  }
}

void Group::raise() { throw DistributedError(failure_, missing_); }

void Group::check(const std::vector<int>& gone) {
  Ref<PendingWork> work;
  double seconds = 0;
  {
    const std::lock_guard guard(mutex_);
    if (health_ != Health::well || !(running_ || posted_)) return;
    work = running_ ? running_ : posted_;
    seconds = seconds_since(work->start_);
  }
  for (const int rank : gone)
    // Wait a little: the backend usually notices by itself, and may already have all data from a rank that has ended.
    if (seconds > 1.5 && std::find(members_.begin(), members_.end(), rank) != members_.end())
      fail(*work, str("rank ", rank, " is gone"));
  if (seconds > work->operation_.timeout + 1) fail(*work, str("no answer within ", work->operation_.timeout, " s"));
  collectives_.push(std::move(work));  // released on the queue's thread: the group must not be destroyed on this one
}

RankSet rank_set(const ProcessGroup& group) {
  const Ref<Group>& known = GroupAccess::of(group);
  if (!known) return {};
  return {.ranks = rank_set_text(known->members()),
          .name = known->name(),
          .size = known->size(),
          .members = known->members()};
}

void tell_ranks(const ProcessGroup& group, minima::detail::AttributeVisitor& visitor) {
  visitor.word("ranks", rank_set(group).ranks.c_str());
}

}  // namespace minima::distributed::detail
