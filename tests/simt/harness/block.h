#pragma once

#include "tests/simt/harness/fiber.h"
#include "tests/simt/harness/simt.h"

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace simt {

inline constexpr unsigned warp_size = 32;

enum class LaneState : std::uint8_t { fresh, ready, at_block_barrier, at_warp_barrier, done };

/// One CUDA thread.
struct Lane {
  Index index;
  LaneState state = LaneState::fresh;
  Fiber* fiber = nullptr;
  Site site{};
  unsigned mask = 0;
  std::uint64_t brought = 0;
  unsigned received_mask = 0;
  int count = 0;  ///< of the last counting barrier
};

/// Fibers that have a stack and nothing to do, kept from block to block.
class FiberPool {
 public:
  Fiber* take();
  /// Under thread sanitizer a stack is what a thread is known by, so no two threads of a block may have the same.
  void give_back(Fiber* fiber) {
    if (!under_tsan) idle_.push_back(fiber);
  }
  /// After a fault: the stacks are cut off wherever they were.
  void reclaim();

 private:
  std::deque<Fiber> all_;
  std::vector<Fiber*> idle_;
};

struct Launch {
  const char* kernel;
  Index grid, block;
  std::size_t shared_bytes;
  const std::function<void()>* body;
  std::uint64_t seed;
};

/// Runs the threads of one block until all are done.
class Block {
 public:
  Block(const Launch& launch, Index index, std::uint64_t seed, FiberPool& pool);
  /// The fault that stopped it, or nothing.
  std::string run();

  const Launch& launch() const { return launch_; }
  const Index& index() const { return index_; }
  void* shared() { return shared_.get(); }
  /// What lane `from` of its warp brought to the current lane's last exchange.
  std::uint64_t received(unsigned from) const { return received_[number(*current_)][from]; }
  Lane& current() { return *current_; }
  unsigned number(const Lane& lane) const { return static_cast<unsigned>(&lane - lanes_.data()); }
  /// Parks the current lane; comes back when what it waits for has happened.
  void wait(LaneState state, Site site);
  [[noreturn]] void fail(std::string&& text);

 private:
  static void lane_loop(void* block);
  void run_lanes();
  Lane* next_fresh();
  void resume(Lane& lane);
  bool release_block();
  bool release_warps();
  bool release_group(unsigned warp, const Lane& like);
  void report_stuck();
  void shuffle();
  std::string name(const Lane& lane) const;
  std::string position(const Lane& lane) const;

  Launch launch_;
  Index index_;
  FiberPool& pool_;
  std::vector<Lane> lanes_;
  std::vector<std::array<std::uint64_t, warp_size>> received_;  ///< of each lane; only where there are exchanges
  std::vector<unsigned> order_;
  std::mt19937_64 random_;
  std::unique_ptr<unsigned char[]> shared_;
  Fiber scheduler_;
  Lane* current_ = nullptr;
  std::string fault_;
  bool started_ = false;
};

/// The block whose thread runs now.
Block& current_block();

}  // namespace simt
