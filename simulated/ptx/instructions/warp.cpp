#include "simulated/ptx/execution/thread_block.h"
#include "simulated/ptx/instructions/operations.h"

// The lanes of a warp, or the threads of a block, do these together.

namespace simulated::ptx {

namespace {

enum Shuffle : std::uint8_t { up, down, bfly, idx };

/// shfl.sync d|p, a, b, c: "Parallel Synchronization and Communication Instructions: shfl.sync".
void run_shuffle(Warp& warp, const Op& op) {
  const auto *const a = in<std::uint32_t>(warp, op.x[1]), *const b = in<std::uint32_t>(warp, op.x[2]),
                    *const c = in<std::uint32_t>(warp, op.x[3]);
  std::uint32_t values[warp_size];
  Mask inside = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const unsigned clamp = c[lane] & 31u, segment = c[lane] >> 8 & 31u, by = b[lane] & 31u;
    const unsigned last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    unsigned from = lane;
    bool valid = false;
    switch (op.mode) {
      case up:
        from = lane - by;
        valid = static_cast<int>(from) >= static_cast<int>(last);
        break;
      case down:
        from = lane + by;
        valid = from <= last;
        break;
      case bfly:
        from = lane ^ by;
        valid = from <= last;
        break;
      default:
        from = first | (by & ~segment);
        valid = from <= last;
        break;
    }
    if (!valid) from = lane;
    values[lane] = a[from & 31u];
    inside |= static_cast<Mask>(valid) << lane;
    // "reading from a lane that does not run is undefined"
    if (valid && (warp.mask >> lane & 1u) && !(warp.mask >> (from & 31u) & 1u))
      warp.block->fail(Fault::Kind::barrier, op, static_cast<int>(warp.number * warp_size + lane),
                       "reads lane " + std::to_string(from) + ", which takes no part");
  }
  each<std::uint32_t>(warp, op.x[0], [&](unsigned lane) { return values[lane]; });
  if (op.more[0] != nowhere) set_predicate(warp, op.more[0], inside);
}

enum Vote : std::uint8_t { all, any, uni, ballot };

void run_vote(Warp& warp, const Op& op) {
  const Mask flags = (*in<Mask>(warp, op.x[1]) ^ (op.sign ? all_lanes : 0)) & warp.mask;
  if (op.mode == ballot) return each<std::uint32_t>(warp, op.x[0], [=](unsigned) { return flags; });
  const bool result = op.mode == any   ? flags != 0
                      : op.mode == all ? flags == warp.mask
                                       : flags == warp.mask || flags == 0;
  set_predicate(warp, op.x[0], result ? all_lanes : 0);
}

void run_warp_barrier(Warp& warp, const Op&) { warp.block->warp_barrier(warp); }
void run_active_mask(Warp& warp, const Op& op) {
  const Mask mask = warp.mask;
  each<std::uint32_t>(warp, op.x[0], [=](unsigned) { return mask; });
}
void run_fence(Warp& warp, const Op&) { warp.block->fence(); }
void run_nothing(Warp&, const Op&) {}

bool shuffle(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (statement.operands.size() != 5 || !opcode.has("sync") || opcode.type() != Type::b32) return false;
  const Operand& result = statement.operands[0];
  const bool pair = result.kind == Operand::Kind::pair;
  op.x[0] = operands.target(pair ? result.parts[0] : result, 4);
  op.more[0] = pair ? operands.predicate(result.parts[1]) : nowhere;
  for (std::size_t i = 1; i < 5; ++i) op.x[i] = operands.source(statement.operands[i], 4);
  op.mode = opcode.has("up") ? up : opcode.has("down") ? down : opcode.has("bfly") ? bfly : idx;
  op.kind = Op::Kind::warp_sync;
  op.run = run_shuffle;
  return true;
}

bool vote(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (statement.operands.size() != 3 || !opcode.has("sync")) return false;
  op.mode = opcode.has("all") ? all : opcode.has("any") ? any : opcode.has("uni") ? uni : ballot;
  op.x[0] = op.mode == ballot ? operands.target(statement.operands[0], 4) : operands.predicate(statement.operands[0]);
  op.x[1] = operands.predicate(statement.operands[1]);
  op.sign = statement.operands[1].negated;
  op.x[4] = operands.source(statement.operands[2], 4);
  op.kind = Op::Kind::warp_sync;
  op.run = run_vote;
  return true;
}

/// bar.sync 0 and bar.red.popc.u32 d, 0, p: op.mode says what becomes of the predicates. The block releases it.
bool barrier(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  op.kind = Op::Kind::barrier;
  op.run = run_nothing;
  const bool reduces = opcode.has("red");
  const std::size_t number = reduces ? 1 : 0;
  if (statement.operands.size() != (reduces ? 3u : 1u) || statement.operands[number].kind != Operand::Kind::immediate ||
      statement.operands[number].value != 0)
    return false;  // a barrier of some warps
  if (!reduces) return opcode.has("sync");
  op.mode = opcode.has("popc") ? 1 : opcode.has("or") ? 2 : opcode.has("and") ? 3 : 0;
  op.x[0] = op.mode == 1 ? operands.target(statement.operands[0], 4) : operands.predicate(statement.operands[0]);
  op.x[1] = operands.predicate(statement.operands[2]);
  op.sign = statement.operands[2].negated;
  return op.mode != 0;
}

}  // namespace

bool decode_warp(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  const std::string& name = opcode.name;
  if (name == "shfl") return shuffle(statement, opcode, operands, op);
  if (name == "vote") return vote(statement, opcode, operands, op);
  if (name == "bar" && opcode.has("warp")) {
    if (statement.operands.size() != 1) return false;
    op.x[4] = operands.source(statement.operands[0], 4);
    op.kind = Op::Kind::warp_sync;
    op.run = run_warp_barrier;
    return true;
  }
  if (name == "bar" || name == "barrier") return barrier(statement, opcode, operands, op);
  if (name == "activemask") {
    place(statement, operands, op, 4, {});
    op.run = run_active_mask;
    return true;
  }
  if (name == "membar" || name == "fence") {
    op.run = run_fence;
    return true;
  }
  if (name == "nanosleep" || name == "pragma" || name == "prefetch" || name == "prefetchu") {
    op.run = run_nothing;
    return true;
  }
  return false;
}

}  // namespace simulated::ptx
