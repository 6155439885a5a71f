#pragma once

#include "simulated/kernels/fiber.h"
#include "simulated/kernels/running_thread.h"

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace simulated::simt {

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

/// A word of each lane of a warp.
using WarpWords = std::array<std::uint64_t, warp_size>;

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

struct FiberLaunch {
  const char* kernel;
  Index grid, block;
  std::size_t shared_bytes;
  const std::function<void()>* body;
  std::uint64_t seed;
};

/// The reason why a block stopped; without a text, it did not.
struct BlockFault {
  std::string text;
  cudaError_t error = cudaErrorLaunchFailure;
};

/// Runs the threads of one block until all are done.
class FiberBlock {
 public:
  FiberBlock(const FiberLaunch& launch, Index index, std::uint64_t seed, FiberPool& pool);
  BlockFault run();

  const FiberLaunch& launch() const { return launch_; }
  const Index& index() const { return index_; }
  void* shared() { return shared_.get(); }
  /// The words that lanes contributed to the current lane's last exchange.
  const WarpWords& received() const { return received_[number(*current_) / warp_size]; }
  Lane& current() { return *current_; }
  unsigned number(const Lane& lane) const { return static_cast<unsigned>(&lane - lanes_.data()); }
  /// Suspends the current lane until the event that it waits for.
  void wait(LaneState state, Site site);
  [[noreturn]] void fail(std::string&& text, cudaError_t error = cudaErrorLaunchFailure);

 private:
  static void lane_loop(void* block);
  Lane* next();
  void set_current(Lane& lane);
  void switch_to(Lane& lane, Fiber& from);
  void leave(Fiber& from);
  bool release_block();
  bool release_warps();
  bool release_group(unsigned warp, const Lane& like);
  void report_stuck();
  void shuffle();
  std::string name(const Lane& lane) const;
  std::string position(const Lane& lane) const;

  FiberLaunch launch_;
  Index index_;
  FiberPool& pool_;
  std::vector<Lane> lanes_;
  /// The words that the lanes of each warp brought to their last exchange, for kernels with exchanges. A lane reads it
  /// before it waits again, and no group is released before all lanes wait.
  std::vector<WarpWords> received_;
  std::vector<unsigned> order_;
  std::size_t turn_ = 0;  ///< of this round, in order_
  std::size_t done_ = 0;
  std::mt19937_64 random_;
  std::unique_ptr<unsigned char[]> shared_;
  Fiber scheduler_;
  Lane* current_ = nullptr;
  std::string fault_;
  cudaError_t error_ = cudaErrorLaunchFailure;
};

// The library's own accesses need no call to find a thread's variables.
extern constinit thread_local Place running_place __attribute__((tls_model("initial-exec")));
extern constinit thread_local FiberBlock* running_block
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/// The block of the running thread.
inline FiberBlock& current_block() { return *running_block; }

}  // namespace simulated::simt
