#include <minima/data/loader/pipeline.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/threads/parallel.h>

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
  // Signals are the program's business: its threads get them, not ours, which inherit this mask.
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

void Pipeline::start(Pass pass) {
  {
    const std::lock_guard lock(mutex_);
    pass_ = std::move(pass);
    begun_ = next_ = taken_ = 0;
    opened_ = cancelled_ = false;
    for (Slot& slot : slots_) slot = {};
    free_ = static_cast<int>(slots_.size());
  }
  work_to_do_.notify_all();
}

/// The slot that may be handed over now, -1 if there is none.
int Pipeline::find_slot() const {
  int best = -1;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.stage != Stage::ready && slot.stage != Stage::failed) continue;
    if (in_order_ ? slot.number == next_ : best < 0 || slot.number < slots_[static_cast<std::size_t>(best)].number)
      best = static_cast<int>(i);
  }
  return best;
}

bool Pipeline::is_ready() {
  const std::lock_guard lock(mutex_);
  return cancelled_ || find_slot() >= 0 || taken_ >= pass_.items;
}

Pipeline::Item Pipeline::next() {
  std::unique_lock lock(mutex_);
  if (threads_.empty() && !cancelled_ && find_slot() < 0 && may_begin()) run_item(0, lock);
  const auto ready = [&] { return cancelled_ || find_slot() >= 0 || taken_ >= pass_.items; };
  if (timeout_ > 0) {
    if (!item_done_.wait_for(lock, std::chrono::duration<double>(timeout_), ready)) throw Error(stuck_message());
  } else {
    item_done_.wait(lock, ready);
  }
  const int index = cancelled_ ? -1 : find_slot();
  if (index < 0) return {};
  for (const Slot& slot : slots_) ready_sum_ += slot.stage == Stage::ready;
  Slot& slot = slots_[static_cast<std::size_t>(index)];
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
  work_to_do_.notify_one();
}

bool Pipeline::wait_until_idle(std::unique_lock<std::mutex>& lock) {
  return item_done_.wait_for(lock, std::chrono::duration<double>(grace_), [&] { return busy_ == 0; });
}

bool Pipeline::stop() noexcept {
  std::unique_lock lock(mutex_);
  cancelled_ = true;
  pass_.items = begun_;
  item_done_.notify_all();
  return wait_until_idle(lock);
}

void Pipeline::quit() noexcept {
  {
    std::unique_lock lock(mutex_);
    quit_ = cancelled_ = true;
    pass_.items = begun_;
    item_done_.notify_all();
    work_to_do_.notify_all();
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
      const bool full = begun_ < pass_.items;
      const Clock::time_point begin = Clock::now();
      work_to_do_.wait(lock);
      if (full) fetched_.waiting_for_room += seconds(Clock::now() - begin);
    }
    if (quit_) return;
    run_item(id, lock);
  }
}

/// Fetches one batch. `lock` is held before and after.
void Pipeline::run_item(int id, std::unique_lock<std::mutex>& lock) {
  const bool stream = pass_.stream;
  std::unique_lock<std::mutex> reading;
  Worker& me = workers_[static_cast<std::size_t>(id)];
  if (stream) {
    // The number must be drawn by who reads next. Between the locks others may have taken the slot or ended the pass.
    me.number = begun_;
    me.since = Clock::now();
    me.doing = "waiting to read";
    ++busy_;
    lock.unlock();
    reading = std::unique_lock(read_mutex_);
    lock.lock();
    --busy_;
    me.number = -1;
    if (!may_begin()) {
      item_done_.notify_all();
      return;
    }
  }
  const auto index = static_cast<std::size_t>(
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.stage == Stage::free; }) -
      slots_.begin());
  Slot result;
  result.number = begun_++;
  slots_[index].stage = Stage::busy;
  slots_[index].number = result.number;
  --free_;
  ++busy_;
  const Clock::time_point begin = Clock::now();
  me = {result.number, begin, stream ? "reading" : "fetching"};
  lock.unlock();

  try {
    if (stream) {
      if (!opened_) job_->open(pass_.context, pass_.skip);
      opened_ = true;
      const LoaderJob::Read read = job_->read(static_cast<int>(index), pass_.part);
      reading.unlock();
      result.taken = read.taken;
      const std::span<const std::int64_t> records(pass_.order.data(), static_cast<std::size_t>(read.kept));
      result.empty = read.kept == 0 || !fetch(static_cast<int>(index), records);
    } else {
      result.empty = !fetch(static_cast<int>(index), indices_of(result.number));
    }
    result.stage = Stage::ready;
  } catch (Error& error) {
    error.add_note("while fetching " + describe(result.number));
    result.stage = Stage::failed;
    result.error = std::current_exception();
  } catch (...) {
    Error described("DataLoader: " + text_of_current_exception());
    described.add_note("while fetching " + describe(result.number));
    result.stage = Stage::failed;
    try {
      std::throw_with_nested(described);
    } catch (...) {
      result.error = std::current_exception();
    }
  }
  if (reading.owns_lock()) reading.unlock();

  const Clock::time_point end = Clock::now();
  if (trace_) trace_->add("fetch", id, result.number, begin, end);
  lock.lock();
  --busy_;
  me.number = -1;
  fetched_.busy += seconds(end - begin);
  fetched_.longest = std::max(fetched_.longest, seconds(end - begin));
  if (stream && result.stage == Stage::ready && result.taken == 0) {  // the stream's end
    pass_.items = std::min(pass_.items, result.number);
    slots_[index] = {};
    ++free_;
  } else {
    ++fetched_.batches;
    slots_[index] = std::move(result);
  }
  item_done_.notify_all();
}

std::span<const std::int64_t> Pipeline::indices_of(std::int64_t number) const {
  const auto total = static_cast<std::int64_t>(pass_.order.size());
  const std::int64_t first = number * pass_.part.batch_size;
  const std::int64_t count = std::min(pass_.part.batch_size, total - first);
  return {pass_.order.data() + first, static_cast<std::size_t>(count)};
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
