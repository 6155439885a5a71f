#include <minima/ops/view/join.h>

#include "tests/ops/view/moving.h"

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace minima::join_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

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
        .huge([](auto v) { cat({{ones({2, 3, 4}), ones({2, 3, 4})}}, v); })
        .huge([](auto) { cat({{endless(), endless()}}); })
        .recorded("cat", "lambda a, b: torch.cat([a, b], 1)", [](In in) { return cat(in, 1); })
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
        .huge([](auto v) { stack({{ones({2, 3, 4}), ones({2, 3, 4})}}, v); })
        .huge([](auto) { stack({{endless(), endless()}}); })
        .recorded("stack", "lambda a, b: torch.stack([a, b], -1)", [](In in) { return stack(in, -1); })
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

/// An operator on a list, as one of two inputs.
OpCases joining(OpCases cases) { return composing(std::move(cases)).without("ShapeError", "the errors of cat"); }

Shape at_least_one(const Shape& x) { return x.rank() == 0 ? Shape{1} : x; }
Shape at_least_two(const Shape& x) { return x.rank() < 2 ? Shape{1, numel(x)} : x; }
Shape at_least_three(const Shape& x) {
  const Shape two = at_least_two(x);
  return x.rank() < 3 ? Shape{two[0], two[1], 1} : x;
}

/// Joins along a dimension after both inputs have been given a shape.
auto joined_as(int dim, Shape (*shape_of)(const Shape&)) {
  return [=](Lists in) {
    const Shape left = shape_of(in[0].shape), right = shape_of(in[1].shape);
    const int along = left.rank() == 1 ? 0 : dim;
    const Doubles a(left, in[0].values), b(right, in[1].values);
    Shape shape = left;
    shape[along] += right[along];
    Doubles y(shape);
    each_index(shape, [&](const Shape& at) {
      Shape from = at;
      from[along] -= left[along];
      y[at] = from[along] < 0 ? a[at] : b[from];
    });
    return y;
  };
}

Shape column(const Shape& x) { return x.rank() < 2 ? Shape{numel(x), 1} : x; }

[[maybe_unused]] const bool hstack_cases =
    joining(OpCases("hstack"))
        .on([](In in) { return hstack(in); }, joined_as(1, at_least_one))
        .pytorch("lambda *x: torch.hstack(x)")
        .inputs(normal({2, 3}), normal({2, 1}))
        .inputs(normal({3}), normal({2}))
        .inputs(normal({0}), normal({2}))
        .error<ValueError>([] { hstack(std::span<const Tensor>{}); }, "hstack: needs at least one tensor")
        .check();

[[maybe_unused]] const bool vstack_cases =
    joining(OpCases("vstack"))
        .on([](In in) { return vstack(in); }, joined_as(0, at_least_two))
        .pytorch("lambda *x: torch.vstack(x)")
        .inputs(normal({2, 3}), normal({3}))
        .inputs(normal({}), normal({}))
        .inputs(normal({0, 3}), normal({2, 3}))
        .error<ValueError>([] { vstack(std::span<const Tensor>{}); }, "vstack: needs at least one tensor")
        .check();

[[maybe_unused]] const bool dstack_cases =
    joining(OpCases("dstack"))
        .on([](In in) { return dstack(in); }, joined_as(2, at_least_three))
        .pytorch("lambda *x: torch.dstack(x)")
        .inputs(normal({2, 3}), normal({2, 3, 2}))
        .inputs(normal({3}), normal({3}))
        .inputs(normal({0, 3}), normal({0, 3}))
        .error<ValueError>([] { dstack(std::span<const Tensor>{}); }, "dstack: needs at least one tensor")
        .check();

[[maybe_unused]] const bool column_stack_cases =
    joining(OpCases("column_stack"))
        .on([](In in) { return column_stack(in); }, joined_as(1, column))
        .pytorch("lambda *x: torch.column_stack(x)")
        .inputs(normal({3}), normal({3, 2}))
        .inputs(normal({0}), normal({0}))
        .error<ValueError>([] { column_stack(std::span<const Tensor>{}); }, "column_stack: needs at least one tensor")
        .check();

[[maybe_unused]] const bool block_diag_cases =
    composing(OpCases("block_diag"))
        .on([](In in) { return block_diag(in); },
            [](Lists in) {
              Doubles y({in[0].shape[0] + 1, in[0].shape[1] + in[1].numel()});
              each_index(in[0].shape, [&](const Shape& at) { y[at] = in[0][at]; });
              for (std::int64_t i = 0; i < in[1].numel(); ++i)
                y[{in[0].shape[0], in[0].shape[1] + i}] = in[1].values[static_cast<std::size_t>(i)];
              return y;
            })
        .pytorch("lambda *x: torch.block_diag(*x)")
        .inputs(normal({2, 3}), normal({2}))
        .inputs(normal({0, 2}), normal({3}))
        .error<ShapeError>([] { block_diag(std::vector{sized({2, 2, 2})}); },
                           "block_diag: needs matrices, vectors or scalars, got float32 [2, 2, 2]")
        .error<DTypeError>([] { block_diag(std::vector{sized({2, 2}), sized({2}, float64)}); },
                           "block_diag: needs one dtype, got float32 [2, 2] and float64 [2]; convert them with to()")
        .error<ValueError>([] { block_diag({}); }, "block_diag: needs at least one matrix")
        .check();

}  // namespace
}  // namespace minima::join_test
