#include "simulated/ptx/instructions/operations.h"
#include "simulated/ptx/instructions/scalar.h"

// "Comparison and Selection Instructions" of the PTX ISA.

namespace simulated::ptx {

namespace {

enum Combine : std::uint8_t { alone, with_and, with_or, with_xor };

struct Eq {
  template <class T> bool operator()(T a, T b) const { return a == b; }
};
struct Ne {
  template <class T> bool operator()(T a, T b) const { return a < b || b < a; }
};
struct Lt {
  template <class T> bool operator()(T a, T b) const { return a < b; }
};
struct Le {
  template <class T> bool operator()(T a, T b) const { return a <= b; }
};
struct Gt {
  template <class T> bool operator()(T a, T b) const { return a > b; }
};
struct Ge {
  template <class T> bool operator()(T a, T b) const { return a >= b; }
};
struct Num {
  template <class T> bool operator()(T a, T b) const { return a == a && b == b; }
};
struct Nan {
  template <class T> bool operator()(T a, T b) const { return a != a || b != b; }
};
/// equ, neu, …: true for NaN, too.
template <class F> struct OrNan {
  template <class T> bool operator()(T a, T b) const { return Nan{}(a, b) || F{}(a, b); }
};

template <class T, class F, bool ftz> void run_setp(Warp& warp, const Op& op) {
  const T *const a = in<T>(warp, op.x[1]), *const b = in<T>(warp, op.x[2]);
  Mask result = bits_of([=](unsigned lane) {
    if constexpr (ftz) return F{}(flush(a[lane]), flush(b[lane]));
    else return F{}(a[lane], b[lane]);
  });
  Mask other = ~result;
  if (op.mode != alone) {
    const Mask third = *in<Mask>(warp, op.x[3]) ^ (op.sign ? all_lanes : 0);
    const auto combine = [&](Mask mask) {
      return op.mode == with_and ? mask & third : op.mode == with_or ? mask | third : mask ^ third;
    };
    result = combine(result);
    other = combine(other);
  }
  set_predicate(warp, op.x[0], result);
  if (op.more[0] != nowhere) set_predicate(warp, op.more[0], other);
}

template <class T, bool ftz = false> Op::Run comparison(const std::string& name, bool floating) {
  if (name == "eq") return run_setp<T, Eq, ftz>;
  if (name == "ne") return run_setp<T, Ne, ftz>;
  if (name == "lt" || name == "lo") return run_setp<T, Lt, ftz>;
  if (name == "le" || name == "ls") return run_setp<T, Le, ftz>;
  if (name == "gt" || name == "hi") return run_setp<T, Gt, ftz>;
  if (name == "ge" || name == "hs") return run_setp<T, Ge, ftz>;
  if (!floating) return nullptr;
  if constexpr (std::is_floating_point_v<T>) {
    if (name == "equ") return run_setp<T, OrNan<Eq>, ftz>;
    if (name == "neu") return run_setp<T, OrNan<Ne>, ftz>;
    if (name == "ltu") return run_setp<T, OrNan<Lt>, ftz>;
    if (name == "leu") return run_setp<T, OrNan<Le>, ftz>;
    if (name == "gtu") return run_setp<T, OrNan<Gt>, ftz>;
    if (name == "geu") return run_setp<T, OrNan<Ge>, ftz>;
    if (name == "num") return run_setp<T, Num, ftz>;
    if (name == "nan") return run_setp<T, Nan, ftz>;
  }
  return nullptr;
}

bool decode_setp(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (opcode.words.empty() || opcode.types.size() != 1 || statement.operands.size() < 3) return false;
  const Operand& result = statement.operands[0];
  const bool pair = result.kind == Operand::Kind::pair;
  op.x[0] = operands.predicate(pair ? result.parts[0] : result);
  op.more[0] = pair ? operands.predicate(result.parts[1]) : nowhere;
  op.x[1] = operands.source(statement.operands[1], size_of(opcode.type()));
  op.x[2] = operands.source(statement.operands[2], size_of(opcode.type()));
  op.mode = opcode.has("and") ? with_and : opcode.has("or") ? with_or : opcode.has("xor") ? with_xor : alone;
  if ((op.mode != alone) != (statement.operands.size() == 4)) return false;
  if (op.mode != alone) {
    op.x[3] = operands.predicate(statement.operands[3]);
    op.sign = statement.operands[3].negated;
  }
  const std::string& how = opcode.words.front();
  if (opcode.type() == Type::f32)
    op.run = opcode.has("ftz") ? comparison<float, true>(how, true) : comparison<float>(how, true);
  else if (opcode.type() == Type::f64) op.run = comparison<double>(how, true);
  else with_integer(opcode.type(), [&]<class T>(T) { op.run = comparison<T>(how, false); });
  return op.run != nullptr;
}

template <class T> void run_select(Warp& warp, const Op& op) {
  const T *const a = in<T>(warp, op.x[1]), *const b = in<T>(warp, op.x[2]);
  const Mask chosen = *in<Mask>(warp, op.x[3]);
  each<T>(warp, op.x[0], [=](unsigned lane) { return chosen >> lane & 1u ? a[lane] : b[lane]; });
}

}  // namespace

bool decode_compare(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (opcode.name == "setp") return decode_setp(statement, opcode, operands, op);
  if (opcode.name != "selp" || opcode.types.size() != 1 || statement.operands.size() != 4) return false;
  const unsigned bytes = size_of(opcode.type());
  op.x[0] = operands.target(statement.operands[0], bytes);
  op.x[1] = operands.source(statement.operands[1], bytes);
  op.x[2] = operands.source(statement.operands[2], bytes);
  op.x[3] = operands.predicate(statement.operands[3]);
  op.run = bytes == 2 ? run_select<std::uint16_t> : bytes == 4 ? run_select<std::uint32_t> : run_select<std::uint64_t>;
  return true;
}

}  // namespace simulated::ptx
