#include "tests/ops/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/index.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/error.h>

#include <gtest/gtest.h>

namespace minima {
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

[[maybe_unused]] const bool index_cases = indexing(OpCases("index"))
    .on([](In in) { return index(in[0], {everything, in[1]}); }, [](const std::vector<Doubles>& in) {
          const Shape shape{in[0].shape[0], in[1].shape[0], in[1].shape[1]};
          return gather(in[0], shape, [&](const Shape& at) {
            return Shape{at[0], wrapped(in[1][{at[1], at[2]}], in[0].shape[1])};
          });
        }, "[:, i]")
    .inputs(normal({3, 4}), indices({2, 3}, -4, 4))
    .inputs(normal({0, 4}), indices({2, 3}, -4, 4))
    .inputs(normal({3, 4}), indices({2, 0}, -4, 4))
    .inputs(normal({200, 300}), indices({40, 10}, -300, 300))
    .on([](In in) { return index(in[0], {in[1], Range{1, 3}, in[2]}); }, [](const std::vector<Doubles>& in) {
          const Shape shape{in[2].shape[0], in[1].shape[1], 2};  // broadcast indices come in front
          return gather(in[0], shape, [&](const Shape& at) {
            return Shape{wrapped(in[1][{0, at[1]}], in[0].shape[0]), at[2] + 1, wrapped(in[2][{at[0], 0}], in[0].shape[2])};
          });
        }, "[i, 1:3, j]")
    .inputs(normal({4, 3, 5}), indices({1, 3}, -4, 4), indices({2, 1}, 0, 5))
    .on([](In in) { return index(in[0], {1, ellipsis, new_axis, Range{.step = 2}}); }, [](const std::vector<Doubles>& in) {
          const Shape shape{in[0].shape[1], 1, (in[0].shape[2] + 1) / 2};
          return gather(in[0], shape, [&](const Shape& at) { return Shape{1, at[0], at[2] * 2}; });
        }, "[1, ..., None, ::2]")
    .inputs(normal({3, 2, 5}))
    .error<IndexError>([] { index(x34, {0, 0, 0}); }, "index: 3 indices are too many for x float32 [3, 4]")
    .error<IndexError>([] { index(x34, {everything, mask3}); }, "index: the mask [3] does not fit dimension 1 of [3, 4]")
    .error<DTypeError>([] { index(x34, {x34}); }, "index: indices must be int64 or bool, got float32 [3, 4]; convert them with to()")
    .error<ShapeError>([] { index(x34, {arange(2), arange(3)}); }, "index: the indices do not broadcast: [2] and [3]")
    .error<IndexError>([] { index(x34, {ellipsis, ellipsis}); }, "index: more than one ellipsis")
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

[[maybe_unused]] const bool index_put_cases = indexing(OpCases("index_put"))
    .on([](In in) { return index_put(in[0], {in[1]}, in[2]); }, put(false), "rows")
    .in_place([](In in) { index_put_(in[0], {in[1]}, in[2]); })
    .inputs(normal({4, 3}), given({3}, {1, -1, 1}).as(int64), normal({3, 3}))
    .inputs(normal({4, 3}), given({2}, {2, 0}).as(int64), normal({3}))
    .inputs(normal({4, 3}), indices({0}, 0, 4), normal({0, 3}))
    .inputs(normal({300, 200}), indices({350}, -300, 300), normal({350, 200}))
    .on([](In in) { return index_put(in[0], {everything, Range{1, {}, 2}}, in[1]); }, [](const std::vector<Doubles>& in) {
          Doubles y = in[0];
          each_index(y.shape, [&](const Shape& at) {
            if (at[1] % 2 == 1) y[at] = in[1].values[0];
          });
          return y;
        }, "[:, 1::2]")
    .in_place([](In in) { index_put_(in[0], {everything, Range{1, {}, 2}}, in[1]); })
    .inputs(normal({2, 5}), normal({1}))
    .on([](In in) { return index_put(in[0], {everything, in[1]}, in[2]); }, [](const std::vector<Doubles>& in) {
          Doubles y = in[0];
          each_index(in[2].shape, [&](const Shape& at) { y[{at[0], static_cast<std::int64_t>(in[1][{at[1]}])}] = in[2][at]; });
          return y;
        }, "columns")
    .in_place([](In in) { index_put_(in[0], {everything, in[1]}, in[2]); })
    .inputs(normal({3, 4}), given({3}, {3, 0, 3}).as(int64), normal({3, 3}))
    .error<IndexError>([] { index_put(x34, {0, 0, 0}, zeros({})); }, "index_put: 3 indices are too many for x float32 [3, 4]")
    .check();

[[maybe_unused]] const bool index_put_add_cases = OpCases("index_put accumulate")
    .dtypes(numeric_dtypes())
    .without("hidden", "it is made of other operators")
    .on([](In in) { return index_put(in[0], {in[1]}, in[2], true); }, put(true), "rows")
    .in_place([](In in) { index_put_(in[0], {in[1]}, in[2], true); })
    .inputs(normal({4, 3}), given({3}, {1, -1, 1}).as(int64), normal({3, 3}))
    .inputs(normal({4, 3}), indices({0}, 0, 4), normal({0, 3}))
    .inputs(normal({300, 200}), indices({350}, -300, 300), normal({350, 200}))
    .check();

[[maybe_unused]] const bool masked_select_cases = indexing(OpCases("masked_select"))
    .on([](In in) { return masked_select(in[0], in[1]); }, [](const std::vector<Doubles>& in) {
          const Doubles mask = broadcast_to(in[1], in[0].shape);
          std::vector<double> found;
          each_index(in[0].shape, [&](const Shape& at) {
            if (mask[at] != 0) found.push_back(in[0][at]);
          });
          return Doubles({static_cast<std::int64_t>(found.size())}, found);
        })
    .inputs(normal({3, 4}), given({4}, {1, 0, 0, 1}).as(DType::boolean))
    .inputs(normal({2, 3, 2}), whole({2, 3, 2}, 0, 2).as(DType::boolean))
    .inputs(normal({0, 4}), given({4}, {1, 0, 0, 1}).as(DType::boolean))
    .without("large", "index has one, and the sums of its gradient take the kernels' simulation minutes")
    .error<DTypeError>([] { masked_select(x34, x34); }, "masked_select: mask must be bool, got float32 [3, 4]")
    .check();

[[maybe_unused]] const bool index_add_cases = OpCases("index_add")
    .dtypes(numeric_dtypes())
    .without("hidden", "it is made of other operators")
    .on([](In in) { return index_add(in[0], 1, in[1], in[2]); }, [](const std::vector<Doubles>& in) {
          Doubles y = in[0];
          each_index(in[2].shape, [&](const Shape& at) { y[{at[0], static_cast<std::int64_t>(in[1][{at[1]}])}] += in[2][at]; });
          return y;
        })
    .inputs(normal({3, 4}), given({3}, {3, 0, 3}).as(int64), normal({3, 3}))
    .inputs(normal({0, 4}), given({3}, {3, 0, 3}).as(int64), normal({0, 3}))
    .inputs(normal({300, 200}), indices({150}, 0, 200), normal({300, 150}))
    .error<ShapeError>([] { index_add(x34, 1, arange(2), x34); },
                       "index_add: needs a vector with an index for each of the source's places in dimension 1, got int64 [2] for source [3, 4] and x [3, 4]")
    .check();

[[maybe_unused]] const bool scatter_cases = indexing(OpCases("scatter"))
    .on([](In in) { return scatter(in[0], 1, in[1], in[2]); }, [](const std::vector<Doubles>& in) {
          Doubles y = in[0];
          each_index(in[2].shape, [&](const Shape& at) { y[{at[0], static_cast<std::int64_t>(in[1][at])}] = in[2][at]; });
          return y;
        })
    .inputs(normal({3, 4}), given({2, 3}, {3, 0, 3, 1, 2, 0}).as(int64), normal({2, 3}))
    .inputs(normal({3, 4}), indices({0, 4}, 0, 4), normal({0, 4}))
    .without("large", "index_put, of which it is made, has one")
    .error<ShapeError>([] { scatter(x34, 1, zeros({1, 2}, {.dtype = int64}), zeros({2, 1})); },
                       "scatter: the source [2, 1] and the index [1, 2] must have the same shape and the rank of x [3, 4]")
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
  EXPECT_EQ(text([] { index(x34, {everything, from_vector<std::int64_t>({0, 4}, {2})}); }), "index: index[1] is 4, but dimension 1 has size 4");
  EXPECT_EQ(text([] { index_put(x34, {from_vector<std::int64_t>({-4}, {1})}, zeros({})); }), "index_put: index[0] is -1, but dimension 0 has size 3");
}

}  // namespace
}  // namespace minima
