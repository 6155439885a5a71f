#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

// An operator that a user writes outside the library, with the same struct, apply and checks.

namespace example {

using namespace minima;

/// Σ (a - b)² / 2 over the last dimension: [..., N], [..., N] → [...].
struct HalfSquaredDistance {
  static constexpr Traits traits{.name = "half_squared_distance", .autocast = Cast::to_float32};

  TensorSpec result(const Tensor& a, const Tensor& b) const {
    if (a.shape() != b.shape() || a.rank() == 0)
      throw ShapeError(str("half_squared_distance: needs two tensors of one shape with at least one dimension, got ", a,
                           " and ", b));
    if (a.dtype() != b.dtype() || !is_floating(a.dtype()) || is_half(a.dtype()))
      throw DTypeError(str("half_squared_distance: needs float32 or float64, got ", a, " and ", b));
    Shape shape = a.shape();
    shape.erase(shape.rank() - 1);
    return spec_of(shape, a.dtype(), a.device());
  }
  Cost cost(const Tensor& a, const Tensor&) const {
    return {.flops = 3.0 * static_cast<double>(a.numel()),
            .bytes = 2.0 * static_cast<double>(a.numel()) * static_cast<double>(a.itemsize())};
  }
  void cpu(const Tensor& a, const Tensor& b, Tensor& y) const {
    const Tensor left = contiguous(a.detach());
    const Tensor right = contiguous(b.detach());
    const std::int64_t length = a.shape().back();
    dispatch<full_floating>(a.dtype(), "half_squared_distance", [&]<class T> {
      for (std::int64_t row = 0; row < y.numel(); ++row) {
        double total = 0;
        for (std::int64_t i = row * length; i < (row + 1) * length; ++i) {
          const double difference = static_cast<double>(left.data<T>()[i]) - static_cast<double>(right.data<T>()[i]);
          total += difference * difference;
        }
        y.data<T>()[row] = static_cast<T>(total / 2);
      }
    });
  }
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> b, Needs needs) const {
    Shape column = g.shape();
    column.push_back(1);
    const Tensor by_a = reshape(g, column) * (a - b);
    return {by_a, needs[1] ? -by_a : Tensor()};
  }
};

Tensor half_squared_distance(const Tensor& a, const Tensor& b) { return apply(HalfSquaredDistance{}, a, b); }

}  // namespace example

namespace minima::user_operator_test {
namespace {

using namespace test;

Doubles reference(const std::vector<Doubles>& in) {
  Doubles squares = in[0];
  for (std::size_t i = 0; i < squares.values.size(); ++i) {
    const double difference = in[0].values[i] - in[1].values[i];
    squares.values[i] = difference * difference / 2;
  }
  return fold(squares, {squares.shape.rank() - 1}, false, 0, [](double a, double b) { return a + b; });
}

[[maybe_unused]] const bool cases =
    OpCases("half_squared_distance")
        .dtypes(full_floating_dtypes())
        .result_layout(ResultLayout::row_major)
        .on([](In in) { return example::half_squared_distance(in[0], in[1]); }, reference)
        .inputs(normal({3, 4}), normal({3, 4}))
        .inputs(normal({5}), normal({5}))
        .inputs(normal({2, 2, 2, 3}), normal({2, 2, 2, 3}))
        .inputs(normal({0, 4}), normal({0, 4}))
        .inputs(normal({2, 0}), normal({2, 0}))
        .inputs(normal({100, 300}), normal({100, 300}))
        .error<ShapeError>([] { example::half_squared_distance(empty({2}), empty({3})); },
                           "half_squared_distance: needs two tensors of one shape with at least one dimension, got "
                           "float32 [2] and float32 [3]")
        .error<DTypeError>([] { example::half_squared_distance(empty({2}), empty({2}, {.dtype = DType::float64})); },
                           "half_squared_distance: needs float32 or float64, got float32 [2] and float64 [2]")
        .check();

TEST(UserOperator, MeetsTheLibrarysOwnInOneGraph) {
  const Tensor a = tensor<double>({1, 2, 3}).requires_grad(true);
  const Tensor b = tensor<double>({3, 5, 4});
  sum(example::half_squared_distance(a * 2.0, b) * 3.0).backward();
  EXPECT_EQ(a.grad().to_vector<double>(),
            (std::vector<double>{2 * 3 * (2.0 - 3), 2 * 3 * (4.0 - 5), 2 * 3 * (6.0 - 4)}));
}

/// Kernels that call public operators, with and without a gradient.
struct Tripled {
  static constexpr Traits traits{.name = "tripled"};
  TensorSpec result(const Tensor& x) const { return spec_like(x); }
  void cpu(const Tensor& x, Tensor& y) const { copy_(y, x * 3.0); }
};
struct TripledUpwards : Tripled {
  static constexpr Traits traits{.name = "tripled_upwards"};
  Tensor gradient(Grad g) const { return g * 5.0; }  // unlike the 3 of a recorded x * 3
};

TEST(UserOperator, KernelOfPublicOperatorsIsNotRecorded) {
  const Tensor x = tensor<double>({1, 2}).requires_grad(true);
  const Tensor constant = apply(Tripled{}, x);
  EXPECT_EQ(constant.to_vector<double>(), (std::vector<double>{3, 6}));
  EXPECT_FALSE(constant.requires_grad());
  EXPECT_TRUE(is_grad_enabled());

  sum(apply(TripledUpwards{}, x)).backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{5, 5}));
}

/// A kernel that throws leaves recording on.
struct Refusing : Tripled {
  void cpu(const Tensor&, Tensor&) const { throw ValueError("tripled: not today"); }
};

TEST(UserOperator, RecordingIsBackAfterAKernelThatThrows) {
  EXPECT_THROW(apply(Refusing{}, tensor<double>({1, 2}).requires_grad(true)), ValueError);
  EXPECT_TRUE(is_grad_enabled());
}

TEST(UserOperator, InPlaceWithoutGradientIsRefusedBeforeAnythingChanges) {
  const Tensor x = tensor<double>({1, 2}).requires_grad(true);
  const Tensor y = x * 1.0;
  EXPECT_THROW(apply_in_place(Tripled{}, y), AutogradError);
  EXPECT_EQ(y.to_vector<double>(), (std::vector<double>{1, 2}));
  EXPECT_EQ(y.version(), 0u);
}

}  // namespace
}  // namespace minima::user_operator_test
