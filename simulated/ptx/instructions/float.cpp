#include "simulated/ptx/instructions/operations.h"
#include "simulated/ptx/instructions/scalar.h"

#include <cfenv>

// "Floating Point Instructions" of the PTX ISA. The approximations are computed in double precision and rounded once,
// which is within every error bound that the ISA states.

namespace simulated::ptx {

namespace {

struct Add {
  template <class T> T operator()(T a, T b) const { return a + b; }
};
struct Sub {
  template <class T> T operator()(T a, T b) const { return a - b; }
};
struct Mul {
  template <class T> T operator()(T a, T b) const { return a * b; }
};
struct Div {
  template <class T> T operator()(T a, T b) const { return a / b; }
};
struct Min {
  template <class T> T operator()(T a, T b) const { return least(a, b); }
};
struct Max {
  template <class T> T operator()(T a, T b) const { return greatest(a, b); }
};
/// The minimum with .NaN, where a NaN wins.
struct MinNan {
  template <class T> T operator()(T a, T b) const {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : least(a, b);
  }
};
struct MaxNan {
  template <class T> T operator()(T a, T b) const {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : greatest(a, b);
  }
};
struct Fma {
  template <class T> T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
};
struct Rcp {
  template <class T> T operator()(T a) const { return T{1} / a; }
};
struct Sqrt {
  template <class T> T operator()(T a) const { return std::sqrt(a); }
};
/// Computed in double precision, and rounded by the wrapper.
struct Rsqrt {
  template <class T> T operator()(T a) const { return static_cast<T>(1 / std::sqrt(static_cast<double>(a))); }
};
struct Ex2 {
  float operator()(float a) const { return static_cast<float>(std::exp2(static_cast<double>(a))); }
};
struct Lg2 {
  float operator()(float a) const { return static_cast<float>(std::log2(static_cast<double>(a))); }
};
struct Sin {
  float operator()(float a) const { return static_cast<float>(std::sin(static_cast<double>(a))); }
};
struct Cos {
  float operator()(float a) const { return static_cast<float>(std::cos(static_cast<double>(a))); }
};
struct Tanh {
  float operator()(float a) const { return static_cast<float>(std::tanh(static_cast<double>(a))); }
};
/// div.approx: "for |b| in (2^126, 2^128) the result is 0 if a is finite, and NaN if a is infinite".
struct DivApprox {
  float operator()(float a, float b) const {
    if (std::fabs(b) > 0x1p126f && std::fabs(b) <= std::numeric_limits<float>::max())
      return std::isinf(a) ? std::numeric_limits<float>::quiet_NaN() : std::copysign(0.0f, a * std::copysign(1.0f, b));
    return a / b;
  }
};
/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and give the upper 32 bits.
inline double upper(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000u); }
inline double flush_double(double x) { return std::fabs(x) < 0x1p-1022 ? std::copysign(0.0, x) : x; }
struct RcpGross {
  double operator()(double a) const { return flush_double(upper(1 / flush_double(upper(a)))); }
};
struct RsqrtGross {
  double operator()(double a) const { return upper(1 / std::sqrt(flush_double(upper(a)))); }
};

struct Abs {
  template <class T> T operator()(T a) const { return std::fabs(a); }
};
struct Neg {
  template <class T> T operator()(T a) const { return -a; }
};
/// copysign d, a, b: the sign of a on the magnitude of b.
struct CopySign {
  template <class T> T operator()(T a, T b) const { return std::copysign(b, a); }
};

/// F with .ftz on sources and result, .sat, and the canonical NaN.
template <class F, bool ftz, bool sat> struct Finished {
  template <class T> static T source(T x) {
    if constexpr (ftz && sizeof(T) == 4) return flush(x);
    return x;
  }
  template <class... T> auto operator()(T... x) const {
    auto result = F{}(source(x)...);
    if constexpr (ftz && sizeof(result) == 4) result = flush(result);
    if constexpr (sat) result = saturate(result);
    return canonical(result);
  }
};

template <class T, int n, class F> Op::Run loop() {
  if constexpr (n == 1) return run_unary<T, T, F>;
  else if constexpr (n == 2) return run_binary<T, T, T, F>;
  else return run_ternary<T, T, T, T, F>;
}

/// The processor rounds as the instruction says.
constexpr int directions[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

template <class T, int n, class F> Op::Run choose(const Opcode& opcode, Op& op) {
  op.mode = opcode.has("rz") ? 1 : opcode.has("rm") ? 2 : opcode.has("rp") ? 3 : 0;
  const bool ftz = opcode.has("ftz"), sat = opcode.has("sat");
  const auto pick = [&]<class G>(G) -> Op::Run {
    if (op.mode == 0) return loop<T, n, G>();
    return +[](Warp& warp, const Op& it) {
      std::fesetround(directions[it.mode]);
      loop<T, n, G>()(warp, it);
      std::fesetround(FE_TONEAREST);
    };
  };
  if (ftz) return sat ? pick(Finished<F, true, true>{}) : pick(Finished<F, true, false>{});
  return sat ? pick(Finished<F, false, true>{}) : pick(Finished<F, false, false>{});
}

template <int n> void place_all(const Statement& statement, Operands& operands, Op& op, unsigned bytes) {
  if constexpr (n == 1) place(statement, operands, op, bytes, {bytes});
  else if constexpr (n == 2) place(statement, operands, op, bytes, {bytes, bytes});
  else place(statement, operands, op, bytes, {bytes, bytes, bytes});
}

/// An instruction of both types.
template <int n, class F> bool arithmetic(const Statement& statement, const Opcode& opcode, Operands& operands,
                                          Op& op) {
  place_all<n>(statement, operands, op, size_of(opcode.type()));
  op.run = opcode.type() == Type::f32 ? choose<float, n, F>(opcode, op) : choose<double, n, F>(opcode, op);
  return true;
}
/// An instruction of float32 only.
template <int n, class F> bool single(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (opcode.type() != Type::f32) return false;
  place_all<n>(statement, operands, op, 4);
  op.run = choose<float, n, F>(opcode, op);
  return true;
}
/// Only moves or changes a sign: no NaN becomes canonical.
template <int n, class F> bool sign_only(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (!opcode.words.empty()) return false;
  place_all<n>(statement, operands, op, size_of(opcode.type()));
  op.run = opcode.type() == Type::f32 ? loop<float, n, F>() : loop<double, n, F>();
  return true;
}

}  // namespace

bool decode_float(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  const Type type = opcode.type();
  if (opcode.types.size() != 1 || (type != Type::f32 && type != Type::f64)) return false;
  if (!opcode.only({"rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "NaN"})) return false;
  const std::string& name = opcode.name;
  const bool gross = type == Type::f64 && opcode.has("approx") && opcode.has("ftz");
  const auto double_only = [&]<class F>(F) {
    place(statement, operands, op, 8, {8});
    op.run = run_unary<double, double, F>;
    return true;
  };
  if (name == "add") return arithmetic<2, Add>(statement, opcode, operands, op);
  if (name == "sub") return arithmetic<2, Sub>(statement, opcode, operands, op);
  if (name == "mul") return arithmetic<2, Mul>(statement, opcode, operands, op);
  if (name == "fma" || name == "mad") return arithmetic<3, Fma>(statement, opcode, operands, op);
  if (name == "div" && opcode.has("approx")) return single<2, DivApprox>(statement, opcode, operands, op);
  if (name == "div") return arithmetic<2, Div>(statement, opcode, operands, op);
  if (name == "rcp" && gross) return double_only(RcpGross{});
  if (name == "rcp") return arithmetic<1, Rcp>(statement, opcode, operands, op);
  if (name == "sqrt") return arithmetic<1, Sqrt>(statement, opcode, operands, op);
  if (name == "rsqrt" && gross) return double_only(RsqrtGross{});
  if (name == "rsqrt") return arithmetic<1, Rsqrt>(statement, opcode, operands, op);
  if (name == "min" && opcode.has("NaN")) return arithmetic<2, MinNan>(statement, opcode, operands, op);
  if (name == "max" && opcode.has("NaN")) return arithmetic<2, MaxNan>(statement, opcode, operands, op);
  if (name == "min") return arithmetic<2, Min>(statement, opcode, operands, op);
  if (name == "max") return arithmetic<2, Max>(statement, opcode, operands, op);
  if (name == "ex2") return single<1, Ex2>(statement, opcode, operands, op);
  if (name == "lg2") return single<1, Lg2>(statement, opcode, operands, op);
  if (name == "sin") return single<1, Sin>(statement, opcode, operands, op);
  if (name == "cos") return single<1, Cos>(statement, opcode, operands, op);
  if (name == "tanh") return single<1, Tanh>(statement, opcode, operands, op);
  if ((name == "abs" || name == "neg") && opcode.has("ftz"))
    return name == "abs" ? single<1, Abs>(statement, opcode, operands, op)
                         : single<1, Neg>(statement, opcode, operands, op);
  if (name == "abs") return sign_only<1, Abs>(statement, opcode, operands, op);
  if (name == "neg") return sign_only<1, Neg>(statement, opcode, operands, op);
  if (name == "copysign") return sign_only<2, CopySign>(statement, opcode, operands, op);
  return false;
}

}  // namespace simulated::ptx
