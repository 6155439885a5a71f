// Included by one file per set of compiler flags; everything here is local to it.

#include <minima/ops/loops/math/math.h>
#include <tests/ops/loops/math/math_loops.h>

namespace minima::test {

namespace {

template <class F, class T> void each(T* y, const T* x, long count) {
  for (long i = 0; i < count; ++i) y[i] = F{}(x[i]);
}

template <class F> constexpr MathLoop loop(const char* name, F) { return {name, &each<F, float>, &each<F, double>}; }

constexpr MathLoop loops[] = {
    loop("exp", [](auto x) { return math::exp(x); }),     loop("expm1", [](auto x) { return math::expm1(x); }),
    loop("log", [](auto x) { return math::log(x); }),     loop("log1p", [](auto x) { return math::log1p(x); }),
    loop("tanh", [](auto x) { return math::tanh(x); }),   loop("sigmoid", [](auto x) { return math::sigmoid(x); }),
    loop("erf", [](auto x) { return math::erf(x); }),     loop("sin", [](auto x) { return math::sin(x); }),
    loop("cos", [](auto x) { return math::cos(x); }),     loop("sqrt", [](auto x) { return math::sqrt(x); }),
    loop("rsqrt", [](auto x) { return math::rsqrt(x); }), loop("floor", [](auto x) { return math::floor(x); }),
    loop("round", [](auto x) { return math::round(x); }),
};

}  // namespace

}  // namespace minima::test
