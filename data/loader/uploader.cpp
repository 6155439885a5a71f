#include <minima/data/loader/uploader.h>

#include <minima/data/loader/job_trace.h>
#include <minima/data/loader/loader_job.h>
#include <minima/data/loader/loader_stats.h>
#include <minima/data/loader/pipeline.h>
#include <minima/data/loader/transfer.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/device/background.h>
#include <minima/tensor/threads/parallel.h>

#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include <pthread.h>
#include <signal.h>
#include <algorithm>

namespace minima::data {

Uploader::Uploader(std::shared_ptr<Pipeline> pipeline, Ref<LoaderJob> job, Ref<Transfer> transfer, int slots,
                   std::shared_ptr<Trace> trace)
    : pipeline_(std::move(pipeline)),
      job_(std::move(job)),
      transfer_(std::move(transfer)),
      trace_(std::move(trace)),
      ready_(slots) {
  for (int slot = slots - 1; slot >= 0; --slot) free_.push_back(slot);
}

void Uploader::start() {
  error_ = nullptr;
  ended_ = cancelled_ = false;
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Uploader::Item Uploader::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || !ready_.empty(); });
  if (ready_.empty()) {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return {};
  }
  ready_sum_ += static_cast<double>(ready_.size());
  const Item item = ready_.front();
  ready_.pop_front();
  return item;
}

void Uploader::release(int slot) {
  {
    const std::lock_guard lock(mutex_);
    free_.insert(free_.begin(), slot);  // the slot free for longest is used first
  }
  changed_.notify_all();
}

void Uploader::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (; !ready_.empty(); ready_.pop_front())
    if (ready_.front().slot >= 0) free_.push_back(ready_.front().slot);
}

/// Whether `begin_copy` would start a copy without waiting.
bool Uploader::can_begin() {
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty() || !transfer_->is_free(free_.back())) return false;
  }
  return pipeline_->is_ready();
}

/// Waits for a free slot and a batch, then enqueues the copies; false at the end of the epoch.
bool Uploader::begin_copy() {
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return cancelled_ || !free_.empty(); });
  if (cancelled_) return false;
  const int slot = free_.back();
  lock.unlock();
  transfer_->wait_free(slot);
  const Clock::time_point room = Clock::now();
  const Item item = pipeline_->next();
  const Clock::time_point begin = Clock::now();
  lock.lock();
  stats_.waiting_for_room += seconds(room - start);
  stats_.waiting_for_input += seconds(begin - room);
  if (item.slot < 0) return false;
  if (item.empty) {  // nothing to copy, but the consumer marks its samples as delivered
    ready_.push_back({.slot = -1, .number = item.number, .taken = item.taken, .empty = true});
    lock.unlock();
    pipeline_->release(item.slot);
    changed_.notify_all();
    return true;
  }
  free_.pop_back();
  lock.unlock();
  flights_.push_back({item, slot, begin});
  job_->upload(item.slot, slot, *transfer_);
  transfer_->finish(slot);
  lock.lock();
  ready_.push_back({slot, item.number, item.taken, false});
  lock.unlock();
  changed_.notify_all();
  return true;
}

void Uploader::end_copy() {
  const Flight flight = flights_.front();
  flights_.pop_front();
  transfer_->wait_copied(flight.slot);
  const Clock::time_point end = Clock::now(), begin = std::max(flight.begin, idle_since_);
  idle_since_ = end;
  pipeline_->release(flight.item.slot);
  if (trace_) trace_->add("copy", Trace::copy_track, flight.item.number, begin, end);
  if (const std::shared_ptr<BackgroundLog> log = pipeline_->log())
    log->add({"loader copies", "copy", minima::detail::steady_ns(begin), minima::detail::steady_ns(end)});
  const std::lock_guard lock(mutex_);
  ++stats_.batches;
  stats_.busy += seconds(end - begin);
  stats_.longest = std::max(stats_.longest, seconds(end - begin));
}

void Uploader::work() noexcept {
  ::pthread_setname_np(::pthread_self(), "minima-upload");
  set_thread_limit(1);
  std::exception_ptr error;
  try {
    while (begin_copy())
      while (flights_.size() == 2 || (flights_.size() == 1 && !can_begin())) end_copy();
  } catch (...) {
    error = std::current_exception();
  }
  try {
    while (!flights_.empty()) end_copy();
  } catch (...) {
    if (!error) error = std::current_exception();
  }
  flights_.clear();
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    ended_ = true;
  }
  changed_.notify_all();
}

void Uploader::add_to(LoaderStats& stats) {
  const std::lock_guard lock(mutex_);
  stats.copy = stats_;
  stats.copy.mean_ready = stats_.batches ? ready_sum_ / static_cast<double>(stats_.batches) : 0;
}

void Uploader::reset_stats() {
  const std::lock_guard lock(mutex_);
  stats_ = {};
  ready_sum_ = 0;
}

}  // namespace minima::data
