#include "simulated/ptx/instructions/operations.h"
#include "simulated/ptx/instructions/scalar.h"

// cvt. Registers may be wider than the types that are converted: a source is truncated, a result extended.

namespace simulated::ptx {

namespace {

enum Rounding : std::uint8_t { nearest, zero, down, up, none };

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};
inline float value_of(Half x) { return from_float16(x.bits); }
inline float value_of(Bfloat x) { return from_bfloat16(x.bits); }
template <class T> T value_of(T x) { return x; }

template <class T> T round_integral(T x, Rounding rounding) {
  switch (rounding) {
    case nearest: return std::nearbyint(x);
    case zero: return std::trunc(x);
    case down: return std::floor(x);
    case up: return std::ceil(x);
    case none: break;
  }
  return x;
}

/// Clamped to the range; NaN becomes 0, or where float64 or 64 bits take part the most significant bit.
template <class D, class S> D to_integer(S x, Rounding rounding) {
  if (x != x) return sizeof(S) == 8 || sizeof(D) == 8 ? static_cast<D>(D{1} << (8 * sizeof(D) - 1)) : D{};
  const S whole = round_integral(x, rounding);
  constexpr D lowest = std::numeric_limits<D>::min(), highest = std::numeric_limits<D>::max();
  // 2^bits is a number of every floating type, though `highest` may not be.
  const S bound = std::ldexp(S{1}, std::numeric_limits<D>::digits);
  if (whole >= bound) return highest;
  if (whole < static_cast<S>(lowest)) return lowest;
  return static_cast<D>(whole);
}

template <class D, class S> D clamp_integer(S x) {
  if constexpr (std::is_signed_v<S>) {
    if (x < 0 && !std::is_signed_v<D>) return 0;
    if (std::is_signed_v<D> && static_cast<std::int64_t>(x) < static_cast<std::int64_t>(std::numeric_limits<D>::min()))
      return std::numeric_limits<D>::min();
    if (x < 0) return static_cast<D>(x);
  }
  return static_cast<std::uint64_t>(x) > static_cast<std::uint64_t>(std::numeric_limits<D>::max())
             ? std::numeric_limits<D>::max()
             : static_cast<D>(x);
}

template <class D, class S> D convert(S x, Rounding rounding, bool ftz, bool sat) {
  if constexpr (std::is_same_v<D, Half> || std::is_same_v<D, Bfloat>) {
    float single = convert<float>(x, none, ftz, sat);
    return {std::is_same_v<D, Half> ? to_float16(single) : to_bfloat16(single)};
  } else if constexpr (std::is_same_v<S, Half> || std::is_same_v<S, Bfloat>) {
    return convert<D>(value_of(x), rounding, ftz, sat);
  } else if constexpr (std::is_integral_v<D> && std::is_integral_v<S>) {
    return sat ? clamp_integer<D>(x) : static_cast<D>(x);
  } else if constexpr (std::is_integral_v<D>) {
    if constexpr (sizeof(S) == 4)
      if (ftz) x = flush(x);
    return to_integer<D>(x, rounding);
  } else if constexpr (std::is_integral_v<S>) {
    const D result = static_cast<D>(x);
    return sat ? saturate(result) : result;
  } else {
    if constexpr (sizeof(S) == 4)
      if (ftz) x = flush(x);
    D result = static_cast<D>(sizeof(S) == sizeof(D) ? static_cast<D>(round_integral(x, rounding)) : static_cast<D>(x));
    if constexpr (sizeof(D) == 4)
      if (ftz) result = flush(result);
    if (sat) result = saturate(result);
    return canonical(result);
  }
}

/// The lanes of a register of `bytes` as values of S.
template <class S> void read(const Warp& warp, Place at, unsigned bytes, S (&values)[warp_size]) {
  if constexpr (sizeof(S) == 1 || std::is_integral_v<S>) {
    const auto from = [&]<class R>(R) {
      const R* const a = in<R>(warp, at);
      for (unsigned lane = 0; lane < warp_size; ++lane) values[lane] = static_cast<S>(a[lane]);
    };
    if (bytes == 2) from(std::uint16_t{});
    else if (bytes == 4) from(std::uint32_t{});
    else from(std::uint64_t{});
  } else {
    const S* const a = in<S>(warp, at);
    for (unsigned lane = 0; lane < warp_size; ++lane) values[lane] = a[lane];
  }
}

template <class D> void write(Warp& warp, Place at, unsigned bytes, const D (&values)[warp_size]) {
  if constexpr (std::is_integral_v<D>) {
    using Wide = std::conditional_t<std::is_signed_v<D>, std::int64_t, std::uint64_t>;
    const auto extend = [&](unsigned lane) { return static_cast<std::uint64_t>(static_cast<Wide>(values[lane])); };
    if (bytes == 2)
      each<std::uint16_t>(warp, at, [&](unsigned lane) { return static_cast<std::uint16_t>(extend(lane)); });
    else if (bytes == 4)
      each<std::uint32_t>(warp, at, [&](unsigned lane) { return static_cast<std::uint32_t>(extend(lane)); });
    else each<std::uint64_t>(warp, at, extend);
  } else {
    each<D>(warp, at, [&](unsigned lane) { return values[lane]; });
  }
}

constexpr std::uint8_t ftz_bit = 8, sat_bit = 16;

template <class D, class S> void run_convert(Warp& warp, const Op& op) {
  S from[warp_size];
  D to[warp_size];
  read(warp, op.x[1], op.bytes, from);
  const Rounding rounding = static_cast<Rounding>(op.mode & 7);
  const auto loop = [&](Rounding how, bool ftz, bool sat) __attribute__((always_inline)) {
    for (unsigned lane = 0; lane < warp_size; ++lane) to[lane] = convert<D>(from[lane], how, ftz, sat);
  };
  if (op.mode == none) loop(none, false, false);
  else if (op.mode == zero) loop(zero, false, false);
  else if (op.mode == nearest) loop(nearest, false, false);
  else loop(rounding, (op.mode & ftz_bit) != 0, (op.mode & sat_bit) != 0);
  write(warp, op.x[0], op.extends, to);
}

template <class F> bool with_any(Type type, F f) {
  switch (type) {
    case Type::s8: f(std::int8_t{}); return true;
    case Type::u8: f(std::uint8_t{}); return true;
    case Type::f16: f(Half{}); return true;
    case Type::bf16: f(Bfloat{}); return true;
    case Type::f32: f(float{}); return true;
    case Type::f64: f(double{}); return true;
    default: return type != Type::b16 && type != Type::b32 && type != Type::b64 && with_integer(type, f);
  }
}

/// cvt.rn.bf16x2.f32 d, a, b: a is the upper half.
template <class H> void run_pack(Warp& warp, const Op& op) {
  const float *const a = in<float>(warp, op.x[1]), *const b = in<float>(warp, op.x[2]);
  each<std::uint32_t>(warp, op.x[0], [=](unsigned lane) {
    const H high = convert<H>(a[lane], none, false, false), low = convert<H>(b[lane], none, false, false);
    return std::uint32_t{high.bits} << 16 | low.bits;
  });
}

}  // namespace

bool decode_convert(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (opcode.name != "cvt" || opcode.types.size() != 2) return false;
  if (!opcode.only({"rn", "rz", "rni", "rzi", "rmi", "rpi", "ftz", "sat"})) return false;
  const Type to = opcode.types[0], from = opcode.types[1];
  if (to == Type::bf16x2 || to == Type::f16x2) {
    if (from != Type::f32 || !opcode.only({"rn"})) return false;
    place(statement, operands, op, 4, {4, 4});
    op.run = to == Type::bf16x2 ? run_pack<Bfloat> : run_pack<Half>;
    return true;
  }
  if (statement.operands.size() != 2 || opcode.has("rz")) return false;
  unsigned bytes = 0;
  op.x[0] = operands.any(statement.operands[0], bytes);
  op.extends = static_cast<std::uint8_t>(bytes);
  if (statement.operands[1].kind == Operand::Kind::immediate) {
    bytes = std::max(2u, size_of(from));
    op.x[1] = operands.source(statement.operands[1], bytes);
  } else {
    op.x[1] = operands.any(statement.operands[1], bytes);
  }
  op.bytes = static_cast<std::uint8_t>(bytes);
  if (bytes < size_of(from) || op.extends < size_of(to)) return false;
  const bool floats = to >= Type::f16 && from >= Type::f16;
  if (floats && (op.extends != size_of(to) || bytes != size_of(from))) return false;
  op.mode = opcode.has("rni")   ? nearest
            : opcode.has("rzi") ? zero
            : opcode.has("rmi") ? down
            : opcode.has("rpi") ? up
                                : none;
  op.mode = static_cast<std::uint8_t>(op.mode | (opcode.has("ftz") ? ftz_bit : 0) | (opcode.has("sat") ? sat_bit : 0));
  return with_any(to, [&]<class D>(D) { with_any(from, [&]<class S>(S) { op.run = run_convert<D, S>; }); }) &&
         op.run != nullptr;
}

}  // namespace simulated::ptx
