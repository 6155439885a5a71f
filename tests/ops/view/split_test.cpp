#include <minima/ops/view/split.h>

#include "tests/ops/view/moving.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/device/observer.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace minima::split_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

using Index = const Shape&;

Tensor x() { return empty({2, 3, 4}); }

[[maybe_unused]] const bool cases[] = {
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
        .huge([](auto v) { split(ones({2, 3, 4}), v); })
        .huge([](auto v) { split(ones({2, 3, 4}), 1, v); })
        .huge([](auto v) { split(endless(), v); })
        .huge([](auto) { split(endless(), 1); })
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

/// Pieces of the columns that start at these positions.
std::vector<Doubles> pieces(const Doubles& x, const std::vector<std::int64_t>& starts) {
  std::vector<Doubles> all;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    all.push_back(gather(x, {x.shape[0], starts[i + 1] - starts[i]},
                         [&](const Shape& at) { return Shape{at[0], at[1] + starts[i]}; }));
  return all;
}

[[maybe_unused]] const bool tensor_split_cases =
    composing(OpCases("tensor_split"))
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
    composing(OpCases("tensor_split_at"))
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

/// Operators of the gradient of `y`.
std::vector<std::string> gradient_operators(const Tensor& y) {
  struct Names final : Observer {
    void begin(const char* op, Cost) override { all.emplace_back(op); }
    void end() noexcept override {}
    std::vector<std::string> all;
  } names;
  Observer* const outer = set_observer(&names);
  y.backward();
  set_observer(outer);
  return names.all;
}

TEST(Split, WritesTheGradientOnce) {
  const Tensor x = randn({2, 6, 4}).requires_grad(true);
  const std::vector<Tensor> pieces = chunk(transpose(x, 1, 2), 3, 2);
  const std::vector<std::string> names = gradient_operators(sum(pieces[0] * pieces[1]));  // nothing uses the last one
  EXPECT_EQ(std::count(names.begin(), names.end(), "split_gradient"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "slice_gradient"), 0);
  EXPECT_EQ(slice(x.grad(), 1, 4, 6).to_vector<float>(), std::vector<float>(16));
  EXPECT_EQ(slice(x.grad(), 1, 0, 2).to_vector<float>(), slice(x, 1, 2, 4).to_vector<float>());
}

TEST(Split, UnbindWritesTheGradientOnce) {
  const Tensor x = randn({2, 3, 4}).requires_grad(true);
  const std::vector<Tensor> rows = unbind(x, 1);
  const std::vector<std::string> names = gradient_operators(sum(rows[0] * rows[1]));
  EXPECT_EQ(std::count(names.begin(), names.end(), "split_gradient"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "slice_gradient"), 0);
  EXPECT_EQ(select(x.grad(), 1, 0).to_vector<float>(), select(x, 1, 1).to_vector<float>());
  EXPECT_EQ(select(x.grad(), 1, 1).to_vector<float>(), select(x, 1, 0).to_vector<float>());
  EXPECT_EQ(select(x.grad(), 1, 2).to_vector<float>(), std::vector<float>(8));
}

TEST(Split, UnbindOfNothingIsEmpty) { EXPECT_TRUE(unbind(empty({2, 0, 3}), 1).empty()); }

TEST(Split, OfAPieceChangedInPlace) {
  const Tensor x = tensor<double>({1, 2, 3, 4}).requires_grad(true), y = x * 1;
  std::vector<Tensor> pieces = split(y, 2);
  pieces[0] *= 10;
  EXPECT_EQ(grad({sum(y * y)}, {x}, {}, {.retain_graph = true})[0].to_vector<double>(),
            (std::vector<double>{200, 400, 6, 8}));
  EXPECT_EQ(grad({sum(pieces[0]) + sum(pieces[1])}, {x})[0].to_vector<double>(), (std::vector<double>{10, 10, 1, 1}));
}

TEST(Arrange, UnbindGivesViews) {
  const Tensor x = arange(6);
  const auto rows = unbind(Tensor(x).to(float32), 0);
  EXPECT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[4].rank(), 0);
  EXPECT_EQ(rows[4].item<float>(), 4);
}

[[maybe_unused]] const bool chunk_calls = FunctionCases("chunk")
                                              .huge([](auto v) { chunk(ones({2, 3, 4}), v); })
                                              .huge([](auto v) { chunk(ones({2, 3, 4}), 1, v); })
                                              .huge([](auto v) { chunk(endless(), v); })
                                              .undefined([](const Tensor& none) { chunk(none, 2); })
                                              .check();

[[maybe_unused]] const bool split_with_sizes_calls =
    FunctionCases("split_with_sizes")
        .huge([](auto v) { split_with_sizes(ones({2, 3, 4}), {v, 1}); })
        .huge([](auto v) { split_with_sizes(ones({2, 3, 4}), {1, v}, v); })
        .undefined([](const Tensor& none) { split_with_sizes(none, {2}); })
        .check();

[[maybe_unused]] const bool unbind_calls = FunctionCases("unbind")
                                               .huge([](auto v) { unbind(ones({2, 3, 4}), v); })
                                               .huge([](auto) { unbind(endless()); })
                                               .undefined([](const Tensor& none) { unbind(none); })
                                               .check();

}  // namespace
}  // namespace minima::split_test
