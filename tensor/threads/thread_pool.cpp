#include <minima/tensor/threads/parallel.h>

#include <minima/tensor/base/environment.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/scope.h>
#include <minima/tensor/device/background.h>
#include <minima/tensor/threads/cores.h>
#include <minima/tensor/threads/job_slots.h>
#include <minima/tensor/threads/range_observer.h>

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace minima {

namespace {

constinit int process_threads = 0;            // 0: not determined yet
constinit thread_local int thread_limit = 0;  // 0: no limit
constinit thread_local bool inside_job = false;
constinit thread_local int worker_number = 0;  // 0: not a worker
constinit thread_local RangeObserver* range_observer = nullptr;

constinit std::mutex workers_lock;
constinit int workers = 0;

int initial_threads() {
  const int cores = std::min(detail::usable_cores(), detail::max_threads);
  return static_cast<int>(detail::environment_number("MINIMA_THREADS", cores, 1, detail::max_threads));
}

int threads_of_process() {
  const int count = __atomic_load_n(&process_threads, __ATOMIC_RELAXED);
  if (count > 0) [[likely]]
    return count;
  int expected = 0;
  const int initial = initial_threads();
  __atomic_compare_exchange_n(&process_threads, &expected, initial, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected > 0 ? expected : initial;
}

void* run_worker(void* number) {
  inside_job = true;
  worker_number = static_cast<int>(reinterpret_cast<std::intptr_t>(number));
  detail::serve_jobs();
  return nullptr;
}

/// For a forked child, which has none of its parent's workers and where other threads' jobs would never end.
void forget_workers() {
  workers = 0;
  detail::reset_jobs();
}

/// Workers are detached: they live until the process ends and use nothing that is destroyed earlier.
bool start_worker(std::intptr_t number) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Workers handle no signals; those are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, run_worker, reinterpret_cast<void*>(number)) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (started) pthread_setname_np(thread, "minima");
  return started;
}

/// Starting fewer workers than wanted is not an error: the caller runs the remaining chunks.
void start_workers(int wanted) {
  if (__atomic_load_n(&workers, __ATOMIC_RELAXED) >= wanted) [[likely]]
    return;
  detail::spin_ns();  // an invalid setting throws here instead of on a worker
  const std::lock_guard lock(workers_lock);
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork([] { workers_lock.lock(); }, [] { workers_lock.unlock(); },
                   [] {
                     forget_workers();
                     workers_lock.unlock();
                   });
  });
  int count = workers;
  while (count < wanted && start_worker(count + 1)) ++count;
  __atomic_store_n(&workers, count, __ATOMIC_RELAXED);
}

/// Notes who runs which range of a job, and when.
struct Timed {
  const detail::Job& job;
  std::vector<RangeTime> times;

  static void run(void* context, std::int64_t first, std::int64_t last) {
    auto& self = *static_cast<Timed*>(context);
    RangeTime time{worker_number, detail::steady_ns(), 0};
    self.job.function(self.job.context, first, last);
    time.end = detail::steady_ns();
    self.times[static_cast<std::size_t>((first - self.job.begin) / self.job.chunk)] = time;
  }
};

void run_timed(const detail::Job& job, int helpers, RangeObserver& observer) {
  Timed timed{job, std::vector<RangeTime>(static_cast<std::size_t>(job.chunks))};
  detail::Job noted = job;
  noted.function = Timed::run;
  noted.context = &timed;
  detail::run_job(noted, helpers);
  std::erase_if(timed.times, [](const RangeTime& time) { return time.end == 0; });  // all ran as one
  observer.ranges(timed.times.data(), static_cast<int>(timed.times.size()));
}

}  // namespace

RangeObserver* set_range_observer(RangeObserver* observer) { return std::exchange(range_observer, observer); }

int num_threads() {
  if (inside_job) return 1;
  const int count = threads_of_process();
  return thread_limit > 0 && thread_limit < count ? thread_limit : count;
}

void set_num_threads(int count) {
  if (count < 1 || count > detail::max_threads)
    throw ValueError(str("set_num_threads: ", count, "; expected a number from 1 to ", detail::max_threads));
  __atomic_store_n(&process_threads, count, __ATOMIC_RELAXED);
}

void set_thread_limit(int count) {
  if (count < 0) throw ValueError(str("set_thread_limit: ", count, "; expected a positive number, or 0 for no limit"));
  thread_limit = count;
}

void detail::run_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeFunction function,
                        void* context) {
  grain = std::max<std::int64_t>(grain, 1);
  const int threads = num_threads();
  const std::int64_t length = end - begin;
  if (threads == 1 || length <= grain) {
    function(context, begin, end);
    return;
  }
  start_workers(threads - 1);
  // Four chunks per thread balance cores of unequal speed; more would only add overhead.
  const std::int64_t grains = (length - 1) / grain + 1;
  const std::int64_t wanted = std::min<std::int64_t>(grains, std::int64_t{4} * threads);
  const std::int64_t chunk = ((grains - 1) / wanted + 1) * grain;
  const std::int64_t chunks = (length - 1) / chunk + 1;
  const Scoped inside(inside_job, true);
  const Job job{function, context, begin, end, chunk, static_cast<int>(chunks)};
  const int helpers = static_cast<int>(std::min<std::int64_t>(threads, chunks)) - 1;
  if (range_observer) run_timed(job, helpers, *range_observer);
  else run_job(job, helpers);
}

}  // namespace minima
