#include <minima/ops/index/index.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::index_test {
namespace {

using namespace test;

Draw indices(const Shape& shape, double low, double high) { return whole(shape, low, high).as(int64); }
std::int64_t wrapped(double index, std::int64_t size) {
  const auto i = static_cast<std::int64_t>(index);
  return i < 0 ? i + size : i;
}
const Tensor x34 = zeros({3, 4}), mask3 = from_vector<std::int64_t>({1, 0, 1}, {3}) > 0;

OpCases indexing(OpCases cases) {
  cases.dtypes(all_dtypes()).without("hidden", "it is made of other operators");
  return cases;
}

[[maybe_unused]] const bool index_cases =
    indexing(OpCases("index"))
        .on([](In in) { return index(in[0], {everything, in[1]}); },
            [](const std::vector<Doubles>& in) {
              const Shape shape{in[0].shape[0], in[1].shape[0], in[1].shape[1]};
              return gather(in[0], shape, [&](const Shape& at) {
                return Shape{at[0], wrapped(in[1][{at[1], at[2]}], in[0].shape[1])};
              });
            },
            "[:, i]")
        .inputs(normal({3, 4}), indices({2, 3}, -4, 4))
        .inputs(normal({0, 4}), indices({2, 3}, -4, 4))
        .inputs(normal({3, 4}), indices({2, 0}, -4, 4))
        .inputs(normal({200, 300}), indices({40, 10}, -300, 300))
        .on([](In in) { return index(in[0], {in[1], Range{1, 3}, in[2]}); },
            [](const std::vector<Doubles>& in) {
              const Shape shape{in[2].shape[0], in[1].shape[1], 2};  // broadcast indices come in front
              return gather(in[0], shape, [&](const Shape& at) {
                return Shape{wrapped(in[1][{0, at[1]}], in[0].shape[0]), at[2] + 1,
                             wrapped(in[2][{at[0], 0}], in[0].shape[2])};
              });
            },
            "[i, 1:3, j]")
        .inputs(normal({4, 3, 5}), indices({1, 3}, -4, 4), indices({2, 1}, 0, 5))
        .on([](In in) { return index(in[0], {1, ellipsis, new_axis, Range{.step = 2}}); },
            [](const std::vector<Doubles>& in) {
              const Shape shape{in[0].shape[1], 1, (in[0].shape[2] + 1) / 2};
              return gather(in[0], shape, [&](const Shape& at) { return Shape{1, at[0], at[2] * 2}; });
            },
            "[1, ..., None, ::2]")
        .inputs(normal({3, 2, 5}))
        .huge([](auto v) { index(ones({2, 3, 4}), {v}); })
        .huge([](auto v) { index(ones({2, 3, 4}), {tensor<std::int64_t>({v})}); })
        .huge([](auto v) { index(ones({2, 3, 4}), {Range{v, v, 1}}); })
        .huge([](auto v) { index(ones({2, 3, 4}), {Range{{}, {}, v}}); })
        .undefined([](const Tensor& none) { index(ones({2, 2}), {none}); })
        .recorded("index.rows", "lambda x, i: x[i]", [](In in) { return index(in[0], {in[1]}); })
        .recorded("index.pair", "lambda x, i, j: x[i, :, j]",
                  [](In in) { return index(in[0], {in[1], everything, in[2]}); })
        .recorded("index.neighbours", "lambda x, i, j: x[:, i, j]",
                  [](In in) { return index(in[0], {everything, in[1], in[2]}); })
        .recorded("index.mask", "lambda x, m: x[m]", [](In in) { return index(in[0], {in[1]}); })
        .recorded("index.slices", "lambda x: x[1, ..., None, ::2]",
                  [](In in) { return index(in[0], {1, ellipsis, new_axis, Range{.step = 2}}); })
        .error<IndexError>([] { index(x34, {0, 0, 0}); },
                           "index: 3 indices are too many for x float32 [3, 4]; give at most one for each dimension")
        .error<IndexError>([] { index(x34, {everything, mask3}); },
                           "index: the mask [3] does not match dimension 1 of [3, 4]")
        .error<DTypeError>([] { index(x34, {x34}); },
                           "index: indices must be int64 or bool, got float32 [3, 4]; convert them with to()")
        .error<ShapeError>([] { index(x34, {arange(2), arange(3)}); },
                           "index: the indices do not broadcast: [2] and [3]")
        .error<IndexError>([] { index(x34, {ellipsis, ellipsis}); }, "index: more than one ellipsis; use only one")
        .error<IndexError>([] { index(empty({3, 4}), {3}); },
                           "index: index 3 is out of range for dimension 0 of [3, 4]")
        .error<IndexError>([] { index(empty({3, 4}), {-4}); },
                           "index: index -4 is out of range for dimension 0 of [3, 4]")
        .error<IndexError>([] { index(empty({3, 4}), {from_vector<std::int64_t>({3}, {1})}); },
                           "index: index[0] is 3, but dimension 0 has size 3")
        .error<IndexError>([] { index(empty({3, 4}), {from_vector<std::int64_t>({-4}, {1})}); },
                           "index: index[0] is -4, but dimension 0 has size 3")
        .error<ValueError>([] { index(empty({3, 4}), {Range{0, 2, 0}}); },
                           "index: the step of a range must be at least 1, got 0")
        .error<ValueError>([] { index(empty({3, 4}), {Range{0, 2, -1}}); },
                           "index: the step of a range must be at least 1, got -1")
        .error<IndexError>([] { index(empty({3, 4}), {zeros({4}, {.dtype = DType::boolean})}); },
                           "index: the mask [4] does not match dimension 0 of [3, 4]")
        .error<ValueError>([] { index(empty({3, 4}), {Tensor()}); }, "index: the index for dimension 0 is undefined")
        .error<IndexError>([] { index(empty({3, 4}), {Range{}, from_vector<std::int64_t>({-5}, {1})}); },
                           "index: index[0] is -5, but dimension 1 has size 4")
        .check();

/// x with rows at in[1] replaced by the values, the last of several winning, or added.
auto put(bool accumulate) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y = in[0];
    const Doubles values = broadcast_to(in[2], {in[1].shape[0], y.shape[1]});
    each_index(values.shape, [&](const Shape& at) {
      double& place = y[{wrapped(in[1][{at[0]}], y.shape[0]), at[1]}];
      place = accumulate ? place + values[at] : values[at];
    });
    return y;
  };
}

[[maybe_unused]] const bool index_put_cases =
    indexing(OpCases("index_put"))
        .on([](In in) { return index_put(in[0], {in[1]}, in[2]); }, put(false), "rows")
        .in_place([](In in) { index_put_(in[0], {in[1]}, in[2]); })
        .inputs(normal({4, 3}), given({3}, {1, -1, 1}).as(int64), normal({3, 3}))
        .inputs(normal({4, 3}), given({2}, {2, 0}).as(int64), normal({3}))
        .inputs(normal({4, 3}), indices({0}, 0, 4), normal({0, 3}))
        .inputs(normal({300, 200}), indices({350}, -300, 300), normal({350, 200}))
        .on([](In in) { return index_put(in[0], {everything, Range{1, {}, 2}}, in[1]); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              each_index(y.shape, [&](const Shape& at) {
                if (at[1] % 2 == 1) y[at] = in[1].values[0];
              });
              return y;
            },
            "[:, 1::2]")
        .in_place([](In in) { index_put_(in[0], {everything, Range{1, {}, 2}}, in[1]); })
        .inputs(normal({2, 5}), normal({1}))
        .on([](In in) { return index_put(in[0], {everything, in[1]}, in[2]); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              each_index(in[2].shape,
                         [&](const Shape& at) { y[{at[0], static_cast<std::int64_t>(in[1][{at[1]}])}] = in[2][at]; });
              return y;
            },
            "columns")
        .in_place([](In in) { index_put_(in[0], {everything, in[1]}, in[2]); })
        .inputs(normal({3, 4}), given({3}, {3, 0, 3}).as(int64), normal({3, 3}))
        .huge([](auto v) { index_put(ones({2, 3, 4}), {v}, ones({1})); })
        .huge([](auto v) { index_put(ones({2, 3, 4}), {tensor<std::int64_t>({v})}, ones({1})); })
        .recorded("index_put", "lambda x, i, v: x.index_put((i,), v)",
                  [](In in) { return index_put(in[0], {in[1]}, in[2]); })
        .recorded("index_put.add", "lambda x, i, v: x.index_put((i,), v, accumulate=True)",
                  [](In in) { return index_put(in[0], {in[1]}, in[2], true); })
        .error<IndexError>(
            [] { index_put(x34, {0, 0, 0}, zeros({})); },
            "index_put: 3 indices are too many for x float32 [3, 4]; give at most one for each dimension")
        .error<IndexError>([] { index_put(empty({3, 4}), {from_vector<std::int64_t>({-4}, {1})}, empty(Shape{})); },
                           "index_put: index[0] is -4, but dimension 0 has size 3")
        .error<IndexError>([] { index_put(empty({3, 4}), {from_vector<std::int64_t>({3}, {1})}, empty(Shape{})); },
                           "index_put: index[0] is 3, but dimension 0 has size 3")
        .error<ShapeError>(
            [] {
              index_put(empty({3, 4}), {zeros({2}, {.dtype = DType::int64}), zeros({3}, {.dtype = DType::int64})},
                        empty(Shape{}));
            },
            "index_put: the indices do not broadcast: [2] and [3]")
        .error<ShapeError>(
            [] { index_put(empty({3, 4}), {from_vector<std::int64_t>({0, 1}, {2})}, empty({3, 4})); },
            "index_put: shapes [2, 4] and [3, 4] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { index_put(empty({3, 4}), {empty({2})}, empty(Shape{})); },
                           "index_put: indices must be int64 or bool, got float32 [2]; convert them with to()")
        .error<IndexError>([] { index_put(empty({3, 4}), {zeros({4}, {.dtype = DType::boolean})}, empty(Shape{})); },
                           "index_put: the mask [4] does not match dimension 0 of [3, 4]")
        .error<IndexError>([] { index_put(empty({3, 4}), {3}, empty({4})); },
                           "index_put: index 3 is out of range for dimension 0 of [3, 4]")
        .error<DTypeError>(
            [] {
              index_put(zeros({3, 4}, {.dtype = DType::int64}), {from_vector<std::int64_t>({0}, {1})}, empty({4}));
            },
            "index_put: value float32 [4] does not fit into x int64 [3, 4]; convert it with to()")
        .error<IndexError>(
            [] {
              index_put(empty({3, 4}),
                        {from_vector<std::int64_t>({0, -4}, {2}), from_vector<std::int64_t>({0, 1}, {2})},
                        empty(Shape{}));
            },
            "index_put: index[1] is -4, but dimension 0 has size 3")
        .check();

[[maybe_unused]] const bool index_put_add_cases =
    OpCases("index_put accumulate")
        .dtypes(numeric_dtypes())
        .without("hidden", "it is made of other operators")
        .on([](In in) { return index_put(in[0], {in[1]}, in[2], true); }, put(true), "rows")
        .in_place([](In in) { index_put_(in[0], {in[1]}, in[2], true); })
        .inputs(normal({4, 3}), given({3}, {1, -1, 1}).as(int64), normal({3, 3}))
        .inputs(normal({4, 3}), indices({0}, 0, 4), normal({0, 3}))
        .inputs(normal({300, 200}), indices({350}, -300, 300), normal({350, 200}))
        .error<IndexError>(
            [] { index_put(empty({3, 4}), {from_vector<std::int64_t>({-4}, {1})}, empty(Shape{}), true); },
            "index_put: index[0] is -4, but dimension 0 has size 3")
        .error<DTypeError>(
            [] {
              index_put(zeros({3, 4}, {.dtype = DType::boolean}), {from_vector<std::int64_t>({0}, {1})},
                        zeros({}, {.dtype = DType::boolean}), true);
            },
            "index_put: bool is not supported, got bool [3, 4]; convert it with to()")
        .error<ShapeError>(
            [] { index_put(empty({3, 4}), {from_vector<std::int64_t>({0, 1}, {2})}, empty({3, 4}), true); },
            "index_put: shapes [2, 4] and [3, 4] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

TEST(Index, MasksReadAndWriteAndCombineWithNumbers) {
  const Tensor x = reshape(arange(0, 12, 1, {.dtype = float32}), {3, 4});
  EXPECT_EQ(index(x, {mask3, 2}).to_vector<float>(), (std::vector<float>{2, 10}));
  EXPECT_EQ(index(x, {x > 8}).to_vector<float>(), (std::vector<float>{9, 10, 11}));
  index_put_(x, {x > 8}, 0);
  EXPECT_EQ(sum(x).item<float>(), 36);
  index_put_(x, {0}, from_vector<float>({4, 3, 2, 1}, {4}));
  EXPECT_EQ(x[0].to_vector<float>(), (std::vector<float>{4, 3, 2, 1}));
}

TEST(Index, NamesTheIndexThatDoesNotExist) {
  const auto text = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const IndexError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(text([] { index(x34, {everything, from_vector<std::int64_t>({0, 4}, {2})}); }),
            "index: index[1] is 4, but dimension 1 has size 4");
  EXPECT_EQ(text([] { index_put(x34, {from_vector<std::int64_t>({-4}, {1})}, zeros({})); }),
            "index_put: index[0] is -4, but dimension 0 has size 3");
}

[[maybe_unused]] const bool index_put_in_place_calls =
    FunctionCases("index_put_")
        .huge([](auto v) { index_put_(ones({2, 3, 4}), {v}, ones({1})); })
        .undefined([](const Tensor& none) { index_put_(none, {0}, 1); })
        .undefined([](const Tensor& none) { index_put_(ones({2, 2}), {none}, 1); })
        .check();

}  // namespace
}  // namespace minima::index_test
