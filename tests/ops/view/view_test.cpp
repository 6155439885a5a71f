#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/observer.h>

#include <gtest/gtest.h>
#include <algorithm>
#include <string>
#include <vector>

namespace minima::view_test {
namespace {

using namespace test;

using Index = const Shape&;

/// A table for one view, given its shape and the source of each of its elements.
OpCases viewing(OpCases table, const Shape& input, const std::function<Tensor(const Tensor&)>& op, const Shape& shape,
                const std::function<Shape(Index)>& from) {
  return table.dtypes(all_dtypes())
      .without("large", "no element moves")
      .without("empty", "rows below, where the view has a meaning for it")
      .on([op](In in) { return op(in[0]); },
          [shape, from](const std::vector<Doubles>& in) { return gather(in[0], shape, from); })
      .inputs(normal(input));
}

/// The elements in row-major order under another shape.
Reference reshaped(const Shape& shape) {
  return [shape](const std::vector<Doubles>& in) { return std::vector{Doubles(shape, in[0].values)}; };
}

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
        OpCases("slice"), {7, 3}, [](const Tensor& t) { return slice(t, 0, 1, -1, 2); }, {3, 3},
        [](Index i) { return Shape{1 + 2 * i[0], i[1]}; })
        .on([](In in) { return slice(in[0], 1, 5, 2); }, reshaped({4, 0}), "nothing left")
        .inputs(given({4, 0}, {}))
        .error<ValueError>([] { slice(x(), 0, 0, 2, 0); }, "slice: step must be at least 1, got 0")
        .error<ShapeError>([] { slice(empty(Shape{}), 0, 0); }, "slice: a tensor of rank 0 has no dimension to slice")
        .error<IndexError>([] { slice(empty({3}), 1, 0); },
                           "slice: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ValueError>([] { slice(empty({3}), 0, 0, 3, -1); }, "slice: step must be at least 1, got -1")
        .check(),
    viewing(
        OpCases("narrow"), {5, 2}, [](const Tensor& t) { return narrow(t, 0, -4, 3); }, {3, 2},
        [](Index i) { return Shape{i[0] + 1, i[1]}; })
        .error<IndexError>([] { narrow(x(), 1, 2, 2); },
                           "narrow: start 2 with length 2 is out of range for dimension 1 of [2, 3, 4]")
        .error<IndexError>([] { narrow(empty({3}), 0, 2, 2); },
                           "narrow: start 2 with length 2 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { narrow(empty({3}), 1, 0, 1); },
                           "narrow: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { narrow(empty(Shape{}), 0, 0, 1); },
                           "narrow: x must have at least one dimension, got float32 []")
        .error<IndexError>([] { narrow(empty({3}), 0, -4, 1); },
                           "narrow: start -1 with length 1 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { narrow(empty({3}), 0, 1, -1); },
                           "narrow: start 1 with length -1 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { narrow(empty({3}), 0, 1, INT64_MAX); },
                           "narrow: start 1 with length 9223372036854775807 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { narrow(empty({3}), 0, 0, INT64_MIN); },
                           "narrow: start 0 with length -9223372036854775808 is out of range for dimension 0 of [3]")
        .check(),
    viewing(
        OpCases("select"), {2, 3, 4}, [](const Tensor& t) { return select(t, 1, -1); }, {2, 4},
        [](Index i) { return Shape{i[0], 2, i[1]}; })
        .error<IndexError>([] { x()[2]; }, "select: index 2 is out of range for dimension 0 of [2, 3, 4]")
        .error<IndexError>([] { select(empty({3}), 1, 0); },
                           "select: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { select(empty({3}), 0, 3); }, "select: index 3 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { select(empty({3}), 0, -4); }, "select: index -4 is out of range for dimension 0 of [3]")
        .error<ShapeError>([] { select(empty(Shape{}), 0, 0); }, "select: a tensor of rank 0 has no dimension to index")
        .check(),
    viewing(
        OpCases("expand"), {3, 1}, [](const Tensor& t) { return expand(t, {2, -1, 4}); }, {2, 3, 4},
        [](Index i) { return Shape{i[1], 0}; })
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
    OpCases("split")
        .also_calls("chunk")
        .also_calls("split_with_sizes")
        .dtypes(all_dtypes())
        .without("large", "no element moves")
        .without("empty", "below")
        .on([](In in) { return split(in[0], 2, 1); },
            [](const std::vector<Doubles>& in) {
              return std::vector{gather(in[0], {3, 2}, [](Index i) { return Shape{i[0], i[1]}; }),
                                 gather(in[0], {3, 2}, [](Index i) { return Shape{i[0], i[1] + 2}; }),
                                 gather(in[0], {3, 1}, [](Index i) { return Shape{i[0], 4}; })};
            },
            "size 2")
        .inputs(normal({3, 5}))
        .on([](In in) { return chunk(in[0], 3); },
            [](const std::vector<Doubles>& in) {
              return std::vector{gather(in[0], {2}, [](Index i) { return i; }),
                                 gather(in[0], {2}, [](Index i) { return Shape{i[0] + 2}; })};
            },
            "3 chunks")
        .inputs(normal({4}))
        .on([](In in) { return split_with_sizes(in[0], {1, 0, 3}, -1); },
            [](const std::vector<Doubles>& in) {
              return std::vector{gather(in[0], {2, 1}, [](Index i) { return Shape{i[0], i[1]}; }),
                                 gather(in[0], {2, 0}, [](Index i) { return Shape{i[0], i[1]}; }),
                                 gather(in[0], {2, 3}, [](Index i) { return Shape{i[0], i[1] + 1}; })};
            },
            "sizes 1, 0, 3")
        .inputs(normal({2, 4}))
        .error<ValueError>([] { split_with_sizes(x(), {1}); },
                           "split_with_sizes: sizes must not be negative and add up to 2, the size of dimension 0 of "
                           "float32 [2, 3, 4]")
        .error<ValueError>([] { split_with_sizes(x(), {-1, 3}); },
                           "split_with_sizes: sizes must not be negative and add up to 2, the size of dimension 0 of "
                           "float32 [2, 3, 4]")
        .error<ValueError>([] { split(x(), 0); }, "split: size must be at least 1, got 0")
        .error<ValueError>([] { chunk(x(), 0); }, "chunk: count must be at least 1, got 0")
        .error<IndexError>([] { split(empty({3}), 1, 1); },
                           "split: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { split(empty(Shape{}), 1); },
                           "split: x must have at least one dimension, got float32 []")
        .check(),
};

TEST(Split, WritesTheGradientOnce) {
  struct Names final : Observer {
    void begin(const char* op, Cost) override { all.emplace_back(op); }
    void end() noexcept override {}
    std::vector<std::string> all;
  } names;
  const Tensor x = randn({2, 6, 4}).requires_grad(true);
  const std::vector<Tensor> pieces = chunk(transpose(x, 1, 2), 3, 2);
  const Tensor y = sum(pieces[0] * pieces[1]);  // nothing uses the last one
  Observer* const outer = set_observer(&names);
  y.backward();
  set_observer(outer);
  EXPECT_EQ(std::count(names.all.begin(), names.all.end(), "split_gradient"), 1);
  EXPECT_EQ(std::count(names.all.begin(), names.all.end(), "slice_gradient"), 0);
  EXPECT_EQ(slice(x.grad(), 1, 4, 6).to_vector<float>(), std::vector<float>(16));
  EXPECT_EQ(slice(x.grad(), 1, 0, 2).to_vector<float>(), slice(x, 1, 2, 4).to_vector<float>());
}

TEST(Split, OfAPieceChangedInPlace) {
  const Tensor x = tensor<double>({1, 2, 3, 4}).requires_grad(true), y = x * 1;
  std::vector<Tensor> pieces = split(y, 2);
  pieces[0] *= 10;
  EXPECT_EQ(grad({sum(y * y)}, {x}, {}, {.retain_graph = true})[0].to_vector<double>(),
            (std::vector<double>{200, 400, 6, 8}));
  EXPECT_EQ(grad({sum(pieces[0]) + sum(pieces[1])}, {x})[0].to_vector<double>(), (std::vector<double>{10, 10, 1, 1}));
}

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

}  // namespace
}  // namespace minima::view_test
