#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::cat_test {
namespace {

using namespace test;

Doubles joined(const std::vector<Doubles>& in, int dim) {
  Shape shape = in[0].shape;
  shape[dim] = 0;
  for (const Doubles& x : in) shape[dim] += x.shape[dim];
  Doubles y(shape);
  std::int64_t start = 0;
  for (const Doubles& x : in) {
    each_index(x.shape, [&](const Shape& at) {
      Shape to = at;
      to[dim] += start;
      y[to] = x[at];
    });
    start += x.shape[dim];
  }
  return y;
}

auto along(int dim) {
  return [=](const std::vector<Doubles>& in) { return joined(in, dim); };
}

[[maybe_unused]] const bool cat_cases =
    OpCases("cat")
        .dtypes(all_dtypes())
        .on([](In in) { return cat(in, 0); }, along(0), "dim 0")
        .inputs(normal({3}), normal({4}))
        .inputs(normal({2, 3}))
        .inputs(normal({2, 3}), normal({0, 3}), normal({1, 3}))
        .inputs(normal({300, 200}), normal({200, 200}))
        .on([](In in) { return cat(in, -2); }, along(1), "dim -2")
        .inputs(normal({2, 3, 2}), normal({2, 1, 2}), normal({2, 2, 2}))
        .on([](In in) { return cat(in, 1); }, along(1), "dim 1")
        .inputs(normal({2, 2, 3, 2}), normal({2, 1, 3, 2}))
        .error<ShapeError>([] { cat({zeros({2, 3}), zeros({2, 2})}); },
                           "cat: sizes must match except in dimension 0, but tensor 1 is [2, 2], expected [2, 3]")
        .error<ShapeError>([] { cat({zeros({}), zeros({})}); }, "cat: cannot concatenate tensors of rank 0; use stack")
        .error<ValueError>([] { cat(std::vector<Tensor>{}); }, "cat: needs at least one tensor")
        .error<ValueError>([] { cat({zeros({2}), Tensor()}); }, "cat: tensor 1 is undefined")
        .error<IndexError>([] { cat({zeros({2})}, 1); },
                           "cat: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { cat({empty({2, 3}), empty({2})}); },
                           "cat: sizes must match except in dimension 0, but tensor 1 is [2], expected [2, 3]")
        .check();

[[maybe_unused]] const bool stack_cases =
    OpCases("stack")
        .dtypes(all_dtypes())
        .on([](In in) { return stack(in, 1); },
            [](std::vector<Doubles> in) {
              for (Doubles& x : in) x.shape.insert(1, 1);
              return joined(in, 1);
            },
            "dim 1")
        .inputs(normal({3}), normal({3}))
        .inputs(normal({2, 3}), normal({2, 3}), normal({2, 3}))
        .inputs(normal({0, 3}), normal({0, 3}))
        .inputs(normal({300, 200}), normal({300, 200}))
        .error<ShapeError>([] { stack({zeros({2}), zeros({3})}); },
                           "stack: shapes must be equal, but tensor 1 is [3], expected [2]")
        .error<ValueError>([] { stack({empty({2}), Tensor()}); }, "stack: tensor 1 is undefined")
        .error<ValueError>([] { stack(std::vector<Tensor>{}); }, "stack: needs at least one tensor")
        .error<IndexError>([] { stack({empty({2})}, 2); },
                           "stack: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .check();

TEST(Cat, PassesOverEmptyVectors) {
  Tensor nothing = empty({0}).requires_grad(true), x = ones({2, 3}).requires_grad(true);
  const Tensor y = cat({nothing, x, nothing}, 1);
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>(6, 1));
  EXPECT_EQ(cat({empty({0}), empty({0})}).shape(), (Shape{0}));
}

TEST(Cat, PromotesAndGivesEachInputItsOwnDType) {
  Tensor a = ones({2}, {.dtype = float16}).requires_grad(true), b = ones({1}, {.dtype = float32}).requires_grad(true);
  const Tensor y = cat({a, b, ones({1}, {.dtype = int64})});
  EXPECT_EQ(y.dtype(), float32);
  sum(y).backward();
  EXPECT_EQ(a.grad().dtype(), float16);
  EXPECT_EQ(b.grad().dtype(), float32);
}

TEST(Cat, KeepsImagesChannelsLast) {
  const Tensor x = channels_last(ones({2, 3, 4, 5}));
  EXPECT_TRUE(cat({x, x}, 1).layout().is_channels_last());
  EXPECT_TRUE(cat({x, contiguous(x)}, 1).is_contiguous());
}

TEST(Stack, MakesAVectorOfScalars) {
  EXPECT_EQ(stack({scalar_tensor(1.0), scalar_tensor(2.0)}).to_vector<double>(), (std::vector<double>{1, 2}));
}

TEST(Cat, AcceptsTheSameTensorTwice) {
  Tensor x = ones({2}).requires_grad(true);
  sum(cat({x, x})).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{2, 2}));
}

}  // namespace
}  // namespace minima::cat_test
