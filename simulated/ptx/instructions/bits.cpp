#include "simulated/ptx/instructions/operations.h"

#include <bit>

// "Logic and Shift Instructions" and the bit fields of "Integer Arithmetic Instructions".

namespace simulated::ptx {

namespace {

using std::uint32_t;
using std::uint64_t;

struct And {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
struct Or {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
struct Xor {
  template <class T> T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
struct Not {
  template <class T> T operator()(T a) const { return static_cast<T>(~a); }
};
struct CNot {
  template <class T> T operator()(T a) const { return a == 0 ? 1 : 0; }
};
/// "Shift amounts greater than the register width N are clamped to N."
struct Shl {
  template <class T> T operator()(T a, uint32_t by) const {
    return by >= 8 * sizeof(T) ? T{} : static_cast<T>(static_cast<uint64_t>(a) << by);
  }
};
struct Shr {
  template <class T> T operator()(T a, uint32_t by) const {
    constexpr uint32_t bits = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (by >= bits ? bits - 1 : by));
    else return by >= bits ? T{} : static_cast<T>(a >> by);
  }
};
struct PopCount {
  template <class T> uint32_t operator()(T a) const { return static_cast<uint32_t>(std::popcount(a)); }
};
struct LeadingZeros {
  template <class T> uint32_t operator()(T a) const { return static_cast<uint32_t>(std::countl_zero(a)); }
};
struct Reverse {
  template <class T> T operator()(T a) const {
    T result = 0;
    for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
      result = static_cast<T>(result | (a >> bit & 1u) << (8 * sizeof(T) - 1 - bit));
    return result;
  }
};

/// bfi f, a, b, c, d: the lowest d bits of a replace those of b from bit c on.
template <class T> void run_insert(Warp& warp, const Op& op) {
  const T *const a = in<T>(warp, op.x[1]), *const b = in<T>(warp, op.x[2]);
  const uint32_t *const from = in<uint32_t>(warp, op.x[3]), *const count = in<uint32_t>(warp, op.x[4]);
  each<T>(warp, op.x[0], [=](unsigned lane) {
    constexpr uint32_t bits = 8 * sizeof(T);
    const uint32_t first = from[lane] & 0xffu, n = count[lane] & 0xffu;
    if (first >= bits || n == 0) return b[lane];
    const T ones = n >= bits ? static_cast<T>(~T{}) : static_cast<T>((T{1} << n) - 1);
    return static_cast<T>((b[lane] & ~(ones << first)) | (a[lane] & ones) << first);
  });
}

/// bfe d, a, b, c: c bits of a from bit b on; bits beyond the most significant one repeat the sign of the field.
template <class T> void run_extract(Warp& warp, const Op& op) {
  const T* const a = in<T>(warp, op.x[1]);
  const uint32_t *const from = in<uint32_t>(warp, op.x[2]), *const count = in<uint32_t>(warp, op.x[3]);
  each<T>(warp, op.x[0], [=](unsigned lane) {
    constexpr uint32_t bits = 8 * sizeof(T);
    const uint32_t first = from[lane] & 0xffu, n = count[lane] & 0xffu;
    if (n == 0) return T{};
    const uint32_t last = first + n - 1 < bits - 1 ? first + n - 1 : bits - 1;
    const bool negative = std::is_signed_v<T> && (static_cast<uint64_t>(a[lane]) >> last & 1u) != 0;
    const uint64_t field =
        first >= bits ? 0 : static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(a[lane])) >> first;
    const uint64_t ones = n >= 64 ? ~uint64_t{} : (uint64_t{1} << n) - 1;
    const uint32_t there = first >= bits ? 0 : bits - first;
    const uint64_t valid = there >= n ? ones : (uint64_t{1} << there) - 1;
    return static_cast<T>((field & valid) | (negative ? ~valid : 0));
  });
}

/// prmt: each nibble of the selector chooses a byte of {b, a}; with its high bit, that byte's sign.
struct Permute {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t selector) const {
    const uint64_t bytes = uint64_t{b} << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const uint32_t nibble = selector >> 4 * i & 15u;
      uint32_t byte = static_cast<uint32_t>(bytes >> 8 * (nibble & 7u)) & 0xffu;
      if (nibble & 8u) byte = byte & 0x80u ? 0xffu : 0;
      result |= byte << 8 * i;
    }
    return result;
  }
};
struct FunnelLeft {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t by) const {
    return static_cast<uint32_t>((uint64_t{b} << 32 | a) << by >> 32);
  }
};
struct FunnelRight {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t by) const {
    return static_cast<uint32_t>((uint64_t{b} << 32 | a) >> by);
  }
};
template <bool left, bool clamp> struct Funnel {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t by) const {
    by = clamp ? (by > 32 ? 32 : by) : by & 31u;
    return left ? FunnelLeft{}(a, b, by) : FunnelRight{}(a, b, by);
  }
};

/// Bit i of the table is the result for the bits a, b, c of i.
void run_lop3(Warp& warp, const Op& op) {
  const uint32_t *const a = in<uint32_t>(warp, op.x[1]), *const b = in<uint32_t>(warp, op.x[2]),
                        *const c = in<uint32_t>(warp, op.x[3]);
  const unsigned table = op.mode;
  each<uint32_t>(warp, op.x[0], [=](unsigned lane) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (table >> i & 1u)
        result |= (i & 4u ? a[lane] : ~a[lane]) & (i & 2u ? b[lane] : ~b[lane]) & (i & 1u ? c[lane] : ~c[lane]);
    return result;
  });
}

template <class F> void run_predicates(Warp& warp, const Op& op) {
  set_predicate(warp, op.x[0], F{}(*in<Mask>(warp, op.x[1]), *in<Mask>(warp, op.x[2])));
}
void run_not_predicate(Warp& warp, const Op& op) { set_predicate(warp, op.x[0], ~*in<Mask>(warp, op.x[1])); }

bool of_predicates(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  const std::size_t sources = opcode.name == "not" ? 1 : 2;
  if (statement.operands.size() != sources + 1) return false;
  for (std::size_t i = 0; i <= sources; ++i) op.x[i] = operands.predicate(statement.operands[i]);
  if (opcode.name == "and") op.run = run_predicates<And>;
  else if (opcode.name == "or") op.run = run_predicates<Or>;
  else if (opcode.name == "xor") op.run = run_predicates<Xor>;
  else op.run = run_not_predicate;
  return true;
}

template <class F> bool logic(const Statement& statement, Type type, Operands& operands, Op& op) {
  return with_integer(type, [&]<class T>(T) {
    place(statement, operands, op, sizeof(T), {sizeof(T), sizeof(T)});
    op.run = run_binary<T, T, T, F>;
  });
}
template <class F> bool shift(const Statement& statement, Type type, Operands& operands, Op& op) {
  return with_integer(type, [&]<class T>(T) {
    place(statement, operands, op, sizeof(T), {sizeof(T), 4});
    op.run = run_binary<T, T, uint32_t, F>;
  });
}
template <class F> bool count(const Statement& statement, Type type, Operands& operands, Op& op) {
  const unsigned bytes = size_of(type);
  if (bytes != 4 && bytes != 8) return false;
  place(statement, operands, op, 4, {bytes});
  op.run = bytes == 4 ? run_unary<uint32_t, uint32_t, F> : run_unary<uint32_t, uint64_t, F>;
  return true;
}

bool funnel(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  place(statement, operands, op, 4, {4, 4, 4});
  const auto run = [&]<bool left, bool clamp>() {
    return run_ternary<uint32_t, uint32_t, uint32_t, uint32_t, Funnel<left, clamp>>;
  };
  const bool clamp = opcode.has("clamp");
  if (opcode.has("l")) op.run = clamp ? run.template operator()<true, true>() : run.template operator()<true, false>();
  else op.run = clamp ? run.template operator()<false, true>() : run.template operator()<false, false>();
  return true;
}

}  // namespace

bool decode_bits(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (opcode.types.size() != 1) return false;
  const std::string& name = opcode.name;
  const Type type = opcode.type();
  if (name == "shf" && opcode.only({"l", "r", "wrap", "clamp"}) && type == Type::b32)
    return funnel(statement, opcode, operands, op);
  if (!opcode.words.empty()) return false;
  const bool logical = name == "and" || name == "or" || name == "xor" || name == "not";
  if (logical && type == Type::pred) return of_predicates(statement, opcode, operands, op);
  if (name == "and") return logic<And>(statement, type, operands, op);
  if (name == "or") return logic<Or>(statement, type, operands, op);
  if (name == "xor") return logic<Xor>(statement, type, operands, op);
  if (name == "shl") return shift<Shl>(statement, type, operands, op);
  if (name == "shr") return shift<Shr>(statement, type, operands, op);
  if (name == "popc") return count<PopCount>(statement, type, operands, op);
  if (name == "clz") return count<LeadingZeros>(statement, type, operands, op);
  if (name == "not" || name == "cnot" || name == "brev")
    return with_integer(type, [&]<class T>(T) {
      using U = std::make_unsigned_t<T>;
      place(statement, operands, op, sizeof(T), {sizeof(T)});
      op.run = name == "not" ? run_unary<U, U, Not> : name == "cnot" ? run_unary<U, U, CNot> : run_unary<U, U, Reverse>;
    });
  if (name == "bfi" && (type == Type::b32 || type == Type::b64)) {
    const unsigned bytes = size_of(type);
    place(statement, operands, op, bytes, {bytes, bytes, 4, 4});
    op.run = bytes == 4 ? run_insert<uint32_t> : run_insert<uint64_t>;
    return true;
  }
  if (name == "bfe" && size_of(type) >= 4)
    return with_integer(type, [&]<class T>(T) {
      place(statement, operands, op, sizeof(T), {sizeof(T), 4, 4});
      op.run = run_extract<T>;
    });
  if (name == "prmt" && type == Type::b32) {
    place(statement, operands, op, 4, {4, 4, 4});
    op.run = run_ternary<uint32_t, uint32_t, uint32_t, uint32_t, Permute>;
    return true;
  }
  if (name == "lop3" && type == Type::b32 && statement.operands.size() == 5) {
    for (std::size_t i = 1; i < 4; ++i) op.x[i] = operands.source(statement.operands[i], 4);
    op.x[0] = operands.target(statement.operands[0], 4);
    op.mode = static_cast<std::uint8_t>(statement.operands[4].value);
    op.run = run_lop3;
    return true;
  }
  return false;
}

}  // namespace simulated::ptx
