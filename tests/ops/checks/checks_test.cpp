#include "tests/ops/checks/check.h"
#include "tests/ops/checks/random_case.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstring>

// Each check must complain about an operator with the fault that it is meant to find.

namespace minima::checks_test {
namespace {

using namespace test;

enum class Fault {
  none,
  value,
  shape,
  ignores_strides,
  wraps_nan,
  writes_input,
  takes_integers,
  row_major,
  gradient,
  constant_gradient,
  fast_gradient,
  half_gradient,
  unstable,
  keeps_memory,
  hides_input,
  no_undefined,
  no_cost
};

std::vector<Tensor>& kept() {
  static std::vector<Tensor> tensors;
  return tensors;
}

/// x², with a fault.
template <Fault fault>
struct Square {
  static constexpr Traits traits{.name = "square"};
  TensorSpec result(const Tensor& x) const {
    if (!is_floating(x.dtype()) && fault != Fault::takes_integers)
      throw DTypeError(str("square: floating only, got ", x));
    if (fault == Fault::shape && x.rank() == 2) return spec_of({x.numel()}, x.dtype(), x.device());
    return fault == Fault::row_major ? spec_of(x.shape(), x.dtype(), x.device()) : spec_like(x);
  }
  Cost cost(const Tensor& x) const { return {.flops = fault == Fault::no_cost ? 0.0 : static_cast<double>(x.numel())}; }
  void cpu(const Tensor& x, Tensor& y) const {
    const Tensor source = fault == Fault::ignores_strides ? x : detail::clone_values(x);
    dispatch<all_types>(x.dtype(), "square", [&]<class T> {
      const T* from = source.data<T>();
      T* to = y.data<T>();
      // Ignores strides, but stays within the storage, or a sanitizer would complain first.
      const std::int64_t within =
          fault == Fault::ignores_strides ? source.layout().end() - source.layout().offset : x.numel();
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        const auto v = static_cast<double>(from[i % within]);
        double square = fault == Fault::wraps_nan && v != v ? 0 : v * v;
        if (fault == Fault::value && i == 3) square += 0.1 * square;
        if (fault == Fault::unstable) square *= 1 + 1e-13 * static_cast<double>(++calls());
        if constexpr (is_half(dtype_of<T>)) to[i] = T(static_cast<float>(square));
        else to[i] = static_cast<T>(square);
      }
      if (fault == Fault::writes_input && x.numel() > 0) const_cast<T*>(from)[0] = T(0);
    });
    if (fault == Fault::writes_input && x.numel() > 0) std::memset(x.raw_data(), 0, x.itemsize());
    if (fault == Fault::keeps_memory) kept().push_back(detail::clone_values(y));
    if (fault == Fault::hides_input) kept().assign(1, x.detach());
  }
  Tensor gradient(Grad g, Input<0> x) const {
    if (fault == Fault::constant_gradient) return g * x.detach() * 2;
    return g * x * (fault == Fault::gradient ? 2.01 : 2.0);
  }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    if (fault == Fault::half_gradient && x.dtype() == float16) return g * x * 2.1;
    return g * x * (fault == Fault::fast_gradient ? 2.01 : 2.0);
  }
  static int& calls() {
    static int count = 0;
    return count;
  }
};

/// x², whose gradient reads x without autograd's knowledge.
struct Secretive : Square<Fault::hides_input> {
  Tensor gradient(Grad g, Spec<0>) const { return g * kept().front() * 2.0; }
  void fast_gradient() = delete;
};

template <class Op>
Tensor call(const Tensor& x) {
  if (!x.defined() && std::is_same_v<Op, Square<Fault::no_undefined>>) return x;
  return apply(Op{}, x);
}

template <class Op>
OpCases table() {
  OpCases cases("square");
  cases.result_layout(ResultLayout::like_input)
      .on([](In in) { return call<Op>(in[0]); }, elementwise([](double x) { return x * x; }))
      .pointwise_inputs(1);
  return cases;
}

template <Fault fault>
OpCases with() {
  return table<Square<fault>>();
}

/// The names of the checks that complain.
std::vector<std::string> complaining(const OpCases& cases) {
  std::vector<std::string> names;
  for (const Check& check : op_checks())
    if (check.applies(cases) && !check.run(cases).empty()) names.emplace_back(check.name);
  kept().clear();
  return names;
}

TEST(OpChecks, AcceptARightOperator) { EXPECT_EQ(complaining(with<Fault::none>()), std::vector<std::string>{}); }

TEST(OpChecks, NoticeAWrongValueWithItsIndex) {
  const Complaints complaints = check_values(with<Fault::value>());
  ASSERT_FALSE(complaints.empty());
  EXPECT_NE(complaints[0].find("1 of 12 elements"), std::string::npos) << complaints[0];
  EXPECT_NE(complaints[0].find("at [0, 3]"), std::string::npos) << complaints[0];
}
TEST(OpChecks, NoticeAWrongShape) { EXPECT_FALSE(check_values(with<Fault::shape>()).empty()); }
TEST(OpChecks, NoticeIgnoredStrides) { EXPECT_FALSE(check_values(with<Fault::ignores_strides>()).empty()); }
TEST(OpChecks, NoticeALostNan) { EXPECT_FALSE(check_values(with<Fault::wraps_nan>()).empty()); }
TEST(OpChecks, NoticeAChangedInput) { EXPECT_FALSE(check_values(with<Fault::writes_input>()).empty()); }
TEST(OpChecks, NoticeAnUnclaimedDType) { EXPECT_FALSE(check_dtypes(with<Fault::takes_integers>()).empty()); }
TEST(OpChecks, NoticeALostMemoryOrder) { EXPECT_FALSE(check_result_layout(with<Fault::row_major>()).empty()); }
TEST(OpChecks, NoticeAWrongGradient) {
  // Finite differences check the formula that training uses; the other one must agree with it.
  EXPECT_FALSE(check_gradient(with<Fault::fast_gradient>()).empty());
  EXPECT_FALSE(check_fast_gradient(with<Fault::fast_gradient>()).empty());
  EXPECT_FALSE(check_fast_gradient(with<Fault::gradient>()).empty());
}
TEST(OpChecks, NoticeAGradientThatIsAConstant) {
  EXPECT_FALSE(check_second_gradient(with<Fault::constant_gradient>()).empty());
}
TEST(OpChecks, NoticeAWrongHalfGradient) {
  EXPECT_FALSE(check_low_precision_gradient(with<Fault::half_gradient>()).empty());
}
TEST(OpChecks, NoticeUnstableBits) { EXPECT_FALSE(check_repeatable(with<Fault::unstable>()).empty()); }
TEST(OpChecks, NoticeKeptMemory) {
  EXPECT_FALSE(check_hidden(with<Fault::keeps_memory>()).empty());
  kept().clear();
}
TEST(OpChecks, NoticeAnUnguardedUndefinedInput) { EXPECT_FALSE(check_undefined(with<Fault::no_undefined>()).empty()); }
TEST(OpChecks, NoticeAGradientThatReadsWhatIsNotSaved) {
  EXPECT_FALSE(check_saved(table<Secretive>()).empty());
  kept().clear();
}
TEST(OpChecks, NoticeAGradientWhereNoneIsClaimed) {
  EXPECT_FALSE(check_no_gradient(with<Fault::none>().no_gradient()).empty());
}
TEST(OpChecks, NoticeAnInPlaceFormThatDiffers) {
  OpCases cases = with<Fault::none>();
  cases.in_place([](In in) { mul_(in[0], 2); });
  EXPECT_FALSE(check_in_place(cases).empty());
  EXPECT_FALSE(check_in_place_gradient(cases).empty());
}
TEST(OpChecks, NoticeAMissingCost) { EXPECT_FALSE(check_cost(with<Fault::no_cost>()).empty()); }
TEST(OpChecks, NoticeOnRandomCasesWhatDependsOnDTypeOrLayout) {
  EXPECT_EQ(check_random_cases(with<Fault::none>()), Complaints{});
  EXPECT_FALSE(check_random_cases(with<Fault::ignores_strides>()).empty());
  EXPECT_FALSE(check_random_cases(with<Fault::half_gradient>()).empty());
  EXPECT_FALSE(check_random_cases(with<Fault::unstable>().dtypes({float64})).empty());
}
TEST(OpChecks, RepeatARandomCase) {
  const OpCases cases = with<Fault::none>();
  const auto text = [&](std::uint64_t number) {
    return random_case(cases, number, [](const RandomCase&) { return true; }).text();
  };
  EXPECT_EQ(text(3), text(3));
  EXPECT_NE(text(3), text(4));
}
TEST(OpChecks, NoticeMissingRows) {
  OpCases cases("square");
  cases.on([](In in) { return call<Square<Fault::none>>(in[0]); }, elementwise([](double x) { return x * x; }))
      .inputs(normal({3}));
  EXPECT_EQ(check_coverage(cases).size(), 2u);
}
TEST(OpChecks, CompareErrorTextsAndTypes) {
  OpCases cases("square");
  cases.error<ShapeError>([] { throw ShapeError("square: this"); }, "square: this");
  EXPECT_TRUE(check_bad_calls(cases).empty());
  cases.error<ShapeError>([] { throw ShapeError("square: that"); }, "square: this")
      .error<ShapeError>([] { throw ValueError("square: this"); }, "square: this")
      .error<ShapeError>([] {}, "square: this")
      .error<ShapeError>([] { throw ShapeError("circle: this"); }, "circle: this");
  const Complaints complaints = check_bad_calls(cases);
  ASSERT_EQ(complaints.size(), 4u);
  EXPECT_EQ(complaints[1], "not a ShapeError: square: this");
  EXPECT_EQ(complaints[3], "the expected text does not name the operator: circle: this");
}

}  // namespace
}  // namespace minima::checks_test
