#include <minima/ops/shape/shape.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::shape_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

OpCases moving(OpCases cases) { return composed(std::move(cases)).dtypes(all_dtypes()); }
/// An operator on a list, as one of two inputs.
OpCases joining(OpCases cases) { return moving(std::move(cases)).without("ShapeError", "the errors of cat"); }

/// The reference of a rearrangement: element `at` of the result is element from(at) of x.
template <class ShapeOf, class From>
auto arranged(const ShapeOf& shape_of, const From& from) {
  return [=](Lists in) {
    const Shape shape = in[0].shape;
    return gather(in[0], shape_of(shape), [&](const Shape& at) { return from(shape, at); });
  };
}
Shape swapped(const Shape& x) { return {x[1], x[0]}; }

[[maybe_unused]] const bool movedim_cases =
    moving(OpCases("movedim"))
        .on([](In in) { return movedim(in[0], {0, -1}, {1, 0}); },
            arranged([](const Shape& x) { return Shape{x[2], x[0], x[1]}; },
                     [](const Shape&, const Shape& at) { return Shape{at[1], at[2], at[0]}; }))
        .pytorch("lambda x: torch.movedim(x, (0, -1), (1, 0))")
        .inputs(normal({2, 3, 4}))
        .inputs(normal({2, 0, 4}))
        .huge([](auto n) { movedim(ones({2, 3}), {n}, {0}); })
        .huge([](auto n) { movedim(ones({2, 3}), {0}, {n}); })
        .error<IndexError>([] { movedim(sized({2, 3}), {2}, {0}); },
                           "movedim: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { movedim(sized({2, 3}), {0, 0}, {0, 1}); },
                           "movedim: a dimension appears twice in [0, 0] or [0, 1]")
        .error<ValueError>([] { movedim(sized({2, 3}), {0}, {0, 1}); },
                           "movedim: needs as many sources as destinations, got dimensions [0] and positions [0, 1]")
        .check();

[[maybe_unused]] const bool unflatten_cases =
    moving(OpCases("unflatten"))
        .on([](In in) { return unflatten(in[0], 1, {2, -1}); },
            [](Lists in) {
              const Shape& x = in[0].shape;
              return Doubles({x[0], 2, x[1] / 2, x[2]}, in[0].values);
            })
        .pytorch("lambda x: torch.unflatten(x, 1, (2, -1))")
        .inputs(normal({2, 6, 3}))
        .inputs(normal({0, 6, 3}))
        .huge([](auto n) { unflatten(ones({2, 3}), n, {3}); })
        .huge([](auto n) { unflatten(ones({2, 3}), 1, {n, 3}); })
        .error<IndexError>([] { unflatten(sized({2, 3}), 2, {3}); },
                           "unflatten: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { unflatten(sized({2, 3}), 1, {2, 2}); },
                           "unflatten: 3 elements do not fill shape [2, 2]")
        .error<ShapeError>([] { unflatten(sized({}), 0, {1}); },
                           "unflatten: x has no dimension to split, got float32 []")
        .check();

[[maybe_unused]] const bool unfold_cases =
    moving(OpCases("unfold").declared_in("ops/shape/shape.h"))
        .on([](In in) { return unfold(in[0], 1, 3, 2); },
            arranged([](const Shape& x) { return Shape{x[0], (x[1] - 3) / 2 + 1, 3}; },
                     [](const Shape&, const Shape& at) { return Shape{at[0], at[1] * 2 + at[2]}; }))
        .pytorch("lambda x: x.unfold(1, 3, 2)")
        .inputs(normal({2, 7}))
        .inputs(normal({3, 3}))
        .inputs(normal({0, 4}))
        .huge([](auto n) { unfold(ones({2, 3}), n, 1, 1); })
        .huge([](auto n) { unfold(ones({2, 3}), 0, n, 1); })
        .huge([](auto n) { unfold(ones({2, 3}), 0, 1, n); })
        .error<IndexError>([] { unfold(sized({2, 3}), 2, 1, 1); },
                           "unfold: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { unfold(sized({2, 3}), 1, 4, 1); },
                           "unfold: size must be between 0 and that of dimension 1, got 4 for float32 [2, 3]")
        .error<ValueError>([] { unfold(sized({2, 3}), 1, 2, 0); }, "unfold: step must be positive, got 0")
        .check();

[[maybe_unused]] const bool tile_cases =
    moving(OpCases("tile"))
        .on([](In in) { return tile(in[0], {3}); },
            arranged([](const Shape& x) { return Shape{x[0], x[1] * 3}; },
                     [](const Shape& x, const Shape& at) { return Shape{at[0], at[1] % x[1]}; }))
        .pytorch("lambda x: torch.tile(x, (3,))")
        .inputs(normal({2, 3}))
        .inputs(normal({0, 3}))
        .huge([](auto n) { tile(ones({2, 3}), {n}); })
        .error<ValueError>([] { tile(sized({2}), {-1}); }, "tile: counts must not be negative, got [-1]")
        .check();

[[maybe_unused]] const bool rot90_cases =
    moving(OpCases("rot90"))
        .on([](In in) { return rot90(in[0]); },
            arranged(swapped, [](const Shape& x, const Shape& at) { return Shape{at[1], x[1] - 1 - at[0]}; }), "once")
        .pytorch("torch.rot90")
        .inputs(normal({2, 3}))
        .inputs(normal({0, 3}))
        .on([](In in) { return rot90(in[0], -2, {1, 0}); },
            arranged([](const Shape& x) { return x; },
                     [](const Shape& x, const Shape& at) { return Shape{x[0] - 1 - at[0], x[1] - 1 - at[1]}; }),
            "twice")
        .pytorch("lambda x: torch.rot90(x, -2, [1, 0])")
        .inputs(normal({2, 3}))
        .on([](In in) { return rot90(in[0], -1); },
            arranged(swapped, [](const Shape& x, const Shape& at) { return Shape{x[0] - 1 - at[1], at[0]}; }), "back")
        .pytorch("lambda x: torch.rot90(x, -1)")
        .inputs(normal({2, 3}))
        .huge([](auto n) { rot90(ones({2, 3}), n); })
        .huge([](auto n) { rot90(ones({2, 3}), 1, {n, 0}); })
        .error<IndexError>([] { rot90(sized({2, 3}), 1, {0, 2}); },
                           "rot90: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { rot90(sized({2, 3}), 1, {0, 0}); }, "rot90: the dimensions must differ, got [0, 0]")
        .error<ValueError>([] { rot90(sized({2, 3}), 1, {0}); }, "rot90: needs two dimensions, got [0]")
        .check();

[[maybe_unused]] const bool fliplr_cases =
    moving(OpCases("fliplr"))
        .on([](In in) { return fliplr(in[0]); },
            arranged([](const Shape& x) { return x; },
                     [](const Shape& x, const Shape& at) { return Shape{at[0], x[1] - 1 - at[1]}; }))
        .pytorch("torch.fliplr")
        .inputs(normal({2, 3}))
        .inputs(normal({0, 3}))
        .error<ShapeError>([] { fliplr(sized({2})); }, "fliplr: x needs at least two dimensions, got float32 [2]")
        .check();

[[maybe_unused]] const bool flipud_cases =
    moving(OpCases("flipud"))
        .on([](In in) { return flipud(in[0]); },
            arranged([](const Shape& x) { return x; },
                     [](const Shape& x, const Shape& at) { return Shape{x[0] - 1 - at[0], at[1]}; }))
        .pytorch("torch.flipud")
        .inputs(normal({3, 2}))
        .inputs(normal({0, 3}))
        .error<ShapeError>([] { flipud(sized({})); }, "flipud: x needs at least one dimension, got float32 []")
        .check();

auto with_shape(Shape (*shape_of)(const Shape&)) {
  return [=](Lists in) { return Doubles(shape_of(in[0].shape), in[0].values); };
}
Shape at_least_one(const Shape& x) { return x.rank() == 0 ? Shape{1} : x; }
Shape at_least_two(const Shape& x) { return x.rank() < 2 ? Shape{1, numel(x)} : x; }
Shape at_least_three(const Shape& x) {
  const Shape two = at_least_two(x);
  return x.rank() < 3 ? Shape{two[0], two[1], 1} : x;
}

[[maybe_unused]] const bool atleast_1d_cases =
    moving(OpCases("atleast_1d"))
        .on([](In in) { return atleast_1d(in[0]); }, with_shape(at_least_one))
        .pytorch("torch.atleast_1d")
        .inputs(normal({}))
        .inputs(normal({0}))
        .inputs(normal({2, 3}))
        .without("errors", "takes every tensor")
        .check();
[[maybe_unused]] const bool atleast_2d_cases =
    moving(OpCases("atleast_2d"))
        .on([](In in) { return atleast_2d(in[0]); }, with_shape(at_least_two))
        .pytorch("torch.atleast_2d")
        .inputs(normal({}))
        .inputs(normal({0}))
        .inputs(normal({3}))
        .without("errors", "takes every tensor")
        .check();
[[maybe_unused]] const bool atleast_3d_cases =
    moving(OpCases("atleast_3d"))
        .on([](In in) { return atleast_3d(in[0]); }, with_shape(at_least_three))
        .pytorch("torch.atleast_3d")
        .inputs(normal({}))
        .inputs(normal({0}))
        .inputs(normal({3}))
        .inputs(normal({2, 3}))
        .without("errors", "takes every tensor")
        .check();

/// Joins along a dimension after both inputs have been given a shape.
auto joined(int dim, Shape (*shape_of)(const Shape&)) {
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
        .on([](In in) { return hstack(in); }, joined(1, at_least_one))
        .pytorch("lambda *x: torch.hstack(x)")
        .inputs(normal({2, 3}), normal({2, 1}))
        .inputs(normal({3}), normal({2}))
        .inputs(normal({0}), normal({2}))
        .error<ValueError>([] { hstack(std::span<const Tensor>{}); }, "hstack: needs at least one tensor")
        .check();
[[maybe_unused]] const bool vstack_cases =
    joining(OpCases("vstack"))
        .on([](In in) { return vstack(in); }, joined(0, at_least_two))
        .pytorch("lambda *x: torch.vstack(x)")
        .inputs(normal({2, 3}), normal({3}))
        .inputs(normal({}), normal({}))
        .inputs(normal({0, 3}), normal({2, 3}))
        .error<ValueError>([] { vstack(std::span<const Tensor>{}); }, "vstack: needs at least one tensor")
        .check();
[[maybe_unused]] const bool dstack_cases =
    joining(OpCases("dstack"))
        .on([](In in) { return dstack(in); }, joined(2, at_least_three))
        .pytorch("lambda *x: torch.dstack(x)")
        .inputs(normal({2, 3}), normal({2, 3, 2}))
        .inputs(normal({3}), normal({3}))
        .inputs(normal({0, 3}), normal({0, 3}))
        .error<ValueError>([] { dstack(std::span<const Tensor>{}); }, "dstack: needs at least one tensor")
        .check();
[[maybe_unused]] const bool column_stack_cases =
    joining(OpCases("column_stack"))
        .on([](In in) { return column_stack(in); }, joined(1, column))
        .pytorch("lambda *x: torch.column_stack(x)")
        .inputs(normal({3}), normal({3, 2}))
        .inputs(normal({0}), normal({0}))
        .error<ValueError>([] { column_stack(std::span<const Tensor>{}); }, "column_stack: needs at least one tensor")
        .check();

/// Pieces of the columns that start at these positions.
std::vector<Doubles> pieces(const Doubles& x, const std::vector<std::int64_t>& starts) {
  std::vector<Doubles> all;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    all.push_back(gather(x, {x.shape[0], starts[i + 1] - starts[i]},
                         [&](const Shape& at) { return Shape{at[0], at[1] + starts[i]}; }));
  return all;
}

[[maybe_unused]] const bool tensor_split_cases =
    moving(OpCases("tensor_split"))
        .on([](In in) { return tensor_split(in[0], 3, 1); },
            [](Lists in) {
              const std::int64_t n = in[0].shape[1];
              return pieces(in[0], {0, (n + 2) / 3, (n + 2) / 3 + (n + 1) / 3, n});
            })
        .pytorch("lambda x: torch.tensor_split(x, 3, 1)")
        .inputs(normal({2, 7}))
        .inputs(normal({2, 2}))
        .inputs(normal({0, 4}))
        .huge([](auto n) { tensor_split(ones({2, 3}), n); })
        .huge([](auto n) { tensor_split(ones({2, 3}), 1, n); })
        .error<IndexError>([] { tensor_split(sized({2}), 1, 1); },
                           "tensor_split: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { tensor_split(sized({}), 1); },
                           "tensor_split: x has no dimension to split, got float32 []")
        .error<ValueError>([] { tensor_split(sized({2}), 0); }, "tensor_split: count must be positive, got 0")
        .check();

[[maybe_unused]] const bool tensor_split_at_cases =
    moving(OpCases("tensor_split_at"))
        .on([](In in) { return tensor_split_at(in[0], {1, 4}, 1); },
            [](Lists in) { return pieces(in[0], {0, 1, 4, in[0].shape[1]}); })
        .pytorch("lambda x: torch.tensor_split(x, (1, 4), 1)")
        .inputs(normal({2, 7}))
        .inputs(normal({0, 4}))
        .huge([](auto n) { tensor_split_at(ones({2, 3}), {n}); })
        .huge([](auto n) { tensor_split_at(ones({2, 3}), {1}, n); })
        .error<IndexError>([] { tensor_split_at(sized({2}), {1}, 1); },
                           "tensor_split_at: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { tensor_split_at(sized({}), {1}); },
                           "tensor_split_at: x has no dimension to split, got float32 []")
        .check();

[[maybe_unused]] const bool broadcast_tensors_cases =
    moving(OpCases("broadcast_tensors"))
        .on([](In in) { return broadcast_tensors(in); },
            [](Lists in) {
              const Shape shape = broadcast(in[0].shape, in[1].shape, "reference");
              return std::vector{broadcast_to(in[0], shape), broadcast_to(in[1], shape)};
            })
        .pytorch("lambda *x: torch.broadcast_tensors(*x)")
        .inputs(normal({2, 1}), normal({3}))
        .inputs(normal({0, 1}), normal({3}))
        .error<ShapeError>(
            [] { broadcast_tensors(std::vector{sized({2}), sized({3})}); },
            "broadcast_tensors: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

}  // namespace
}  // namespace minima::shape_test
