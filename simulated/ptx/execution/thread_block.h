#pragma once

#include "simulated/ptx/execution/launch.h"
#include "simulated/ptx/execution/op.h"
#include "simulated/ptx/execution/program.h"
#include "simulated/ptx/execution/shadow.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace simulated::ptx {

// Generic addresses of shared and local memory and of parameters: far from those that this process has.
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 60, local_window = std::uint64_t{2} << 60,
                               param_window = std::uint64_t{3} << 60, window_bits = std::uint64_t{7} << 60;

/// A launch as it runs: what all its blocks share.
struct Running {
  const Program& program;
  const Shape& shape;
  const Options& options;
  std::span<const std::uint8_t> parameters;
  std::unique_ptr<Shadow> global_shadow = nullptr;  ///< null: not watched
  std::uint32_t interval = 0;
  Range last_range{};  ///< the allocation that was used last
  Counts counts{};
  /// How often each stretch ran, and on how many lanes.
  std::vector<std::uint64_t> stretch_warps{}, stretch_lanes{};
};

enum class AccessKind : std::uint8_t { read, write, atomic };

/// The addresses of one instruction, made absolute and checked.
struct Request {
  std::uint64_t address[warp_size];
  bool consecutive = false;  ///< all lanes run, and their elements follow one another
  bool in_global = false, in_shared = false;
};

class ThreadBlock {
 public:
  explicit ThreadBlock(Running& running);
  /// Runs all threads of a block to their ends. The next block uses the same memory.
  void run(std::array<unsigned, 3> index);

  /// Computes and checks the addresses in op.x[place], in op.space, of the lanes that run.
  void resolve(Warp& warp, const Op& op, Place at, AccessKind access, Request& request);
  /// Tells the detectors of races of one lane's access; `same_value` as in Shadow::write.
  void watch(const Warp& warp, const Op& op, unsigned lane, const Request& request, AccessKind access, bool same_value);
  bool watches(const Request& request) const {
    return request.in_shared || (request.in_global && running_.global_shadow);
  }
  /// After a barrier of lanes of the warp.
  void warp_barrier(const Warp& warp) { ++warps_[warp.number].interval; }
  /// A fence: see Shadow::acquire.
  void fence();
  [[noreturn]] void fail(Fault::Kind kind, const Op& op, int thread, const std::string& what) const;

 private:
  enum class State : std::uint8_t { ready, at_warp_barrier, at_barrier };
  /// Lanes at the same instruction.
  struct Group {
    std::uint32_t at = 0;
    Mask lanes = 0;
    State state = State::ready;
  };
  struct WarpState {
    Warp warp;
    std::vector<Group> groups;
    Mask live = 0, all = 0;
    std::uint16_t interval = 0;
    std::vector<unsigned char> registers;
  };

  void make_warps();
  void start_warps();
  void run_warp(WarpState& state);
  /// Until its lanes end, wait, or others with an earlier instruction go first.
  void run_group(WarpState& state, Group group);
  /// Takes the group to run next: of those that may, the one with the earliest instruction, so that lanes meet again
  /// after a branch.
  bool choose(WarpState& state, Group& group);
  /// Adds a group; lanes that wait at the same place become one.
  static void add(WarpState& state, Group group);
  /// Whether all lanes that the instruction names are there.
  bool is_complete(const WarpState& state, const Group& group) const;
  /// False if another group goes first.
  bool enter(WarpState& state, const Op& label, Group& group);
  void branch(WarpState& state, const Op& op, Mask taken, Group& group);
  void expect_all_at_barrier() const;
  void release_barrier();
  void translate(Warp& warp, const Op& op, Request& request) const;
  void check(const Warp& warp, const Op& op, const Request& request);
  void count_global(const Warp& warp, const Op& op, AccessKind access, const Request& request);
  void count_shared(const Warp& warp, const Op& op, const Request& request);

  Running& running_;
  std::array<unsigned, 3> index_{};
  std::vector<WarpState> warps_;
  std::vector<unsigned char> shared_, local_;
  unsigned char* shared_begin_ = nullptr;
  std::size_t shared_bytes_ = 0, local_stride_ = 0;
  Shadow shared_shadow_;
  std::uint32_t first_interval_ = 0;
  std::uint64_t instructions_ = 0;  ///< of this block
  bool did_atomic_ = false;
};

}  // namespace simulated::ptx
