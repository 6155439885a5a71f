#include <tests/ops/loops/math/math_loops.inl>

namespace minima::test {
std::span<const MathLoop> plain_math_loops() { return loops; }
}  // namespace minima::test
