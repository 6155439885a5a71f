#include <minima/ops/arrange/arrange.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/inplace/in_place.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::arrange_test {
namespace {

using namespace test;

/// y[at] = in[0][from(at)], or `value` where from says "nowhere" (an empty shape for rank > 0).
template <class F>
Doubles arranged(const Doubles& x, const Shape& shape, const F& from, double value = 0) {
  Doubles y(shape);
  each_index(shape, [&](const Shape& at) {
    const Shape source = from(at);
    y[at] = source.rank() == x.shape.rank() ? x[source] : value;
  });
  return y;
}
Shape with(Shape at, int dim, std::int64_t index) {
  at[dim] = index;
  return at;
}

OpCases moving(OpCases cases) {
  cases.dtypes(all_dtypes());
  return cases;
}
OpCases arranging(OpCases cases) {
  cases = moving(std::move(cases));
  cases.without("hidden", "it is made of other operators");
  return cases;
}

[[maybe_unused]] const bool index_select_cases =
    arranging(OpCases("index_select"))
        .on([](In in) { return index_select(in[0], 1, in[1]); },
            [](const std::vector<Doubles>& in) {
              return arranged(in[0], with(in[0].shape, 1, in[1].shape[0]), [&](const Shape& at) {
                return with(at, 1, static_cast<std::int64_t>(in[1].values[static_cast<std::size_t>(at[1])]));
              });
            })
        .inputs(normal({3, 4}), given({5}, {0, 3, 1, 1, 2}).as(DType::int64))
        .inputs(normal({2, 3, 2}), given({2}, {2, 0}).as(DType::int64))
        .inputs(normal({2, 3}), given({0}, {}).as(DType::int64))
        .inputs(normal({300, 200}), whole({150}, 0, 200).as(DType::int64))
        .error<DTypeError>([] { index_select(empty({2, 3}), 0, empty({2})); },
                           "index_select: index must be an int64 vector, got float32 [2]; convert it with to()")
        .error<IndexError>([] { index_select(empty({2, 3}), 2, zeros({1}, {.dtype = DType::int64})); },
                           "index_select: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { index_select(empty({2, 3}), 0, from_vector<std::int64_t>({2}, {1})); },
                           "index_select: index[0] is 2, but dimension 0 has size 2")
        .error<IndexError>([] { index_select(empty({2, 3}), 0, from_vector<std::int64_t>({-1}, {1})); },
                           "index_select: index[0] is -1, but dimension 0 has size 2")
        .error<ShapeError>([] { index_select(empty({2, 3}), 0, zeros({1, 1}, {.dtype = DType::int64})); },
                           "index_select: index must be a vector, with one element if x is a scalar, got int64 "
                           "[1, 1] for x float32 [2, 3]")
        .error<ShapeError>([] { index_select(empty(Shape{}), 0, zeros({2}, {.dtype = DType::int64})); },
                           "index_select: index must be a vector, with one element if x is a scalar, got int64 "
                           "[2] for x float32 []")
        .check();

[[maybe_unused]] const bool masked_fill_cases =
    arranging(OpCases("masked_fill"))
        .on([](In in) { return masked_fill(in[0], in[1], 3); },
            [](const std::vector<Doubles>& in) {
              return arranged(
                  in[0], in[0].shape, [&](const Shape& at) { return in[1][Shape{at[1]}] != 0 ? Shape() : at; }, 3);
            })
        .inputs(normal({3, 4}), given({4}, {1, 0, 0, 1}).as(DType::boolean))
        .inputs(normal({0, 4}), given({4}, {1, 0, 0, 1}).as(DType::boolean))
        .inputs(normal({300, 200}), whole({200}, 0, 2).as(DType::boolean))
        .result_dtype([](DType dtype) { return dtype; })
        .error<DTypeError>([] { masked_fill(empty({2}), empty({2}), 0); },
                           "masked_fill: mask must be bool, got float32 [2]; use a comparison, such as x > 0")
        .error<ShapeError>([] { masked_fill(empty({2}), zeros({3}, {.dtype = DType::boolean}), 0); },
                           "masked_fill: shapes [3] and [2] do not broadcast: sizes 3 and 2 differ and neither is 1")
        .error<ShapeError>([] { masked_fill_(empty({2}), zeros({3, 2}, {.dtype = DType::boolean}), 0); },
                           "masked_fill_: the result has shape [3, 2], but the tensor changed in place is float32 [2]")
        .error<DTypeError>([] { masked_fill_(empty({2}), empty({2}), 0); },
                           "masked_fill: mask must be bool, got float32 [2]; use a comparison, such as x > 0")
        .error<ValueError>(
            [] { masked_fill(zeros({2}, {.dtype = DType::uint8}), zeros({2}, {.dtype = DType::boolean}), 300); },
            "masked_fill: uint8 cannot hold 300; choose another value or dtype")
        .check();

[[maybe_unused]] const bool flip_cases =
    arranging(OpCases("flip"))
        .on([](In in) { return flip(in[0], {0, -1}); },
            [](const std::vector<Doubles>& in) {
              const Shape& shape = in[0].shape;
              const int last = shape.rank() - 1;
              return arranged(in[0], shape, [&](const Shape& at) {
                const Shape first = with(at, 0, shape[0] - 1 - at[0]);
                return last == 0 ? first : with(first, last, shape[last] - 1 - at[last]);
              });
            },
            "first and last")
        .inputs(normal({3, 4}))
        .inputs(normal({2, 3, 2}))
        .inputs(normal({0, 4}))
        .inputs(normal({300, 200}))
        .error<IndexError>([] { flip(empty({2, 3}), {2}); },
                           "flip: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { flip(empty({2, 3}), {0, 0}); }, "flip: a dimension appears twice in [0, 0]")
        .error<ValueError>([] { flip(empty({2, 3}), {0, -2}); }, "flip: a dimension appears twice in [0, -2]")
        .check();

[[maybe_unused]] const bool roll_cases = [] {
  OpCases cases = moving(OpCases("roll"));
  cases.result_layout(ResultLayout::like_input);
  for (const std::int64_t shift : {1, -2, 7}) {
    cases
        .on([=](In in) { return roll(in[0], shift, 0); },
            [=](const std::vector<Doubles>& in) {
              const std::int64_t n = in[0].shape[0];
              return arranged(in[0], in[0].shape,
                              [&](const Shape& at) { return with(at, 0, (((at[0] - shift) % n) + n) % n); });
            },
            "by " + std::to_string(shift))
        .inputs(normal({5, 2}))
        .inputs(normal({3}))
        .inputs(normal({0, 2}));
    if (shift == 7) cases.inputs(normal({300, 200}));
  }
  cases
      .on([](In in) { return roll(in[0], -4, 2); },
          [](const std::vector<Doubles>& in) {
            const std::int64_t n = in[0].shape[2];
            return arranged(in[0], in[0].shape, [&](const Shape& at) { return with(at, 2, (at[2] + 4) % n); });
          },
          "third dimension")
      .inputs(normal({2, 3, 3, 2}))
      .inputs(normal({2, 3, 1, 2}));
  return cases
      .error<IndexError>([] { roll(empty({2, 3}), 1, 2); },
                         "roll: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
      .error<ShapeError>([] { roll(empty(Shape{}), 1, 0); }, "roll: x has no dimension to roll, got float32 []")
      .check();
}();

[[maybe_unused]] const bool repeat_cases =
    arranging(OpCases("repeat"))
        .on([](In in) { return repeat(in[0], {2, 1, 3}); },
            [](const std::vector<Doubles>& in) {
              const Shape& x = in[0].shape;
              return arranged(in[0], {2, x[0], 3 * x[1]}, [&](const Shape& at) { return Shape{at[1], at[2] % x[1]}; });
            },
            "2, 1, 3")
        .inputs(normal({2, 3}))
        .inputs(normal({1, 1}))
        .inputs(normal({0, 3}))
        .inputs(normal({300, 200}))
        .error<ShapeError>([] { repeat(empty({2, 3}), {2}); },
                           "repeat: needs a count for each dimension of x float32 [2, 3], got [2]")
        .error<ValueError>([] { repeat(empty({2}), {-1}); }, "repeat: counts must not be negative, got [-1]")
        .error<ValueError>([] { repeat(empty({2, 3}), {2, -1}); }, "repeat: counts must not be negative, got [2, -1]")
        .check();

[[maybe_unused]] const bool repeat_interleave_cases =
    arranging(OpCases("repeat_interleave"))
        .on([](In in) { return repeat_interleave(in[0], 3, 1); },
            [](const std::vector<Doubles>& in) {
              return arranged(in[0], with(in[0].shape, 1, 3 * in[0].shape[1]),
                              [](const Shape& at) { return with(at, 1, at[1] / 3); });
            })
        .inputs(normal({2, 3}))
        .inputs(normal({2, 0}))
        .inputs(normal({300, 200}))
        .error<ValueError>([] { repeat_interleave(empty({2}), -1, 0); },
                           "repeat_interleave: count must not be negative, got -1")
        .error<IndexError>([] { repeat_interleave(empty({2}), 2, 1); },
                           "repeat_interleave: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { repeat_interleave(empty(Shape{}), 2, 0); },
                           "repeat_interleave: x has no dimension to repeat along, got float32 []; reshape it to {1}")
        .check();

template <class F>
bool triangle(OpCases cases, F f, bool lower) {
  cases = moving(std::move(cases));
  cases.result_layout(ResultLayout::row_major);
  const std::string name = cases.name();
  for (const std::int64_t diagonal : {0, 1, -2}) {
    cases
        .on([=](In in) { return f(in[0], diagonal); },
            [=](const std::vector<Doubles>& in) {
              return arranged(in[0], in[0].shape, [&](const Shape& at) {
                const std::int64_t distance = at[at.rank() - 1] - at[at.rank() - 2];
                return (lower ? distance <= diagonal : distance >= diagonal) ? at : Shape();
              });
            },
            "diagonal " + std::to_string(diagonal))
        .inputs(normal({4, 3}))
        .inputs(normal({2, 3, 5}))
        .inputs(normal({0, 3}))
        .inputs(normal({3, 0}));
    if (diagonal == 1) cases.inputs(normal({300, 210}));
  }
  return cases
      .error<ShapeError>([=] { f(empty({3}), 0); }, name + ": needs a matrix or a batch of them, got float32 [3]")
      .check();
}
[[maybe_unused]] const bool tril_cases =
    triangle(OpCases("tril"), [](const Tensor& x, std::int64_t d) { return tril(x, d); }, true);
[[maybe_unused]] const bool triu_cases =
    triangle(OpCases("triu"), [](const Tensor& x, std::int64_t d) { return triu(x, d); }, false);

TEST(Arrange, OneHotMarksTheClass) {
  const Tensor y = one_hot(from_vector<std::int64_t>({2, 0, 1, 1}, {2, 2}), 3);
  EXPECT_EQ(y.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(y.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0}));
}

TEST(Arrange, UnbindGivesViews) {
  const Tensor x = arange(6);
  const auto rows = unbind(Tensor(x).to(float32), 0);
  EXPECT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[4].rank(), 0);
  EXPECT_EQ(rows[4].item<float>(), 4);
}

TEST(Arrange, RepeatingOnceIsACopy) {
  const Tensor x = ones({2, 2});
  EXPECT_NE(repeat(x, {1, 1}).raw_data(), x.raw_data());
  EXPECT_NE(repeat(ones({1, 3}), {2, 1}).strides()[0], 0) << "a copy";
}

std::int64_t place(PadMode mode, std::int64_t i, std::int64_t n) {
  if (mode == PadMode::reflect) return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
  if (mode == PadMode::replicate) return std::min(std::max<std::int64_t>(i, 0), n - 1);
  return (i + n) % n;
}

[[maybe_unused]] const bool pad_cases = [] {
  OpCases cases = arranging(OpCases("pad"));
  const std::pair<PadMode, const char*> modes[] = {
      {PadMode::reflect, "reflect"}, {PadMode::replicate, "replicate"}, {PadMode::circular, "circular"}};
  for (const auto& named : modes) {
    const PadMode mode = named.first;
    cases
        .on([=](In in) { return pad(in[0], {1, 2, 2, 0}, mode); },
            [=](const std::vector<Doubles>& in) {
              const Shape& x = in[0].shape;
              const int row = x.rank() - 2, column = x.rank() - 1;
              return arranged(in[0], with(with(x, row, x[row] + 2), column, x[column] + 3), [&](const Shape& at) {
                return with(with(at, row, place(mode, at[row] - 2, x[row])), column,
                            place(mode, at[column] - 1, x[column]));
              });
            },
            named.second)
        .inputs(normal({3, 4}))
        .inputs(normal({2, 3, 3}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({300, 170}));
  }
  cases
      .on([](In in) { return pad(in[0], {1, -1, 2, 0}, PadMode::constant, 7); },
          [](const std::vector<Doubles>& in) {
            const Shape& x = in[0].shape;
            return arranged(
                in[0], {x[0] + 2, x[1]},
                [&](const Shape& at) { return at[0] < 2 || at[1] < 1 ? Shape() : Shape{at[0] - 2, at[1] - 1}; }, 7);
          },
          "constant, one column less")
      .inputs(normal({3, 4}))
      .inputs(normal({0, 2}))
      .inputs(normal({300, 170}));
  cases
      .on([](In in) { return pad(in[0], {0, 0, 2, -1, -1, 1, 0, 1}, PadMode::constant, 2); },
          [](const std::vector<Doubles>& in) {
            const Shape& x = in[0].shape;
            return arranged(
                in[0], {x[0] + 1, x[1], x[2] + 1, x[3]},
                [&](const Shape& at) {
                  const Shape from{at[0], at[1] + 1, at[2] - 2, at[3]};
                  return from[0] < x[0] && from[1] < x[1] && from[2] >= 0 ? from : Shape();
                },
                2);
          },
          "constant, images")
      .inputs(normal({1, 2, 3, 2}))
      .inputs(normal({2, 3, 1, 2}));
  return cases
      .error<ShapeError>([] { pad(empty({2, 3}), {1}); },
                         "pad: amounts must be pairs for at most the 2 dimensions of x float32 [2, 3], got [1]")
      .error<ShapeError>(
          [] { pad(empty({2, 3}), {3, 0}, PadMode::reflect); },
          "pad: dimension 1 of x float32 [2, 3] has too few elements to pad by 3 and 0 in this mode; at most 2")
      .error<ValueError>([] { pad(empty({2, 3}), {-1, 0}, PadMode::replicate); },
                         "pad: only mode constant accepts negative amounts, got {-1, 0}")
      .error<ShapeError>([] { pad(empty({2}), {-2, -1}); },
                         "pad: {-2, -1} removes more than dimension 0 of x float32 [2] has")
      .error<ShapeError>([] { pad(empty({2, 3}), {0, 4}, PadMode::circular); },
                         "pad: dimension 1 of x float32 [2, 3] has too few elements to pad by 0 and 4 in this mode; at "
                         "most 3")
      .error<ShapeError>([] { pad(empty({2, 0}), {1, 1}, PadMode::replicate); },
                         "pad: dimension 1 of x float32 [2, 0] has too few elements to pad by 1 and 1 in this mode; at "
                         "most 0")
      .error<ShapeError>([] { pad(empty({3}), {1, 1, 1, 1}); },
                         "pad: amounts must be pairs for at most the 1 dimensions of x float32 [3], got [1, 1, 1, 1]")
      .check();
}();

TEST(Arrange, PaddingTakesAnyNumberOfDimensions) {
  const Tensor x = reshape(arange(128), {2, 2, 2, 2, 2, 2, 2});
  Tensor expected = x;
  Shape amounts;
  for (int dim = 6; dim >= 0; --dim) {  // each by itself
    Shape one = Shape::filled(2 * (7 - dim), 0);
    one[2 * (6 - dim)] = dim % 2, one[2 * (6 - dim) + 1] = 1;
    expected = pad(expected, one, PadMode::constant, 5);
    amounts.push_back(dim % 2), amounts.push_back(1);
  }
  EXPECT_EQ(pad(x, amounts, PadMode::constant, 5).to_vector<std::int64_t>(), expected.to_vector<std::int64_t>());
}

TEST(Arrange, PaddingByNothingIsTheSameTensor) {
  const Tensor x = ones({2, 3});
  EXPECT_EQ(pad(x, {0, 0, 0, 0}).raw_data(), x.raw_data());
}

}  // namespace
}  // namespace minima::arrange_test
