#include <minima/ops/view/view.h>

#include "tests/ops/view/moving.h"
#include "tests/ops/view/viewing.h"

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <vector>

namespace minima::view_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

using Index = const Shape&;

Tensor x() { return empty({2, 3, 4}); }

[[maybe_unused]] const bool cases[] = {
    OpCases("reshape")
        .also_calls("view")
        .dtypes(all_dtypes())
        .on([](In in) { return reshape(in[0], {4, -1}); }, reshaped({4, 6}), "[4, -1]")
        .inputs(normal({2, 3, 4}))
        .inputs(normal({1, 24}))
        .on([](In in) { return reshape(in[0], {}); }, reshaped({}), "[]")
        .inputs(normal({1, 1}))
        .on([](In in) { return reshape(in[0], {3, 0}); }, reshaped({3, 0}), "[3, 0]")
        .inputs(normal({0, 7}))
        .on([](In in) { return reshape(in[0], {-1}); }, reshaped({45000}), "[-1]")
        .inputs(normal({3, 100, 150}))
        .huge([](auto v) { reshape(ones({2, 3, 4}), {v}); })
        .huge([](auto v) { reshape(ones({2, 3, 4}), {v, -1}); })
        .huge([](auto v) { reshape(empty({0}, {.dtype = int64}), {0, v}); })
        .huge([](auto v) { reshape(empty({0}, {.dtype = int64}), {v, v, 0}); })
        .error<ShapeError>([] { reshape(x(), {5, 5}); }, "reshape: 24 elements do not fill shape [5, 5]")
        .error<ValueError>([] { reshape(x(), {-1, -1}); }, "reshape: only one size may be -1, got [-1, -1]")
        .error<ShapeError>(
            [] { view(transpose(x(), 0, 2), {24}); },
            "view: strides [1, 4, 12] of float32 [4, 3, 2] do not allow shape [24] without a copy; use reshape")
        .error<ShapeError>([] { reshape(empty({2, 3}), {4}); }, "reshape: 6 elements do not fill shape [4]")
        .error<ValueError>([] { reshape(empty({2, 3}), {-2, -3}); }, "reshape: size -2 in [-2, -3]")
        .error<ValueError>([] { reshape(empty({0}), {-1, 0}); },
                           "reshape: the -1 in [-1, 0] is ambiguous with a size of 0")
        .error<ShapeError>([] { reshape(empty({2, 3}), {4, -1}); }, "reshape: 6 elements do not fill shape [4, -1]")
        .check(),
    viewing(
        OpCases("permute"), {2, 3, 4}, [](const Tensor& t) { return permute(t, {2, 0, -2}); }, {4, 2, 3},
        [](Index i) { return Shape{i[1], i[2], i[0]}; })
        .huge([](auto v) { permute(ones({2, 3, 4}), {v, 0, 1}); })
        .error<ShapeError>([] { permute(x(), {0, 1}); },
                           "permute: an order of 2 dimensions for a tensor of shape [2, 3, 4]")
        .error<ValueError>([] { permute(x(), {0, 1, 1}); }, "permute: dimension 1 appears twice in [0, 1, 1]")
        .error<ShapeError>([] { permute(empty({2, 3}), {0}); },
                           "permute: an order of 1 dimensions for a tensor of shape [2, 3]")
        .error<ValueError>([] { permute(empty({2, 3}), {0, 0}); }, "permute: dimension 0 appears twice in [0, 0]")
        .error<IndexError>([] { permute(empty({2, 3}), {0, 2}); },
                           "permute: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .check(),
    viewing(
        OpCases("transpose"), {2, 3, 4}, [](const Tensor& t) { return transpose(t, 0, -1); }, {4, 3, 2},
        [](Index i) { return Shape{i[2], i[1], i[0]}; })
        .huge([](auto v) { transpose(ones({2, 3, 4}), v, 0); })
        .huge([](auto v) { transpose(ones({2, 3, 4}), 0, v); })
        .error<IndexError>([] { transpose(x(), 0, 3); },
                           "transpose: dimension 3 is out of range for a tensor of rank 3; use -3 to 2")
        .error<IndexError>([] { transpose(empty({2, 3}), 0, 2); },
                           "transpose: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { transpose(empty({2, 3}), -3, 0); },
                           "transpose: dimension -3 is out of range for a tensor of rank 2; use -2 to 1")
        .check(),
    viewing(
        OpCases("t"), {2, 3}, [](const Tensor& x) { return t(x); }, {3, 2}, [](Index i) { return Shape{i[1], i[0]}; })
        .error<ShapeError>([] { t(x()); }, "t: needs at most two dimensions, got float32 [2, 3, 4]; use transpose")
        .error<ShapeError>([] { t(empty({1, 2, 3})); },
                           "t: needs at most two dimensions, got float32 [1, 2, 3]; use transpose")
        .check(),
    viewing(
        OpCases("expand"), {3, 1}, [](const Tensor& t) { return expand(t, {2, -1, 4}); }, {2, 3, 4},
        [](Index i) { return Shape{i[1], 0}; })
        .huge([](auto v) { expand(ones({2, 3, 4}), {v, 2, 3, 4}); })
        .huge([](auto v) { expand(ones({1, 1}), {v, v}); })
        .huge([](auto v) { expand(ones({0, 1, 1}), {0, v, v}); })
        .error<ShapeError>([] { expand(empty({3}), {4}); },
                           "expand: cannot expand [3] to [4]: dimension 0 is 3, and only a size of 1 can grow")
        .error<ShapeError>([] { expand(x(), {4}); }, "expand: [2, 3, 4] has more dimensions than the target [4]")
        .error<ShapeError>([] { expand(empty({2, 3}), {3}); }, "expand: [2, 3] has more dimensions than the target [3]")
        .error<ShapeError>([] { expand(empty({2, 3}), {2, 4}); },
                           "expand: cannot expand [2, 3] to [2, 4]: dimension 1 is 3, and only a size of 1 can grow")
        .error<ValueError>([] { expand(empty({3}), {-1, 3}); }, "expand: size -1 in [-1, 3]")
        .error<ValueError>([] { expand(empty({3}), {-2}); }, "expand: size -2 in [-2]")
        .error<ValueError>([] { expand(empty({1}), {-5}); }, "expand: size -5 in [-5]")
        .check(),
    viewing(
        OpCases("unsqueeze"), {2, 3}, [](const Tensor& t) { return unsqueeze(t, -1); }, {2, 3, 1},
        [](Index i) { return Shape{i[0], i[1]}; })
        .huge([](auto v) { unsqueeze(ones({2, 3, 4}), v); })
        .error<IndexError>([] { unsqueeze(x(), 4); },
                           "unsqueeze: dimension 4 is out of range for a tensor of rank 4; use -4 to 3")
        .error<IndexError>([] { unsqueeze(empty({1}), 2); },
                           "unsqueeze: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { unsqueeze(empty({1}), -3); },
                           "unsqueeze: dimension -3 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { unsqueeze(empty({1}), std::int64_t(1) << 32); },
                           "unsqueeze: dimension 4294967296 is out of range for a tensor of rank 2; use -2 to 1")
        .check(),
    viewing(
        OpCases("squeeze"), {1, 3, 1, 2}, [](const Tensor& t) { return squeeze(t); }, {3, 2},
        [](Index i) { return Shape{0, i[0], 0, i[1]}; })
        .on([](In in) { return squeeze(in[0], 0); }, reshaped({3, 1}), "dim 0")
        .inputs(normal({1, 3, 1}))
        .huge([](auto v) { squeeze(ones({2, 3, 4}), v); })
        .error<IndexError>([] { squeeze(empty({1}), 1); },
                           "squeeze: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { squeeze(empty({1}), std::int64_t(1) << 32); },
                           "squeeze: dimension 4294967296 is out of range for a tensor of rank 1; use -1 to 0")
        .check(),
    viewing(
        OpCases("flatten"), {2, 3, 2, 2}, [](const Tensor& t) { return flatten(t, 1); }, {2, 12},
        [](Index i) { return Shape{i[0], i[1] / 4, i[1] / 2 % 2, i[1] % 2}; })
        .on([](In in) { return flatten(in[0]); }, reshaped({1}), "rank 0")
        .inputs(normal({}))
        .huge([](auto v) { flatten(ones({2, 3, 4}), v); })
        .huge([](auto v) { flatten(ones({2, 3, 4}), 0, v); })
        .error<ValueError>([] { flatten(x(), 2, 1); }, "flatten: dimension 2 does not come before 1 in [2, 3, 4]")
        .error<ValueError>([] { flatten(empty({2, 3}), 1, 0); },
                           "flatten: dimension 1 does not come before 0 in [2, 3]")
        .error<IndexError>([] { flatten(empty({2, 3}), 0, 2); },
                           "flatten: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { flatten(empty(Shape{}), 3, 5); },
                           "flatten: dimension 3 is out of range for a tensor of rank 0; use -1 to 0")
        .check(),
    OpCases("as_strided")
        .dtypes(all_dtypes())
        .without("large", "no element moves")
        .without("empty", "nothing to reach")
        .on(
            [](In in) {
              if (!in[0].defined()) return as_strided(in[0], {});
              // Overlapping windows of two, whatever the strides; elements that share memory have no gradient here.
              const Tensor base = in[0].layout().may_overlap() ? clone(in[0]) : in[0];
              const std::int64_t step = base.strides()[0];
              return as_strided(base, {{4, 2}, {step, step}, base.layout().offset});
            },
            [](const std::vector<Doubles>& in) {
              return gather(in[0], {4, 2}, [](Index i) { return Shape{i[0] + i[1]}; });
            },
            "windows")
        .inputs(normal({5}))
        .huge([](auto v) { as_strided(ones({2, 3, 4}), Layout{{v}, {1}, 0}); })
        .huge([](auto v) { as_strided(ones({2, 3, 4}), Layout{{2}, {v}, 0}); })
        .huge([](auto v) { as_strided(ones({2, 3, 4}), Layout{{2}, {1}, v}); })
        .huge([](auto v) { as_strided(ones({2, 3, 4}), Layout{{v, v}, {0, 0}, 0}); })
        .huge([](auto v) { as_strided(ones({2, 3, 4}), Layout{{0, 2}, {v, v}, v})[0]; })
        .huge([](auto v) { unsqueeze(as_strided(ones({2, 3, 4}), Layout{{1}, {v}, 0}), 0); })
        .error<IndexError>(
            [] { as_strided(x(), {{5, 5}, {5, 1}, 0}); },
            "as_strided: shape [5, 5] with strides [5, 1] and offset 0 reaches past the storage of float32 "
            "[2, 3, 4]")
        .error<AutogradError>(
            [] {
              Tensor leaf = x().detach();
              as_strided(leaf.requires_grad(true)[1], {{2}, {1}, 0});
            },
            "as_strided: shape [2] with strides [1] and offset 0 reaches elements outside float32 [3, 4], which have "
            "no gradient; take the view from its base")
        .error<IndexError>([] { as_strided(empty({2}), Layout{{2, 2}, {1, 1}, 0}); },
                           "as_strided: shape [2, 2] with strides [1, 1] and offset 0 reaches past the storage of "
                           "float32 [2]")
        .error<ValueError>([] { as_strided(empty({2}), Layout{{2}, {1}, -1}); },
                           "as_strided: strides [1] and offset -1 of shape [2] must not be negative")
        .error<ValueError>([] { as_strided(empty({2}), Layout{{-2}, {1}, 0}); }, "as_strided: size -2 in shape [-2]")
        .error<ShapeError>([] { as_strided(empty({2}), Layout{{2, 2}, {1}, 0}); },
                           "as_strided: needs a stride for each dimension of shape [2, 2], got [1]")
        .check(),
};

[[maybe_unused]] const bool movedim_cases =
    composing(OpCases("movedim"))
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
    composing(OpCases("unflatten"))
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
    composing(OpCases("atleast_1d"))
        .on([](In in) { return atleast_1d(in[0]); }, with_shape(at_least_one))
        .pytorch("torch.atleast_1d")
        .inputs(normal({}))
        .inputs(normal({0}))
        .inputs(normal({2, 3}))
        .without("errors", "takes every tensor")
        .check();
[[maybe_unused]] const bool atleast_2d_cases =
    composing(OpCases("atleast_2d"))
        .on([](In in) { return atleast_2d(in[0]); }, with_shape(at_least_two))
        .pytorch("torch.atleast_2d")
        .inputs(normal({}))
        .inputs(normal({0}))
        .inputs(normal({3}))
        .without("errors", "takes every tensor")
        .check();
[[maybe_unused]] const bool atleast_3d_cases =
    composing(OpCases("atleast_3d"))
        .on([](In in) { return atleast_3d(in[0]); }, with_shape(at_least_three))
        .pytorch("torch.atleast_3d")
        .inputs(normal({}))
        .inputs(normal({0}))
        .inputs(normal({3}))
        .inputs(normal({2, 3}))
        .without("errors", "takes every tensor")
        .check();

[[maybe_unused]] const bool broadcast_tensors_cases =
    composing(OpCases("broadcast_tensors"))
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

TEST(Views, OfAnExpandedTensorPassGradientsOnce) {
  const Tensor x = tensor<double>({1, 2}).requires_grad(true);
  const Tensor wide = expand(x, {3, 2});
  const auto slope = [&](const Tensor& y) {
    return grad({sum(y)}, {x}, {}, {.retain_graph = true})[0].to_vector<double>();
  };
  EXPECT_EQ(slope(slice(wide, 0, 1)), (std::vector<double>{2, 2}));
  EXPECT_EQ(slope(wide[0]), (std::vector<double>{1, 1}));
  EXPECT_EQ(slope(select(wide, 1, 0)), (std::vector<double>{3, 0}));
  EXPECT_THROW(as_strided(wide, {{2}, {1}, 0}), AutogradError);
}

TEST(Views, ShareMemoryAndVersion) {
  const Tensor base = empty({4, 4});
  for (const Tensor& v : {view(base, {16}), transpose(base, 0, 1), base[1], slice(base, 0, 1, 3), unsqueeze(base, 0)}) {
    EXPECT_EQ(v.impl()->storage.get(), base.impl()->storage.get());
    EXPECT_EQ(v.version(), base.version());
  }
}

TEST(Views, TakeTheShapeAndTheDtypeOfAnother) {
  const Tensor x = arange(6, {.dtype = float32}), other = empty({2, 3}, {.dtype = float64});
  EXPECT_EQ(view_as(x, other).shape(), other.shape());
  EXPECT_EQ(expand_as(tensor<float>({1, 2, 3}), other).strides(), (Strides{0, 1}));
  EXPECT_EQ(type_as(x, other).dtype(), float64);
  EXPECT_TRUE(type_as(x, x).is_same(x));
}

TEST(Views, OfTensorsInBracesBroadcast) {
  const auto both = broadcast_tensors({ones({2, 1}), ones({3})});
  EXPECT_EQ(both[0].shape(), (Shape{2, 3}));
  EXPECT_EQ(both[1].shape(), (Shape{2, 3}));
}

[[maybe_unused]] const bool view_calls = FunctionCases("view")
                                             .huge([](auto v) { view(ones({2, 3, 4}), {v, 2}); })
                                             .undefined([](const Tensor& none) { view(none, {4}); })
                                             .check();

}  // namespace
}  // namespace minima::view_test
