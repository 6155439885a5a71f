#include "simulated/machine/schedule.h"

#include "simulated/machine/report.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

namespace simulated {

namespace {

thread_local const Work* running = nullptr;

/// Runs it and says how it ended.
cudaError_t outcome(const TaskRef& task, bool dry) {
  const Work& work = task->work;
  running = &work;
  cudaError_t result = cudaSuccess;
  const auto tell = [&](const char* what) {
    std::fprintf(stderr, "simulated GPU: %s on cuda:%d: %s\n", work.name.c_str(), work.device, what);
  };
  try {
    if (work.run && !(dry && work.cost.kind != WorkKind::mark)) work.run();
    if (const auto begin = work.begin) begin(task);  // a copy, since it may end the task
  } catch (const DeviceFault& fault) {
    if (!fault.text.empty()) tell(fault.text.c_str());
    result = fault.error;
  } catch (const std::exception& error) {
    tell(error.what());
    result = cudaErrorLaunchFailure;
  }
  running = nullptr;
  return result;
}

}  // namespace

const Work* running_work() { return running; }

void Schedule::reseed(std::uint64_t seed) {
  random_.seed(seed);
  name_seed(seed);
  constexpr double choices[] = {0.02, 0.1, 0.4, 0.8};
  eagerness_ = choices[std::uniform_int_distribution<std::size_t>(0, 3)(random_)];
}

TaskRef Schedule::add(Work work, std::span<const TaskRef> after, double now) {
  auto task = std::make_shared<Task>();
  task->work = std::move(work);
  task->begin = now;
  for (const TaskRef& earlier : after) {
    if (!earlier) continue;
    task->begin = std::max(task->begin, earlier->end);
    if (earlier->done) continue;
    earlier->followers.push_back(task.get());
    ++task->waits_for;
  }
  pending_.emplace(task.get(), task);
  ++pending_of_[task->work.device];
  if (task->waits_for == 0) ready_.push_back(task.get());
  changed.notify_all();
  return task;
}

void Schedule::complete(Task& task) {
  task.begin += task.work.gap;
  task.end = task.begin + task.work.seconds;
  task.done = true;
  for (Task* const follower : task.followers) {
    follower->begin = std::max(follower->begin, task.end);
    if (--follower->waits_for == 0) ready_.push_back(follower);
  }
  task.followers.clear();
  task.work.run = nullptr;
  task.work.begin = nullptr;  // holds what may hold the task
  changed.notify_all();
}

void Schedule::run_one() {
  const auto chosen = std::uniform_int_distribution<std::size_t>(0, ready_.size() - 1)(random_);
  Task* const task = ready_[chosen];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
  const TaskRef keep = pending_.at(task);
  const cudaError_t error = outcome(keep, dry_);
  if (error != cudaSuccess || !task->work.begin) end(keep);
  if (error == cudaSuccess) return;
  fault_ = error;
  drop();
}

void Schedule::end(const TaskRef& task) {
  if (task->done) return;
  pending_.erase(task.get());
  --pending_of_[task->work.device];
  complete(*task);
}

/// Runs a task, or waits: all that is left may wait for other threads or processes.
void Schedule::run_next() {
  if (ready_.empty()) wait();
  else run_one();
}

void Schedule::finish(const TaskRef& task) {
  while (task && !task->done) run_next();
}

void Schedule::finish_device(int device) {
  while (pending_of_[device] > 0) run_next();
}

void Schedule::advance() {
  while (!ready_.empty() && chance(eagerness_)) run_one();
}

void Schedule::nudge() {
  if (!ready_.empty() && chance(0.5)) run_one();
}

void Schedule::drop() {
  for (auto& [task, unused] : pending_) {
    task->done = true;
    task->end = task->begin;
    task->followers.clear();
    task->work.run = nullptr;
    task->work.begin = nullptr;
  }
  ready_.clear();
  pending_.clear();
  pending_of_.clear();
  changed.notify_all();
}

const Task* Schedule::find_pending(const char* address, std::size_t bytes) const {
  for (const auto& [task, unused] : pending_)
    for (const Access& access : task->work.accesses)
      if (access.address < address + bytes && address < access.address + access.bytes) return task;
  return nullptr;
}

cudaError_t Schedule::take_fault() { return std::exchange(fault_, cudaSuccess); }

}  // namespace simulated
