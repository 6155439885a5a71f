#include <minima/data/loader/pipeline.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/background.h>
#include <minima/tensor/device/background_stage.h>
#include <minima/tensor/threads/parallel.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <pthread.h>
#include <signal.h>
#include <algorithm>

namespace minima::data {

Pipeline::Pipeline(const LoaderOptions& options, int slots, Ref<LoaderJob> job, std::shared_ptr<Trace> trace)
    : prefetch_(options.prefetch),
      retries_(options.retries),
      timeout_(options.timeout),
      grace_(options.grace),
      in_order_(options.in_order),
      skip_errors_(options.on_error == OnError::skip),
      job_(std::move(job)),
      trace_(std::move(trace)),
      slots_(static_cast<std::size_t>(slots)),
      workers_(static_cast<std::size_t>(std::max(1, options.workers))),
      free_(slots) {
  threads_.resize(static_cast<std::size_t>(options.workers));
}

void Pipeline::launch() {
  // Workers inherit this mask, so signals go to the program's own threads.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (std::size_t id = 0; id < threads_.size(); ++id)
      threads_[id] = std::thread([self = shared_from_this(), id] { self->work(static_cast<int>(id)); });
  } catch (const std::system_error& error) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    const auto started =
        std::count_if(threads_.begin(), threads_.end(), [](const std::thread& thread) { return thread.joinable(); });
    quit();
    throw Error(str("DataLoader: could not start worker ", started + 1, " of ", threads_.size(), ": ", error.what()));
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Pipeline::start(EpochPlan plan) {
  {
    const std::lock_guard lock(mutex_);
    plan_ = std::move(plan);
    begun_ = next_ = taken_ = 0;
    opened_ = cancelled_ = false;
    for (BatchSlot& slot : slots_) slot = {};
    free_ = static_cast<int>(slots_.size());
  }
  work_available_.notify_all();
}

/// The slot that `next` may deliver now, -1 if none.
int Pipeline::find_finished() const {
  int best = -1;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const BatchSlot& slot = slots_[i];
    if (slot.stage != Stage::ready && slot.stage != Stage::failed) continue;
    if (in_order_ ? slot.number == next_ : best < 0 || slot.number < slots_[static_cast<std::size_t>(best)].number)
      best = static_cast<int>(i);
  }
  return best;
}

bool Pipeline::is_ready() {
  const std::lock_guard lock(mutex_);
  return has_next();
}

void Pipeline::report_to(std::shared_ptr<BackgroundLog> log) {
  const std::lock_guard lock(mutex_);
  log_ = std::move(log);
}

std::shared_ptr<BackgroundLog> Pipeline::log() {
  const std::lock_guard lock(mutex_);
  return log_;
}

Pipeline::Item Pipeline::next() {
  std::unique_lock lock(mutex_);
  if (threads_.empty() && !cancelled_ && find_finished() < 0 && may_begin()) fetch_next(0, lock);
  const auto ready = [&] { return has_next(); };
  if (timeout_ > 0) {
    if (!batch_done_.wait_for(lock, std::chrono::duration<double>(timeout_), ready)) throw Error(timeout_message());
  } else {
    batch_done_.wait(lock, ready);
  }
  const int index = cancelled_ ? -1 : find_finished();
  if (index < 0) return {};
  for (const BatchSlot& slot : slots_) ready_sum_ += slot.stage == Stage::ready;
  BatchSlot& slot = slots_[static_cast<std::size_t>(index)];
  if (slot.stage == Stage::failed) std::rethrow_exception(slot.error);
  slot.stage = Stage::busy;
  ++next_;
  ++taken_;
  return {index, slot.number, slot.taken, slot.empty};
}

void Pipeline::release(int slot) {
  {
    const std::lock_guard lock(mutex_);
    slots_[static_cast<std::size_t>(slot)] = {};
    ++free_;
  }
  work_available_.notify_one();
}

bool Pipeline::wait_until_idle(std::unique_lock<std::mutex>& lock) {
  return batch_done_.wait_for(lock, std::chrono::duration<double>(grace_), [&] { return busy_ == 0; });
}

bool Pipeline::stop() noexcept {
  std::unique_lock lock(mutex_);
  cancelled_ = true;
  plan_.batches = begun_;
  batch_done_.notify_all();
  return wait_until_idle(lock);
}

void Pipeline::quit() noexcept {
  {
    std::unique_lock lock(mutex_);
    quit_ = cancelled_ = true;
    plan_.batches = begun_;
    batch_done_.notify_all();
    work_available_.notify_all();
    wait_until_idle(lock);
    for (std::size_t id = 0; id < threads_.size(); ++id)
      if (workers_[id].number >= 0 && threads_[id].joinable()) threads_[id].detach();
  }
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void Pipeline::work(int id) {
  ::pthread_setname_np(::pthread_self(), "minima-data");
  set_thread_limit(1);
  std::unique_lock lock(mutex_);
  while (true) {
    while (!quit_ && !may_begin()) {
      const bool full = begun_ < plan_.batches;
      const Clock::time_point begin = Clock::now();
      work_available_.wait(lock);
      if (full) fetched_.waiting_for_room += seconds(Clock::now() - begin);
    }
    if (quit_) return;
    fetch_next(id, lock);
  }
}

/// Fetches one batch into a free slot. `lock` is held on entry and on return.
void Pipeline::fetch_next(int id, std::unique_lock<std::mutex>& lock) {
  std::unique_lock<std::mutex> reading;
  if (plan_.stream) {
    reading = wait_to_read(id, lock);
    if (!may_begin()) return batch_done_.notify_all();  // others took the last slot, or the epoch ended
  }
  const int slot = claim_slot(id);
  const std::int64_t number = workers_[static_cast<std::size_t>(id)].number;
  const std::shared_ptr<BackgroundLog> log = log_;
  lock.unlock();
  const Clock::time_point begin = Clock::now();
  BatchSlot result;
  {
    const minima::detail::BackgroundRow row(log, "loader worker ", id);
    const minima::detail::BackgroundStage stage("fetch");
    result = fetch_batch(slot, number, std::move(reading));
  }
  const Clock::time_point end = Clock::now();
  if (trace_) trace_->add("fetch", id, number, begin, end);
  lock.lock();
  settle(id, slot, std::move(result), seconds(end - begin));
}

/// Waits for this worker's turn to read the stream. Batches are numbered in the order in which they are read, so a
/// number is drawn only afterwards.
std::unique_lock<std::mutex> Pipeline::wait_to_read(int id, std::unique_lock<std::mutex>& lock) {
  set_busy(id, begun_, "waiting to read");
  lock.unlock();
  std::unique_lock<std::mutex> reading(read_mutex_);
  lock.lock();
  set_idle(id);
  return reading;
}

/// Assigns the next batch to a free slot and to this worker.
int Pipeline::claim_slot(int id) {
  const auto slot =
      std::find_if(slots_.begin(), slots_.end(), [](const BatchSlot& s) { return s.stage == Stage::free; });
  slot->stage = Stage::busy;
  slot->number = begun_++;
  --free_;
  set_busy(id, slot->number, plan_.stream ? "reading" : "fetching");
  return static_cast<int>(slot - slots_.begin());
}

/// Fetches without the lock. An exception becomes a failed result. `reading` is released once the stream is read.
Pipeline::BatchSlot Pipeline::fetch_batch(int slot, std::int64_t number, std::unique_lock<std::mutex> reading) {
  BatchSlot result;
  result.number = number;
  try {
    if (plan_.stream) read_and_fetch(slot, result, reading);
    else result.empty = !fetch(slot, indices_of(number));
    result.stage = Stage::ready;
  } catch (...) {
    result.stage = Stage::failed;
    result.error = describe_exception(number);
  }
  return result;
}

void Pipeline::read_and_fetch(int slot, BatchSlot& result, std::unique_lock<std::mutex>& reading) {
  if (!opened_) job_->open(plan_.context, plan_.skip);
  opened_ = true;
  const LoaderJob::Read read = job_->read(slot, plan_.share);
  reading.unlock();
  result.taken = read.taken;
  const std::span<const std::int64_t> records(plan_.order.data(), static_cast<std::size_t>(read.kept));
  result.empty = records.empty() || !fetch(slot, records);
}

/// Puts a result into its slot. At the end of a stream there is none, and the slot becomes free.
void Pipeline::settle(int id, int slot, BatchSlot result, double time) {
  set_idle(id);
  fetched_.busy += time;
  fetched_.longest = std::max(fetched_.longest, time);
  BatchSlot& target = slots_[static_cast<std::size_t>(slot)];
  const bool end_of_stream = plan_.stream && result.stage == Stage::ready && result.taken == 0;
  if (end_of_stream) {
    plan_.batches = std::min(plan_.batches, result.number);
    target = {};
    ++free_;
  } else {
    ++fetched_.batches;
    target = std::move(result);
  }
  batch_done_.notify_all();
}

void Pipeline::set_busy(int id, std::int64_t number, const char* doing) {
  workers_[static_cast<std::size_t>(id)] = {number, Clock::now(), doing};
  ++busy_;
}

void Pipeline::set_idle(int id) {
  workers_[static_cast<std::size_t>(id)].number = -1;
  --busy_;
}

std::span<const std::int64_t> Pipeline::indices_of(std::int64_t number) const {
  const auto total = static_cast<std::int64_t>(plan_.order.size());
  const std::int64_t first = number * plan_.share.batch_size;
  const std::int64_t count = std::min(plan_.share.batch_size, total - first);
  return {plan_.order.data() + first, static_cast<std::size_t>(count)};
}

void Pipeline::add_to(LoaderStats& stats) {
  const std::lock_guard lock(mutex_);
  stats.fetch = fetched_;
  stats.fetch.mean_ready = fetched_.batches ? ready_sum_ / static_cast<double>(fetched_.batches) : 0;
  stats.prefetch = prefetch_;
  stats.workers = static_cast<int>(threads_.size());
  stats.skipped = skipped_;
  stats.retried = retried_;
}

void Pipeline::reset_stats() {
  const std::lock_guard lock(mutex_);
  fetched_ = {};
  ready_sum_ = 0;
}

}  // namespace minima::data
