#include <minima/ops/pointwise/arithmetic.h>

#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/functors/divisors.h>

namespace minima {

namespace {

struct Gcd : Binary<Gcd, pointwise::functor::Gcd, integers> {
  static constexpr Traits traits{.name = "gcd"};
};

struct Lcm : Binary<Lcm, pointwise::functor::Lcm, integers> {
  static constexpr Traits traits{.name = "lcm"};
};

}  // namespace

Tensor gcd(const Tensor& a, const Tensor& b) { return apply(Gcd{}, a, b); }
Tensor lcm(const Tensor& a, const Tensor& b) { return apply(Lcm{}, a, b); }

}  // namespace minima
