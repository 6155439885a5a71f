#include <minima/tensor/memory/device/caching_memory.h>

#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/device/arena.h>
#include <minima/tensor/memory/device/block.h>
#include <minima/tensor/memory/device/memory_driver.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace minima::device_memory {

namespace {

constexpr unsigned calls_between_looks_at_holds = 64;
constexpr std::size_t many_held = 16;
constexpr std::size_t most_marks = 64;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

CachingMemory::CachingMemory(MemoryDriver& driver)
    : driver_(driver), page_bytes_(driver.page_bytes()), total_(driver.memory().total) {}

void CachingMemory::prepare(Arenas& arenas, StreamMemory& stream, bool paged, bool graph) {
  for (Arena* arena : {&arenas.small, &arenas.large}) {
    arena->stream = &stream;
    arena->small = arena == &arenas.small;
    arena->paged = paged;
    arena->graph = graph;
  }
}

StreamMemory& CachingMemory::stream(StreamToken token) {
  const std::lock_guard lock(mutex_);
  auto& stream = streams_[token];
  if (!stream) {
    stream = std::make_unique<StreamMemory>();
    stream->token = token;
    stream->order = static_cast<int>(streams_.size()) - 1;
    prepare(stream->ordinary, *stream, page_bytes_ > 0, false);
    prepare(stream->plain, *stream, false, false);
  }
  return *stream;
}

Block* CachingMemory::allocate(StreamMemory& stream, std::size_t bytes, Purpose purpose, bool plain) {
  if (bytes > std::size_t{1} << 56) return nullptr;
  const std::size_t rounded = round_up(std::max<std::size_t>(bytes, 1), block_unit);
  Lock lock(mutex_);
  if (!captures_.empty() && !stream.capture) [[unlikely]]
    join_capture(stream);
  Arenas& arenas = stream.capture ? *stream.capture : plain ? stream.plain : stream.ordinary;
  Arena& arena = rounded <= small_block_limit ? arenas.small : arenas.large;
  if (stream.unmarked_bytes > mark_interval_) record_mark(stream);
  if (!held_.empty() && ++calls_since_look_ > calls_between_looks_at_holds) run_holds(lock);
  if (++calls_since_trim_ >= calls_between_trims_) [[unlikely]]
    trim();
  Block* block = arena.allocate(rounded);
  if (!block) [[unlikely]] {
    block = allocate_slowly(arena, rounded, lock);
    if (!block) return nullptr;
  }
  block->requested = bytes;
  block->purpose = purpose;
  ++stats_.allocations;
  count_use(*block, 1);
  stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
  return block;
}

void CachingMemory::release(Block* block) noexcept {
  const std::lock_guard lock(mutex_);
  count_use(*block, -1);
  Arena& arena = *block->segment->arena;
  arena.stream->unmarked_bytes += block->bytes;
  arena.free_block(block, ++arena.stream->releases, page_bytes_);
}

void CachingMemory::count_use(const Block& block, int sign) {
  const std::int64_t bytes = sign * static_cast<std::int64_t>(block.bytes);
  stats_.allocated += bytes;
  stats_.requested += sign * static_cast<std::int64_t>(block.requested);
  stats_.allocated_by[static_cast<int>(block.purpose)] += bytes;
}

void CachingMemory::hold(StreamToken stream, void (*release)(void*), void* context) {
  Lock lock(mutex_);
  if (held_.size() >= many_held) run_holds(lock);  // a program that only copies never allocates
  held_.push_back({.mark = 0, .stream = stream, .release = release, .context = context});
  if (!captures_.empty()) return;  // an event would become part of the graph
  try {
    held_.back().mark = driver_.record(stream);
  } catch (const std::exception&) {
    // Work under way uses the memory, so it stays held; run_holds() tries again, and reports a failure that lasts.
  }
}

/// Releases what streams have passed. The callbacks free blocks, so they run without the lock.
void CachingMemory::run_holds(Lock& lock) {
  calls_since_look_ = 0;
  if (!captures_.empty() || held_.empty()) return;
  std::vector<StreamToken> behind;  // have not reached a mark, and therefore none of those after it
  for (Held& held : held_) {
    if (held.is_reached || std::find(behind.begin(), behind.end(), held.stream) != behind.end()) continue;
    if (!held.mark) held.mark = driver_.record(held.stream);
    held.is_reached = driver_.reached(held.mark);
    if (!held.is_reached) behind.push_back(held.stream);
  }
  std::vector<Held> done;
  std::copy_if(held_.begin(), held_.end(), std::back_inserter(done), [](const Held& held) { return held.is_reached; });
  if (done.empty()) return;
  std::erase_if(held_, [](const Held& held) { return held.is_reached; });
  lock.unlock();
  for (const Held& held : done) held.release(held.context);
  lock.lock();
}

/// The mark will tell whether the stream has passed all releases so far.
void CachingMemory::record_mark(StreamMemory& stream) {
  if (!captures_.empty()) return;
  note_progress(stream);
  if (stream.marks.size() >= most_marks) return;
  stream.marks.push_back({driver_.record(stream.token), stream.releases});
  stream.unmarked_bytes = 0;
}

void CachingMemory::note_progress(StreamMemory& stream) {
  if (!captures_.empty()) return;
  while (!stream.marks.empty() && driver_.reached(stream.marks.front().mark)) {
    stream.reached = std::max(stream.reached, stream.marks.front().releases);
    stream.marks.pop_front();
  }
}

void CachingMemory::note_progress() {
  for (auto& [token, stream] : streams_)
    if (stream->unmarked_bytes > 0) record_mark(*stream);
    else note_progress(*stream);
}

/// No free block fits: tries ever more expensive ways to get one.
Block* CachingMemory::allocate_slowly(Arena& arena, std::size_t bytes, Lock& lock) {
  run_holds(lock);
  if (Block* const block = arena.allocate(bytes)) return block;
  note_progress();
  if (grow(arena, bytes, false)) return arena.allocate(bytes);
  ++caching_.retries;
  if (grow(arena, bytes, true)) return arena.allocate(bytes);
  release_idle();
  if (grow(arena, bytes, true)) return arena.allocate(bytes);
  if (captures_.empty()) {
    ++caching_.synchronizations;
    wait_for_device(lock);
    if (Block* const block = arena.allocate(bytes)) return block;
    release_idle();
    if (grow(arena, bytes, true)) return arena.allocate(bytes);
  }
  ++caching_.out_of_memory;
  return nullptr;
}

void CachingMemory::wait_for_device(Lock& lock) {
  driver_.synchronize();
  for (auto& [token, stream] : streams_) note_progress(*stream);
  run_holds(lock);
  if (!captures_.empty()) return;  // begun while the lock was released
  driver_.synchronize();           // meanwhile other threads may have freed blocks that are still in use
  for (auto& [token, stream] : streams_) stream->reached = stream->releases;
}

void CachingMemory::begin_capture(StreamMemory& stream, int pool) {
  Lock lock(mutex_);
  if (captures_.empty()) wait_for_device(lock);
  forget_pools();
  captures_.push_back({.thread = std::this_thread::get_id(), .pool = pool, .streams = {}});
  join(captures_.back(), stream);
}

void CachingMemory::join(Capture& capture, StreamMemory& stream) {
  capture.streams.push_back(&stream);
  auto& arenas = pools_[{capture.pool, &stream}];
  if (!arenas) {
    arenas = std::make_unique<Arenas>();
    prepare(*arenas, stream, page_bytes_ > 0, true);
  }
  arenas->small.graph = arenas->large.graph = true;
  stream.capture = arenas.get();
}

void CachingMemory::join_capture(StreamMemory& stream) {
  for (Capture& capture : captures_)
    if (capture.thread == std::this_thread::get_id()) return join(capture, stream);
}

void CachingMemory::end_capture(StreamMemory& stream) {
  const std::lock_guard lock(mutex_);
  std::erase_if(captures_, [&](const Capture& capture) {
    if (capture.streams.front() != &stream) return false;
    for (StreamMemory* const joined : capture.streams) joined->capture = nullptr;
    return true;
  });
}

void CachingMemory::release_pool(int pool) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, arenas] : pools_)
    if (key.first == pool) arenas->small.graph = arenas->large.graph = false;
}

void CachingMemory::empty() {
  Lock lock(mutex_);
  if (!captures_.empty()) return;
  ++caching_.synchronizations;
  wait_for_device(lock);
  release_idle();
}

void CachingMemory::set_limit(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
}

}  // namespace minima::device_memory
