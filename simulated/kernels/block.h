#pragma once

#include "simulated/kernels/fiber.h"
#include "simulated/kernels/simt.h"

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

/// Idle fibers with their stacks, reused from block to block.
class FiberPool {
 public:
  Fiber* take();
  /// The thread sanitizer identifies threads by stack, so no two threads of a block may share one.
  void give_back(Fiber* fiber) {
    if (!under_tsan) idle_.push_back(fiber);
  }
  /// After a fault: abandons the stacks wherever they are.
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

/// What stopped a block; no text, nothing did.
struct BlockFault {
  std::string text;
  cudaError_t error = cudaErrorLaunchFailure;
};

/// Runs the threads of one block until all are done.
class Block {
 public:
  Block(const Launch& launch, Index index, std::uint64_t seed, FiberPool& pool);
  BlockFault run();

  const Launch& launch() const { return launch_; }
  const Index& index() const { return index_; }
  void* shared() { return shared_.get(); }
  /// The value that lane `from` contributed to the current lane's last exchange.
  std::uint64_t received(unsigned from) const { return received_[number(*current_)][from]; }
  Lane& current() { return *current_; }
  unsigned number(const Lane& lane) const { return static_cast<unsigned>(&lane - lanes_.data()); }
  /// Suspends the current lane until the event that it waits for.
  void wait(LaneState state, Site site);
  [[noreturn]] void fail(std::string&& text, cudaError_t error = cudaErrorLaunchFailure);

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
  std::vector<std::array<std::uint64_t, warp_size>> received_;  ///< per lane, for kernels with exchanges
  std::vector<unsigned> order_;
  std::mt19937_64 random_;
  std::unique_ptr<unsigned char[]> shared_;
  Fiber scheduler_;
  Lane* current_ = nullptr;
  std::string fault_;
  cudaError_t error_ = cudaErrorLaunchFailure;
};

/// The block of the running thread.
Block& current_block();

}  // namespace simt
