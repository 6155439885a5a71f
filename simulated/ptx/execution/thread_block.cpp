#include "simulated/ptx/execution/thread_block.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace simulated::ptx {

namespace {

std::size_t threads_of(const Shape& shape) { return std::size_t{shape.block[0]} * shape.block[1] * shape.block[2]; }

/// 0, 1, …, or backwards, or shuffled: Options::order.
std::vector<std::size_t> in_order(std::size_t count, std::uint64_t order) {
  std::vector<std::size_t> result(count);
  std::iota(result.begin(), result.end(), std::size_t{0});
  if (order == 1) std::reverse(result.begin(), result.end());
  if (order > 1) {
    std::mt19937_64 random(order);
    std::shuffle(result.begin(), result.end(), random);
  }
  return result;
}

}  // namespace

ThreadBlock::ThreadBlock(Running& running) : running_(running), shared_shadow_(running.program.shared_granule()) {
  const Program& program = running.program;
  shared_bytes_ = program.shared_bytes() + running.shape.shared_bytes;
  constexpr std::size_t alignment = 256;
  shared_.resize(shared_bytes_ + alignment);
  const auto start = reinterpret_cast<std::uint64_t>(shared_.data());
  shared_begin_ = shared_.data() + ((start + alignment - 1) / alignment * alignment - start);
  local_stride_ = (program.local_bytes() + 15) / 16 * 16;
  local_.resize(local_stride_ * threads_of(running.shape), 0xff);
  make_warps();
}

void ThreadBlock::make_warps() {
  const Program& program = running_.program;
  const auto& size = running_.shape.block;
  const std::size_t threads = threads_of(running_.shape);
  warps_.resize((threads + warp_size - 1) / warp_size);
  for (std::size_t number = 0; number < warps_.size(); ++number) {
    WarpState& state = warps_[number];
    state.registers.resize(program.register_bytes() + 64);
    const std::size_t lanes = std::min<std::size_t>(warp_size, threads - number * warp_size);
    state.all = lanes == warp_size ? all_lanes : (Mask{1} << lanes) - 1;
    state.warp.registers =
        state.registers.data() + (64 - reinterpret_cast<std::uint64_t>(state.registers.data()) % 64) % 64;
    state.warp.constants = program.constants().data();
    state.warp.number = static_cast<unsigned>(number);
    state.warp.block = this;
    for (const auto& [name, place] : program.specials())
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const auto thread = static_cast<unsigned>(number) * warp_size + lane;
        const Mask bit = Mask{1} << lane;
        std::uint32_t value = 0;
        if (name == "%tid.x") value = thread % size[0];
        else if (name == "%tid.y") value = thread / size[0] % size[1];
        else if (name == "%tid.z") value = thread / size[0] / size[1];
        else if (name.starts_with("%ntid.")) value = size[static_cast<std::size_t>(name.back() - 'x')];
        else if (name.starts_with("%nctaid.")) value = running_.shape.grid[static_cast<std::size_t>(name.back() - 'x')];
        else if (name == "%laneid") value = lane;
        else if (name == "%warpid") value = static_cast<unsigned>(number);
        else if (name == "%lanemask_eq") value = bit;
        else if (name == "%lanemask_lt") value = bit - 1;
        else if (name == "%lanemask_le") value = bit | (bit - 1);
        else if (name == "%lanemask_gt") value = ~(bit | (bit - 1));
        else if (name == "%lanemask_ge") value = ~(bit - 1);
        out<std::uint32_t>(state.warp, place)[lane] = value;
      }
  }
}

void ThreadBlock::start_warps() {
  for (WarpState& state : warps_) {
    state.live = state.all;
    state.groups.assign(1, {.at = 0, .lanes = state.all});
    state.interval = 0;
    for (const auto& [name, place] : running_.program.specials())
      if (name.starts_with("%ctaid."))
        std::fill_n(out<std::uint32_t>(state.warp, place), warp_size,
                    index_[static_cast<std::size_t>(name.back() - 'x')]);
  }
}

void ThreadBlock::run(std::array<unsigned, 3> index) {
  index_ = index;
  instructions_ = 0;
  did_atomic_ = false;
  first_interval_ = ++running_.interval;
  shared_shadow_.acquire(first_interval_ - 1);  // the block before had its own memory
  std::memset(shared_begin_, 0xff, shared_bytes_);
  start_warps();
  for (std::uint64_t round = 0;; ++round) {
    for (const std::size_t warp :
         in_order(warps_.size(), running_.options.order + (running_.options.order > 1 ? round : 0)))
      run_warp(warps_[warp]);
    if (std::all_of(warps_.begin(), warps_.end(), [](const WarpState& state) { return state.live == 0; })) return;
    expect_all_at_barrier();
    release_barrier();
  }
}

void ThreadBlock::run_warp(WarpState& state) {
  Group group;
  while (choose(state, group)) run_group(state, group);
}

bool ThreadBlock::is_complete(const WarpState& state, const Group& group) const {
  const Op& op = running_.program.ops()[group.at];
  const Mask named = in<Mask>(state.warp, op.x[4])[static_cast<unsigned>(__builtin_ctz(group.lanes))];
  if (const Mask others = group.lanes & ~named; others != 0)
    fail(Fault::Kind::barrier, op, static_cast<int>(state.warp.number * warp_size) + __builtin_ctz(others),
         "is not in the mask of an instruction that it runs");
  return (named & state.live & ~group.lanes) == 0;
}

bool ThreadBlock::choose(WarpState& state, Group& group) {
  auto best = state.groups.end();
  for (auto it = state.groups.begin(); it != state.groups.end(); ++it) {
    if (it->state == State::at_barrier || (it->state == State::at_warp_barrier && !is_complete(state, *it))) continue;
    if (best == state.groups.end() || it->at < best->at) best = it;
  }
  if (best == state.groups.end()) return false;
  group = *best;
  group.state = State::ready;
  state.groups.erase(best);
  return true;
}

void ThreadBlock::add(WarpState& state, Group group) {
  for (Group& other : state.groups)
    if (other.at == group.at && other.state == group.state) {
      other.lanes |= group.lanes;
      return;
    }
  state.groups.push_back(group);
}

bool ThreadBlock::enter(WarpState& state, const Op& label, Group& group) {
  const Program::Stretch& stretch = running_.program.stretches()[label.target];
  if (!state.groups.empty()) {
    bool other_first = false;
    for (std::size_t i = 0; i < state.groups.size();) {
      const Group& other = state.groups[i];
      if (other.state == State::ready && other.at == group.at) {
        group.lanes |= other.lanes;
        state.groups.erase(state.groups.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      other_first = other_first || (other.state == State::ready && other.at < group.at);
      ++i;
    }
    if (other_first) {
      add(state, group);
      return false;
    }
  }
  ++running_.stretch_warps[label.target];
  running_.stretch_lanes[label.target] += static_cast<unsigned>(__builtin_popcount(group.lanes));
  instructions_ += stretch.instructions + 1;
  if (instructions_ > running_.options.longest_block)
    fail(Fault::Kind::endless, running_.program.ops()[group.at + 1], -1,
         "the block has run " + std::to_string(instructions_) + " instructions, and does not end");
  return true;
}

void ThreadBlock::branch(WarpState& state, const Op& op, Mask taken, Group& group) {
  const Mask rest = group.lanes & ~taken;
  if (rest == 0) {
    group.at = op.target;
  } else if (taken == 0) {
    ++group.at;
  } else {
    add(state, {.at = op.target, .lanes = taken});
    ++group.at;
    group.lanes = rest;
  }
}

void ThreadBlock::run_group(WarpState& state, Group group) {
  const std::vector<Op>& ops = running_.program.ops();
  Warp& warp = state.warp;
  for (;;) {
    const Op& op = ops[group.at];
    if (op.kind == Op::Kind::label) {
      if (!enter(state, op, group)) return;
      ++group.at;
      continue;
    }
    Mask lanes = group.lanes;
    if (op.guard != nowhere) lanes &= *in<Mask>(warp, op.guard) ^ (op.guard_negated ? all_lanes : 0);
    if (op.kind == Op::Kind::branch) {
      branch(state, op, lanes, group);
      continue;
    }
    if (lanes == 0) {
      ++group.at;
      continue;
    }
    if (op.kind == Op::Kind::plain) {
      warp.mask = lanes;
      op.run(warp, op);
      ++group.at;
      continue;
    }
    // The lanes that do not take part do not wait.
    if (const Mask rest = group.lanes & ~lanes; rest != 0) add(state, {.at = group.at + 1, .lanes = rest});
    group.lanes = lanes;
    if (op.kind == Op::Kind::exit) {
      state.live &= ~lanes;
      return;
    }
    if (op.kind == Op::Kind::barrier) {
      group.state = State::at_barrier;
      return add(state, group);
    }
    if (!is_complete(state, group)) {
      group.state = State::at_warp_barrier;
      return add(state, group);
    }
    warp.mask = lanes;
    op.run(warp, op);
    ++group.at;
  }
}

/// "all threads of the block" (CUDA C++ Programming Guide, "Synchronization Functions").
void ThreadBlock::expect_all_at_barrier() const {
  const std::vector<Op>& ops = running_.program.ops();
  const Group* first = nullptr;
  const auto thread = [&](const WarpState& state, Mask lanes) {
    return static_cast<int>(state.warp.number * warp_size + static_cast<unsigned>(__builtin_ctz(lanes)));
  };
  for (const WarpState& state : warps_)
    for (const Group& group : state.groups) {
      if (group.state == State::at_warp_barrier)
        fail(Fault::Kind::barrier, ops[group.at], thread(state, group.lanes),
             "waits for lanes of its warp that never arrive");
      if (!first) first = &group;
      if (group.at != first->at)
        fail(Fault::Kind::barrier, ops[group.at], thread(state, group.lanes),
             "waits while another thread waits at another barrier, " + running_.program.text(ops[first->at].statement));
    }
  for (const WarpState& state : warps_)
    if (const Mask gone = state.all & ~state.live; gone != 0)
      fail(Fault::Kind::barrier, ops[first->at], thread(state, gone), "has ended while others wait at this barrier");
}

void ThreadBlock::release_barrier() {
  const std::uint32_t at = warps_.front().groups.front().at;
  const Op& op = running_.program.ops()[at];
  unsigned count = 0, threads = 0;
  for (WarpState& state : warps_) {
    threads += static_cast<unsigned>(__builtin_popcount(state.all));
    if (op.mode != 0)
      count += static_cast<unsigned>(
          __builtin_popcount((*in<Mask>(state.warp, op.x[1]) ^ (op.sign ? all_lanes : 0)) & state.all));
  }
  for (WarpState& state : warps_) {
    state.warp.mask = state.all;
    if (op.mode == 1) each<std::uint32_t>(state.warp, op.x[0], [=](unsigned) { return count; });
    else if (op.mode == 2) set_predicate(state.warp, op.x[0], count != 0 ? all_lanes : 0);
    else if (op.mode == 3) set_predicate(state.warp, op.x[0], count == threads ? all_lanes : 0);
    state.groups.assign(1, {.at = at + 1, .lanes = state.all});
  }
  ++running_.interval;
  ++running_.counts.barriers;
}

void ThreadBlock::fail(Fault::Kind kind, const Op& op, int thread, const std::string& what) const {
  std::string text = running_.program.name() + ": ";
  if (op.kind != Op::Kind::label) text += running_.program.text(op.statement) + " ";
  text += "(block " + std::to_string(index_[0]) + "," + std::to_string(index_[1]) + "," + std::to_string(index_[2]);
  if (thread >= 0) text += ", thread " + std::to_string(thread);
  throw Fault(kind, text + "): " + what);
}

Counts& Counts::operator+=(const Counts& other) {
  const auto add = [](Traffic& a, const Traffic& b) {
    a.requests += b.requests;
    a.sectors += b.sectors;
    a.bytes += b.bytes;
  };
  launches += other.launches;
  blocks += other.blocks;
  instructions += other.instructions;
  lanes += other.lanes;
  barriers += other.barriers;
  add(loads, other.loads);
  add(stores, other.stores);
  shared_requests += other.shared_requests;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  load_instructions += other.load_instructions;
  load_waits += other.load_waits;
  return *this;
}

Counts run(const Program& program, const Shape& shape, std::span<const std::uint8_t> parameters,
           const Options& options) {
  const std::size_t blocks = std::size_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  Running running{.program = program, .shape = shape, .options = options, .parameters = parameters};
  if (options.global_races) running.global_shadow = std::make_unique<Shadow>(program.global_granule());
  running.stretch_warps.resize(program.stretches().size());
  running.stretch_lanes.resize(program.stretches().size());
  ThreadBlock block(running);
  for (const std::size_t i : in_order(blocks, options.order))
    block.run({static_cast<unsigned>(i % shape.grid[0]), static_cast<unsigned>(i / shape.grid[0] % shape.grid[1]),
               static_cast<unsigned>(i / shape.grid[0] / shape.grid[1])});
  if (options.stretch_lanes) *options.stretch_lanes = running.stretch_lanes;
  Counts& counts = running.counts;
  counts.launches = 1;
  counts.blocks = blocks;
  for (std::size_t i = 0; i < program.stretches().size(); ++i) {
    const Program::Stretch& stretch = program.stretches()[i];
    counts.instructions += stretch.instructions * running.stretch_warps[i];
    counts.lanes += stretch.instructions * running.stretch_lanes[i];
    counts.load_instructions += stretch.loads * running.stretch_warps[i];
    counts.load_waits += stretch.waits * running.stretch_warps[i];
  }
  return counts;
}

}  // namespace simulated::ptx
