#include <minima/tensor/threads/job_slots.h>

#include <minima/tensor/base/environment.h>
#include <minima/tensor/device/wait_observer.h>
#include <minima/tensor/threads/parallel.h>

#include <cstdint>
#include <utility>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <sched.h>
#include <atomic>
#include <climits>
#include <exception>

namespace minima::detail {

namespace {

// The claim word packs the job's number, the number of workers that may still join (seats) and the number of chunks
// left. A claim is one compare-and-swap, which fails if the slot already holds another job.
constexpr int chunk_bits = 20, seat_bits = 12;
constexpr std::uint64_t one_seat = std::uint64_t{1} << chunk_bits;
constexpr std::uint64_t one_generation = std::uint64_t{1} << (chunk_bits + seat_bits);
constexpr std::uint32_t chunks_left(std::uint64_t word) { return static_cast<std::uint32_t>(word & (one_seat - 1)); }
constexpr std::uint64_t seats_left(std::uint64_t word) { return word >> chunk_bits & ((1u << seat_bits) - 1); }
constexpr bool same_job(std::uint64_t a, std::uint64_t b) { return a / one_generation == b / one_generation; }

/// The job's fields are atomic because a late worker may read them while the next job is being written. Its claim then
/// fails, and it discards them.
struct JobSlot {
  alignas(64) std::atomic<std::uint64_t> claims{0};
  std::atomic<RangeFunction> function{nullptr};
  std::atomic<void*> context{nullptr};
  std::atomic<std::int64_t> begin{0}, end{0}, chunk{0};
  std::atomic<int> chunks{0};
  alignas(64) std::atomic<int> done{0};
  std::atomic<bool> failed{false};
  std::atomic<std::exception_ptr*> exception{
      nullptr};  ///< on the caller's stack; written by the chunk that set `failed`
  alignas(64) std::atomic<bool> taken{false};
};

constexpr int slot_count = 8;
constinit JobSlot slots[slot_count];

struct alignas(64) Bell {
  std::atomic<std::uint32_t> rings{0};
  std::atomic<int> sleepers{0};
};
constinit Bell bell;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

std::int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// Runs a claimed chunk. The fields belong to the job, since the claim succeeded.
void run_chunk(JobSlot& slot, const Job& job, std::int64_t index) {
  if (!slot.failed.load(std::memory_order_relaxed)) {
    const std::int64_t first = job.begin + index * job.chunk;
    const std::int64_t last = job.end - first > job.chunk ? first + job.chunk : job.end;
    try {
      job.function(job.context, first, last);
    } catch (...) {
      if (!slot.failed.exchange(true, std::memory_order_relaxed))
        *slot.exception.load(std::memory_order_relaxed) = std::current_exception();
    }
  }
  slot.done.fetch_add(1, std::memory_order_release);
}

/// Claims and runs chunks of the job whose number is in `word` until none is left.
void run_chunks(JobSlot& slot, const Job& job, std::uint64_t word) {
  while (chunks_left(word) > 0) {
    std::uint64_t claimed = word - 1;
    if (!slot.claims.compare_exchange_weak(word, claimed, std::memory_order_acq_rel, std::memory_order_acquire)) {
      if (!same_job(word, claimed)) return;
      continue;
    }
    run_chunk(slot, job, job.chunks - static_cast<std::int64_t>(chunks_left(word)));
    word = slot.claims.load(std::memory_order_acquire);
    if (!same_job(word, claimed)) return;
  }
}

/// Claims a seat and a chunk at once. False if there is nothing to join.
bool join(JobSlot& slot) {
  std::uint64_t word = slot.claims.load(std::memory_order_seq_cst);
  while (chunks_left(word) > 0 && seats_left(word) > 0) {
    const Job job{slot.function.load(std::memory_order_relaxed), slot.context.load(std::memory_order_relaxed),
                  slot.begin.load(std::memory_order_relaxed),    slot.end.load(std::memory_order_relaxed),
                  slot.chunk.load(std::memory_order_relaxed),    slot.chunks.load(std::memory_order_relaxed)};
    if (!slot.claims.compare_exchange_weak(word, word - one_seat - 1, std::memory_order_acq_rel,
                                           std::memory_order_acquire))
      continue;
    run_chunk(slot, job, job.chunks - static_cast<std::int64_t>(chunks_left(word)));
    const std::uint64_t later = slot.claims.load(std::memory_order_acquire);
    if (same_job(word, later)) run_chunks(slot, job, later);
    return true;
  }
  return false;
}

bool join_any() {
  bool joined = false;
  for (JobSlot& slot : slots) joined |= join(slot);
  return joined;
}

/// Spins for work; after a quarter of the time it also yields the core.
bool spin_for_work() {
  const std::int64_t start = now_ns(), limit = spin_ns();
  for (std::int64_t waited = 0; waited < limit; waited = now_ns() - start) {
    for (int i = 0; i < 32; ++i) {
      if (join_any()) return true;
      pause();
    }
    if (waited > limit / 4) sched_yield();
  }
  return false;
}

/// Sleeps until a job is published. Either the publisher sees this sleeper, or the last scan here sees the job.
void sleep_until_work() {
  bell.sleepers.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t seen = bell.rings.load(std::memory_order_seq_cst);
  if (!join_any()) futex_wait(bell.rings, seen);
  bell.sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

void wake_workers(int count) {
  if (bell.sleepers.load(std::memory_order_seq_cst) == 0) return;
  bell.rings.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(bell.rings, count);
}

/// Waits for chunks that other threads are running. They are short, so this spins and yields instead of sleeping.
void wait_for_others(const JobSlot& slot, int chunks) {
  for (int i = 0; slot.done.load(std::memory_order_acquire) < chunks; ++i) {
    if (i < 2000) pause();
    else sched_yield();
  }
}

JobSlot* free_slot() {
  for (JobSlot& slot : slots)
    if (!slot.taken.load(std::memory_order_relaxed) && !slot.taken.exchange(true, std::memory_order_acquire))
      return &slot;
  return nullptr;
}

}  // namespace

void run_job(const Job& job, int helpers) {
  JobSlot* const slot = free_slot();
  if (!slot) {  // more concurrent callers than slots, so the cores are busy already
    job.function(job.context, job.begin, job.end);
    return;
  }
  slot->function.store(job.function, std::memory_order_relaxed);
  slot->context.store(job.context, std::memory_order_relaxed);
  slot->begin.store(job.begin, std::memory_order_relaxed);
  slot->end.store(job.end, std::memory_order_relaxed);
  slot->chunk.store(job.chunk, std::memory_order_relaxed);
  slot->chunks.store(job.chunks, std::memory_order_relaxed);
  slot->done.store(0, std::memory_order_relaxed);
  std::exception_ptr exception;
  slot->exception.store(&exception, std::memory_order_relaxed);
  slot->failed.store(false, std::memory_order_relaxed);
  const std::uint64_t number = slot->claims.load(std::memory_order_relaxed) / one_generation + 1;
  const std::uint64_t word =
      number * one_generation + static_cast<std::uint64_t>(helpers) * one_seat + static_cast<std::uint64_t>(job.chunks);
  slot->claims.store(word, std::memory_order_seq_cst);
  wake_workers(helpers);

  run_chunks(*slot, job, word);
  {
    const Waiting waiting(Wait::threads);
    wait_for_others(*slot, job.chunks);
  }
  slot->taken.store(false, std::memory_order_release);
  if (exception) std::rethrow_exception(std::move(exception));
}

std::int64_t spin_ns() {
  static const std::int64_t ns = environment_number("MINIMA_SPIN_US", 100, 0, 1'000'000) * 1000;
  return ns;
}

void serve_jobs() {
  for (;;)
    if (!spin_for_work()) sleep_until_work();
}

void reset_jobs() {
  for (JobSlot& slot : slots) {
    slot.claims.store(slot.claims.load() / one_generation * one_generation);
    slot.taken.store(false);
  }
  bell.sleepers.store(0);
}

}  // namespace minima::detail
