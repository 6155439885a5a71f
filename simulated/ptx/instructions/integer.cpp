#include "simulated/ptx/instructions/operations.h"

#include <limits>

// "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic Instructions" of the PTX ISA.

namespace simulated::ptx {

namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

/// Unsigned arithmetic wraps; small types are computed in 64 bits.
template <class T> constexpr std::uint64_t wide(T x) { return static_cast<std::uint64_t>(x); }
template <class T> T wrap(std::uint64_t x) { return static_cast<T>(x); }

template <class T> T high_of_product(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using Wide = std::conditional_t<std::is_signed_v<T>, Int128, UInt128>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> 64);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> 8 * sizeof(T));
  }
}

struct Add {
  template <class T> T operator()(T a, T b) const { return wrap<T>(wide(a) + wide(b)); }
};
struct Sub {
  template <class T> T operator()(T a, T b) const { return wrap<T>(wide(a) - wide(b)); }
};
struct MulLow {
  template <class T> T operator()(T a, T b) const { return wrap<T>(wide(a) * wide(b)); }
};
struct MulHigh {
  template <class T> T operator()(T a, T b) const { return high_of_product(a, b); }
};
struct Min {
  template <class T> T operator()(T a, T b) const { return b < a ? b : a; }
};
struct Max {
  template <class T> T operator()(T a, T b) const { return a < b ? b : a; }
};
/// Dividing by zero "yields an unspecified, machine-specific value": all ones, as GPUs give.
struct Div {
  template <class T> T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return wrap<T>(0 - wide(a));
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T> T operator()(T a, T b) const {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Abs {
  template <class T> T operator()(T a) const { return a < 0 ? wrap<T>(0 - wide(a)) : a; }
};
struct Neg {
  template <class T> T operator()(T a) const { return wrap<T>(0 - wide(a)); }
};
struct MadLow {
  template <class T> T operator()(T a, T b, T c) const { return wrap<T>(wide(a) * wide(b) + wide(c)); }
};
struct MadHigh {
  template <class T> T operator()(T a, T b, T c) const { return wrap<T>(wide(high_of_product(a, b)) + wide(c)); }
};
struct Sad {
  template <class T> T operator()(T a, T b, T c) const {
    return wrap<T>(wide(a < b ? Sub{}(b, a) : Sub{}(a, b)) + wide(c));
  }
};
template <class D> struct MulWide {
  template <class T> D operator()(T a, T b) const { return static_cast<D>(static_cast<D>(a) * static_cast<D>(b)); }
};
template <class D> struct MadWide {
  template <class T> D operator()(T a, T b, D c) const { return wrap<D>(wide(MulWide<D>{}(a, b)) + wide(c)); }
};
struct AddSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int64_t sum = std::int64_t{a} + b;
    return static_cast<std::int32_t>(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
  }
};

template <class F> bool unary(const Statement& statement, Type type, Operands& operands, Op& op) {
  return with_integer(type, [&]<class T>(T) {
    place(statement, operands, op, sizeof(T), {sizeof(T)});
    op.run = run_unary<T, T, F>;
  });
}
template <class F> bool binary(const Statement& statement, Type type, Operands& operands, Op& op) {
  return with_integer(type, [&]<class T>(T) {
    place(statement, operands, op, sizeof(T), {sizeof(T), sizeof(T)});
    op.run = run_binary<T, T, T, F>;
  });
}
template <class F> bool ternary(const Statement& statement, Type type, Operands& operands, Op& op) {
  return with_integer(type, [&]<class T>(T) {
    place(statement, operands, op, sizeof(T), {sizeof(T), sizeof(T), sizeof(T)});
    op.run = run_ternary<T, T, T, T, F>;
  });
}

/// mul.wide and mad.wide: the result has twice the bits.
bool widening(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  const bool mad = opcode.name == "mad";
  const auto with = [&]<class T, class D>(T, D) {
    if (mad) place(statement, operands, op, sizeof(D), {sizeof(T), sizeof(T), sizeof(D)});
    else place(statement, operands, op, sizeof(D), {sizeof(T), sizeof(T)});
    op.run = mad ? run_ternary<D, T, T, D, MadWide<D>> : run_binary<D, T, T, MulWide<D>>;
    return true;
  };
  switch (opcode.type()) {
    case Type::u16: return with(std::uint16_t{}, std::uint32_t{});
    case Type::s16: return with(std::int16_t{}, std::int32_t{});
    case Type::u32: return with(std::uint32_t{}, std::uint64_t{});
    case Type::s32: return with(std::int32_t{}, std::int64_t{});
    default: return false;
  }
}

// --- with the carry flag: op.mode says whether it is read and written ---

constexpr std::uint8_t reads_carry = 1, writes_carry = 2, subtracts = 4;

/// a + b + carry, or a - b - borrow. The flag of a subtraction is the borrow, which only subc reads.
template <class T> void run_carry(Warp& warp, const Op& op, const T (&product)[warp_size], Place addend) {
  const T* const b = in<T>(warp, addend);
  const Mask flags = op.mode & reads_carry ? warp.carry : 0;
  T result[warp_size];
  Mask carries = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const UInt128 carry = flags >> lane & 1u;
    const UInt128 wide_result =
        op.mode & subtracts ? UInt128{product[lane]} - b[lane] - carry : UInt128{product[lane]} + b[lane] + carry;
    result[lane] = static_cast<T>(wide_result);
    carries |= static_cast<Mask>((wide_result >> 8 * sizeof(T)) & 1u) << lane;
  }
  each<T>(warp, op.x[0], [&](unsigned lane) { return result[lane]; });
  if (op.mode & writes_carry) warp.carry = (warp.carry & ~warp.mask) | (carries & warp.mask);
}
template <class T> void run_add_carry(Warp& warp, const Op& op) {
  T a[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) a[lane] = in<T>(warp, op.x[1])[lane];
  run_carry(warp, op, a, op.x[2]);
}
template <class T, class F> void run_mad_carry(Warp& warp, const Op& op) {
  T product[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane)
    product[lane] = F{}(in<T>(warp, op.x[1])[lane], in<T>(warp, op.x[2])[lane]);
  run_carry(warp, op, product, op.x[3]);
}

bool carrying(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  const bool reads = opcode.name.ends_with('c'), mad = opcode.name.starts_with("mad");
  op.mode = static_cast<std::uint8_t>((reads ? reads_carry : 0) | (opcode.has("cc") ? writes_carry : 0) |
                                      (opcode.name.starts_with("sub") ? subtracts : 0));
  const auto with = [&]<class T>(T) {
    if (mad) {
      place(statement, operands, op, sizeof(T), {sizeof(T), sizeof(T), sizeof(T)});
      op.run = opcode.has("hi") ? run_mad_carry<T, MulHigh> : run_mad_carry<T, MulLow>;
    } else {
      place(statement, operands, op, sizeof(T), {sizeof(T), sizeof(T)});
      op.run = run_add_carry<T>;
    }
    return true;
  };
  switch (opcode.type()) {
    case Type::u32: return with(std::uint32_t{});
    case Type::u64: return with(std::uint64_t{});
    case Type::s32:
      if (!mad || opcode.has("lo")) return with(std::uint32_t{});
      return false;
    case Type::s64:
      if (!mad || opcode.has("lo")) return with(std::uint64_t{});
      return false;
    default: return false;
  }
}

}  // namespace

bool decode_integer(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (opcode.types.size() != 1) return false;
  const std::string& name = opcode.name;
  const Type type = opcode.type();
  if (opcode.has("cc") || name == "addc" || name == "subc" || name == "madc")
    return opcode.only({"cc", "lo", "hi"}) && carrying(statement, opcode, operands, op);
  if (opcode.has("wide")) return widening(statement, opcode, operands, op);
  if ((name == "add" || name == "sub") && opcode.has("sat")) {
    if (type != Type::s32 || name != "add") return false;
    place(statement, operands, op, 4, {4, 4});
    op.run = run_binary<std::int32_t, std::int32_t, std::int32_t, AddSaturated>;
    return true;
  }
  if (!opcode.only({"lo", "hi"})) return false;
  if (name == "add") return binary<Add>(statement, type, operands, op);
  if (name == "sub") return binary<Sub>(statement, type, operands, op);
  if (name == "mul" && opcode.has("hi")) return binary<MulHigh>(statement, type, operands, op);
  if (name == "mul") return binary<MulLow>(statement, type, operands, op);
  if (name == "mad" && opcode.has("hi")) return ternary<MadHigh>(statement, type, operands, op);
  if (name == "mad") return ternary<MadLow>(statement, type, operands, op);
  if (name == "sad") return ternary<Sad>(statement, type, operands, op);
  if (name == "div") return binary<Div>(statement, type, operands, op);
  if (name == "rem") return binary<Rem>(statement, type, operands, op);
  if (name == "min") return binary<Min>(statement, type, operands, op);
  if (name == "max") return binary<Max>(statement, type, operands, op);
  if (name == "neg") return unary<Neg>(statement, type, operands, op);
  if (name == "abs") return unary<Abs>(statement, type, operands, op);
  return false;
}

}  // namespace simulated::ptx
