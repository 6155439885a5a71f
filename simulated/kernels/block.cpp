#include "simulated/kernels/block.h"

#include <algorithm>
#include <cstring>

#if defined(SIMT_UNDER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace simt {

namespace {

thread_local Block* running = nullptr;

}  // namespace

Block& current_block() { return *running; }

Fiber* FiberPool::take() {
  if (idle_.empty()) return &all_.emplace_back();
  Fiber* const fiber = idle_.back();
  idle_.pop_back();
  return fiber;
}

void FiberPool::reclaim() {
  idle_.clear();
  for (Fiber& fiber : all_) idle_.push_back(&fiber);
}

Block::Block(const Launch& launch, Index index, std::uint64_t seed, FiberPool& pool)
    : launch_(launch), index_(index), pool_(pool), random_(seed) {
  const Index& size = launch.block;
  lanes_.resize(std::size_t{size.x} * size.y * size.z);
  for (unsigned i = 0; i < lanes_.size(); ++i) {
    lanes_[i].index = {i % size.x, i / size.x % size.y, i / size.x / size.y};
    order_.push_back(i);
  }
  // Exactly the requested size, so that the address sanitizer finds overruns; filled with NaN.
  shared_.reset(new unsigned char[launch.shared_bytes]);
  std::memset(shared_.get(), 0xFF, launch.shared_bytes);
}

BlockFault Block::run() {
  running = this;
  while (fault_.empty()) {
    shuffle();
    run_lanes();
    if (!fault_.empty() ||
        std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return l.state == LaneState::done; }))
      break;
    const bool block = release_block(), warps = release_warps();
    if (!block && !warps && fault_.empty()) report_stuck();
  }
  running = nullptr;
  if (!fault_.empty()) pool_.reclaim();
#if defined(SIMT_UNDER_TSAN)
  __tsan_acquire(this);     // the end of every thread precedes what the host does next,
  __tsan_acquire(&fault_);  // and, after a fault, everything they did before they were stopped
#endif
  return {fault_, error_};
}

void Block::shuffle() {
  if (launch_.seed != 0) std::shuffle(order_.begin(), order_.end(), random_);
}

void Block::run_lanes() {
  for (const unsigned i : order_) {
    Lane& lane = lanes_[i];
    if (lane.state == LaneState::fresh) {
      lane.fiber = pool_.take();
      lane.fiber->start(&Block::lane_loop, this);
      resume(lane);
    } else if (lane.state == LaneState::ready) {
      resume(lane);
    }
    if (!fault_.empty()) return;
  }
}

void Block::resume(Lane& lane) {
  current_ = &lane;
  lane.state = LaneState::ready;
  lane.fiber->resume(scheduler_);
}

/// A thread that ends passes its stack to the next one, which saves most switches.
Lane* Block::next_fresh() {
  if (under_tsan) return nullptr;
  for (const unsigned i : order_)
    if (lanes_[i].state == LaneState::fresh) return &lanes_[i];
  return nullptr;
}

void Block::lane_loop(void* argument) {
  Block& block = *static_cast<Block*>(argument);
  for (;;) {
    Lane& lane = *block.current_;
    (*block.launch_.body)();
#if defined(SIMT_UNDER_TSAN)
    __tsan_release(&block);
#endif
    lane.state = LaneState::done;
    Fiber* const fiber = lane.fiber;
    if (Lane* const next = block.next_fresh()) {
      next->fiber = fiber;
      next->state = LaneState::ready;
      block.current_ = next;
      continue;
    }
    block.pool_.give_back(fiber);
    block.scheduler_.resume(*fiber);
  }
}

void Block::wait(LaneState state, Site site) {
  Lane& lane = *current_;
  lane.state = state;
  lane.site = site;
#if defined(SIMT_UNDER_TSAN)
  __tsan_release(&fault_);
#endif
  scheduler_.resume(*lane.fiber);
}

void Block::fail(std::string&& text, cudaError_t error) {
  error_ = error;
  fault_ = std::move(text);  // this thread's stack is abandoned; its objects are not destroyed
#if defined(SIMT_UNDER_TSAN)
  __tsan_release(&fault_);
#endif
  scheduler_.resume(*current_->fiber);
  std::abort();  // a failed thread is never resumed
}

bool Block::release_block() {
  int count = 0;
  const Lane* first = nullptr;
  const Lane* exited = nullptr;
  for (const Lane& lane : lanes_) {
    if (lane.state == LaneState::done) {
      if (!exited) exited = &lane;
      continue;
    }
    if (lane.state != LaneState::at_block_barrier) return false;
    if (first && (first->site.line != lane.site.line || std::strcmp(first->site.file, lane.site.file) != 0)) {
      fault_ = "divergent barrier in " + std::string(launch_.kernel) + ": " + name(*first) + " waits at " +
               position(*first) + ", " + name(lane) + " at " + position(lane);
      return false;
    }
    if (!first) first = &lane;
    count += lane.brought != 0;
  }
  if (exited) {
    fault_ = "divergent barrier in " + std::string(launch_.kernel) + ": " + name(*first) + " waits at " +
             position(*first) + ", " + name(*exited) + " has ended";
    return false;
  }
  for (Lane& lane : lanes_) {
    lane.state = LaneState::ready;
    lane.count = count;
  }
  return true;
}

bool Block::release_warps() {
  bool any = false;
  for (unsigned warp = 0; warp * warp_size < lanes_.size(); ++warp)
    for (unsigned l = 0; l < warp_size && warp * warp_size + l < lanes_.size(); ++l) {
      const Lane& lane = lanes_[warp * warp_size + l];
      if (lane.state == LaneState::at_warp_barrier) any = release_group(warp, lane) || any;
    }
  return any;
}

/// Releases the lanes of `like`'s mask if all of them have reached the same place with the same mask.
bool Block::release_group(unsigned warp, const Lane& like) {
  const Site site = like.site;
  const unsigned mask = like.mask, first = warp * warp_size;
  unsigned present = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    if (!(mask >> l & 1u)) continue;
    if (first + l >= lanes_.size()) continue;  // the last warp of a ragged block
    const Lane& lane = lanes_[first + l];
    const bool same = lane.state == LaneState::at_warp_barrier && lane.mask == mask && lane.site.line == site.line &&
                      std::strcmp(lane.site.file, site.file) == 0;
    if (!same) return false;
    present |= 1u << l;
  }
  if (received_.empty()) received_.resize(lanes_.size());
  for (unsigned l = 0; l < warp_size; ++l) {
    if (!(present >> l & 1u)) continue;
    Lane& lane = lanes_[first + l];
    for (unsigned k = 0; k < warp_size; ++k)
      if (present >> k & 1u) received_[first + l][k] = lanes_[first + k].brought;
    lane.received_mask = present;
    lane.state = LaneState::ready;
  }
  return true;
}

void Block::report_stuck() {
  const Lane* first = nullptr;
  const Lane* other = nullptr;
  for (const Lane& lane : lanes_) {
    if (lane.state == LaneState::at_block_barrier || lane.state == LaneState::at_warp_barrier) {
      if (!first) first = &lane;
      else if (lane.site.line != first->site.line || lane.mask != first->mask) other = &lane;
    } else if (lane.state == LaneState::done && !other) {
      other = &lane;
    }
  }
  fault_ =
      "divergent barrier in " + std::string(launch_.kernel) + ": " + name(*first) + " waits at " + position(*first);
  if (other)
    fault_ += ", " + name(*other) + (other->state == LaneState::done ? " has ended" : " waits at " + position(*other));
}

std::string Block::name(const Lane& lane) const {
  return "thread " + std::to_string(number(lane)) + " of block " + std::to_string(index_.x);
}

std::string Block::position(const Lane& lane) const {
  const char* const slash = std::strrchr(lane.site.file, '/');
  return std::string(slash ? slash + 1 : lane.site.file) + ":" + std::to_string(lane.site.line);
}

}  // namespace simt
