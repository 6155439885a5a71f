#include "simulated/ptx/execution/thread_block.h"
#include "simulated/ptx/instructions/operations.h"

#include <cstring>

// atom and red: lane after lane.

namespace simulated::ptx {

namespace {

struct Add {
  template <class T> T operator()(T a, T b, T) const { return static_cast<T>(a + b); }
};
struct Min {
  template <class T> T operator()(T a, T b, T) const { return b < a ? b : a; }
};
struct Max {
  template <class T> T operator()(T a, T b, T) const { return a < b ? b : a; }
};
struct And {
  template <class T> T operator()(T a, T b, T) const { return static_cast<T>(a & b); }
};
struct Or {
  template <class T> T operator()(T a, T b, T) const { return static_cast<T>(a | b); }
};
struct Xor {
  template <class T> T operator()(T a, T b, T) const { return static_cast<T>(a ^ b); }
};
struct Exchange {
  template <class T> T operator()(T, T b, T) const { return b; }
};
struct CompareAndSwap {
  template <class T> T operator()(T a, T b, T c) const { return a == b ? c : a; }
};
struct Increment {
  template <class T> T operator()(T a, T b, T) const { return a >= b ? T{} : static_cast<T>(a + 1); }
};
struct Decrement {
  template <class T> T operator()(T a, T b, T) const { return a == T{} || a > b ? b : static_cast<T>(a - 1); }
};

template <class T, class F> void run_atomic(Warp& warp, const Op& op) {
  ThreadBlock& block = *warp.block;
  Request request;
  block.resolve(warp, op, op.x[1], AccessKind::atomic, request);
  const T *const b = in<T>(warp, op.x[2]), *const c = in<T>(warp, op.x[3]);
  T old[warp_size] = {};
  for_lanes(warp.mask, [&](unsigned lane) {
    if (block.watches(request)) block.watch(warp, op, lane, request, AccessKind::atomic, false);
    auto* const at = reinterpret_cast<void*>(request.address[lane]);
    std::memcpy(&old[lane], at, sizeof(T));
    const T fresh = F{}(old[lane], b[lane], c[lane]);
    std::memcpy(at, &fresh, sizeof fresh);
  });
  if (op.x[0] != nowhere) each<T>(warp, op.x[0], [&](unsigned lane) { return old[lane]; });
}

template <class T> Op::Run operation(const Opcode& opcode) {
  if (opcode.has("add")) return run_atomic<T, Add>;
  if (opcode.has("min")) return run_atomic<T, Min>;
  if (opcode.has("max")) return run_atomic<T, Max>;
  if (opcode.has("exch")) return run_atomic<T, Exchange>;
  if (opcode.has("cas")) return run_atomic<T, CompareAndSwap>;
  if constexpr (std::is_integral_v<T>) {
    if (opcode.has("and")) return run_atomic<T, And>;
    if (opcode.has("or")) return run_atomic<T, Or>;
    if (opcode.has("xor")) return run_atomic<T, Xor>;
    if (opcode.has("inc")) return run_atomic<T, Increment>;
    if (opcode.has("dec")) return run_atomic<T, Decrement>;
  }
  return nullptr;
}

}  // namespace

bool decode_atomic(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  const bool red = opcode.name == "red";
  if ((!red && opcode.name != "atom") || opcode.types.size() != 1) return false;
  const std::size_t first = red ? 0 : 1;
  if (statement.operands.size() < first + 2) return false;
  const unsigned bytes = size_of(opcode.type());
  op.bytes = static_cast<std::uint8_t>(bytes);
  op.space = opcode.has("global") ? Space::global : opcode.has("shared") ? Space::shared : Space::generic;
  op.x[0] = red ? nowhere : operands.target(statement.operands[0], bytes);
  op.x[1] = operands.address(statement.operands[first], op.space, op.offset);
  op.mode = 8;
  const Operand& base = statement.operands[first].parts.front();
  if (base.kind == Operand::Kind::reg) {
    unsigned address_bytes = 0;
    Operand plain = base;
    plain.value = 0;
    operands.any(plain, address_bytes);
    op.mode = static_cast<std::uint8_t>(address_bytes);
  }
  op.x[2] = operands.source(statement.operands[first + 1], bytes);
  op.x[3] = opcode.has("cas") ? operands.source(statement.operands[first + 2], bytes) : op.x[2];
  if (opcode.type() == Type::f32) op.run = operation<float>(opcode);
  else if (opcode.type() == Type::f64) op.run = operation<double>(opcode);
  else if (bytes >= 4) with_integer(opcode.type(), [&]<class T>(T) { op.run = operation<T>(opcode); });
  return op.run != nullptr;
}

}  // namespace simulated::ptx
