#include "simulated/kernels/fiber_block.h"

#include <algorithm>
#include <cstring>

#if defined(SIMT_UNDER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace simulated::simt {

namespace {

bool same(const Site& a, const Site& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

}  // namespace

constinit thread_local Place running_place{};
constinit thread_local FiberBlock* running_block = nullptr;

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

FiberBlock::FiberBlock(const FiberLaunch& launch, Index index, std::uint64_t seed, FiberPool& pool)
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

BlockFault FiberBlock::run() {
  running_block = this;
  running_place = {nullptr, &index_, &launch_.block, &launch_.grid};
  while (fault_.empty()) {
    shuffle();
    turn_ = 0;
    if (Lane* const first = next()) switch_to(*first, scheduler_);
    if (!fault_.empty() || done_ == lanes_.size()) break;
    const bool block = release_block(), warps = release_warps();
    if (!block && !warps && fault_.empty()) report_stuck();
  }
  running_block = nullptr;
  if (!fault_.empty()) pool_.reclaim();
#if defined(SIMT_UNDER_TSAN)
  __tsan_acquire(this);     // the end of every thread precedes what the host does next,
  __tsan_acquire(&fault_);  // and, after a fault, everything they did before they were stopped
#endif
  return {fault_, error_};
}

void FiberBlock::shuffle() {
  if (launch_.seed != 0) std::shuffle(order_.begin(), order_.end(), random_);
}

/// The next lane of this round that can run. Lanes switch to it themselves: the scheduler runs once per round.
Lane* FiberBlock::next() {
  while (turn_ < order_.size()) {
    Lane& lane = lanes_[order_[turn_++]];
    if (lane.state == LaneState::fresh || lane.state == LaneState::ready) return &lane;
  }
  return nullptr;
}

void FiberBlock::set_current(Lane& lane) {
  current_ = &lane;
  running_place.thread = &lane.index;
}

void FiberBlock::switch_to(Lane& lane, Fiber& from) {
  if (lane.state == LaneState::fresh) {
    lane.fiber = pool_.take();
    lane.fiber->start(&FiberBlock::lane_loop, this);
    lane.state = LaneState::ready;
  }
  set_current(lane);
  lane.fiber->resume(from);
}

void FiberBlock::leave(Fiber& from) {
  if (Lane* const lane = next()) switch_to(*lane, from);
  else scheduler_.resume(from);
}

void FiberBlock::lane_loop(void* argument) {
  FiberBlock& block = *static_cast<FiberBlock*>(argument);
  for (;;) {
    Lane& lane = *block.current_;
    (*block.launch_.body)();
#if defined(SIMT_UNDER_TSAN)
    __tsan_release(&block);
#endif
    lane.state = LaneState::done;
    ++block.done_;
    Fiber* const fiber = lane.fiber;
    Lane* const next = block.next();
    if (next && next->state == LaneState::fresh && !under_tsan) {  // passes its stack on, which saves a switch
      next->fiber = fiber;
      next->state = LaneState::ready;
      block.set_current(*next);
      continue;
    }
    block.pool_.give_back(fiber);
    if (next) block.switch_to(*next, *fiber);
    else block.scheduler_.resume(*fiber);
  }
}

void FiberBlock::wait(LaneState state, Site site) {
  Lane& lane = *current_;
  lane.state = state;
  lane.site = site;
#if defined(SIMT_UNDER_TSAN)
  __tsan_release(&fault_);
#endif
  leave(*lane.fiber);
}

void FiberBlock::fail(std::string&& text, cudaError_t error) {
  error_ = error;
  fault_ = std::move(text);  // this thread's stack is abandoned; its objects are not destroyed
#if defined(SIMT_UNDER_TSAN)
  __tsan_release(&fault_);
#endif
  scheduler_.resume(*current_->fiber);
  std::abort();  // a failed thread is never resumed
}

bool FiberBlock::release_block() {
  int count = 0;
  const Lane* first = nullptr;
  const Lane* exited = nullptr;
  for (const Lane& lane : lanes_) {
    if (lane.state == LaneState::done) {
      if (!exited) exited = &lane;
      continue;
    }
    if (lane.state != LaneState::at_block_barrier) return false;
    if (first && !same(first->site, lane.site)) {
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

bool FiberBlock::release_warps() {
  bool any = false;
  for (unsigned warp = 0; warp * warp_size < lanes_.size(); ++warp)
    for (unsigned l = 0; l < warp_size && warp * warp_size + l < lanes_.size(); ++l) {
      const Lane& lane = lanes_[warp * warp_size + l];
      if (lane.state == LaneState::at_warp_barrier) any = release_group(warp, lane) || any;
    }
  return any;
}

/// Releases the lanes of `like`'s mask if all of them have reached the same place with the same mask.
bool FiberBlock::release_group(unsigned warp, const Lane& like) {
  const Site site = like.site;
  const unsigned mask = like.mask, first = warp * warp_size;
  unsigned present = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    if (!(mask >> l & 1u)) continue;
    if (first + l >= lanes_.size()) continue;  // the last warp of a ragged block
    const Lane& lane = lanes_[first + l];
    if (lane.state != LaneState::at_warp_barrier || lane.mask != mask || !same(lane.site, site)) return false;
    present |= 1u << l;
  }
  if (received_.empty()) received_.resize((lanes_.size() + warp_size - 1) / warp_size);
  for (unsigned l = 0; l < warp_size; ++l) {
    if (!(present >> l & 1u)) continue;
    Lane& lane = lanes_[first + l];
    received_[warp][l] = lane.brought;
    lane.received_mask = present;
    lane.state = LaneState::ready;
  }
  return true;
}

void FiberBlock::report_stuck() {
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

std::string FiberBlock::name(const Lane& lane) const {
  return "thread " + std::to_string(number(lane)) + " of block " + std::to_string(index_.x);
}

std::string FiberBlock::position(const Lane& lane) const {
  const char* const slash = std::strrchr(lane.site.file, '/');
  return std::string(slash ? slash + 1 : lane.site.file) + ":" + std::to_string(lane.site.line);
}

}  // namespace simulated::simt
