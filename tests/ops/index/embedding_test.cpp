#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/embedding.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::embedding_test {
namespace {

using namespace test;

Doubles reference(const std::vector<Doubles>& in) {
  Shape shape = in[1].shape;
  const std::int64_t width = in[0].shape[1];
  shape.push_back(width);
  Doubles y(shape);
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const auto size = static_cast<std::size_t>(width);
    y.values[i] = in[0].values[static_cast<std::size_t>(in[1].values[i / size]) * size + i % size];
  }
  return y;
}

Draw indices(const Shape& shape, double below) { return whole(shape, 0, below).as(int64); }

[[maybe_unused]] const bool embedding_cases =
    OpCases("embedding")
        .dtypes(all_dtypes())
        .on([](In in) { return embedding(in[0], in[1]); }, reference)
        .inputs(normal({5, 3}), indices({7}, 5))
        .inputs(normal({4, 2}), indices({2, 3}, 4))
        .inputs(normal({4, 2}), indices({}, 4))
        .inputs(normal({4, 2}), indices({0, 3}, 4))
        .inputs(normal({700, 64}), indices({50, 20}, 700))
        .huge([](auto v) { embedding(ones({3, 2}), tensor<std::int64_t>({0, 1}), v); })
        .huge([](auto v) { embedding(ones({3, 2}), tensor<std::int64_t>({v})); })
        .recorded("embedding", "lambda i, w: F.embedding(i, w)", [](In in) { return embedding(in[1], in[0]); })
        .error<IndexError>([] { embedding(zeros({4, 2}), from_vector<std::int64_t>({0, 1, 4, 0}, {2, 2})); },
                           "embedding: index[1, 0] is 4, but dimension 0 has size 4")
        .error<ShapeError>([] { embedding(zeros({4}), zeros({1}, {.dtype = int64})); },
                           "embedding: the weight must be [V, D], got float32 [4]")
        .error<DTypeError>([] { embedding(zeros({4, 2}), zeros({1})); },
                           "embedding: indices must be int64, got float32 [1]; convert them with to()")
        .error<IndexError>([] { embedding(zeros({4, 2}), zeros({1}, {.dtype = int64}), 4); },
                           "embedding: padding row 4 does not exist in weight float32 [4, 2]")
        .error<IndexError>([] { embedding(empty({4, 2}), from_vector<std::int64_t>({-1}, {1})); },
                           "embedding: index[0] is -1, but dimension 0 has size 4")
        .check();

TEST(Embedding, LeavesThePaddingRowWithoutGradientInAnyOrder) {
  Tensor w = ones({3, 2}, {.dtype = float64}).requires_grad(true);
  const Tensor index = tensor<std::int64_t>({0, 1, 1, 2});
  sum(embedding(w, index, 1)).backward();
  EXPECT_EQ(w.grad().to_vector<double>(), (std::vector<double>{1, 1, 0, 0, 1, 1}));
  // The gradient by the upstream gradient skips the padding row, too.
  Tensor g = ones({4, 2}, {.dtype = float64}).requires_grad(true);
  const Tensor slope = grad({embedding(w, index, 1)}, {w}, {g}, {.create_graph = true})[0];
  EXPECT_EQ(grad({sum(slope)}, {g})[0].to_vector<double>(), (std::vector<double>{1, 1, 0, 0, 0, 0, 1, 1}));
}

TEST(Arrange, OneHotMarksTheClass) {
  const Tensor y = one_hot(from_vector<std::int64_t>({2, 0, 1, 1}, {2, 2}), 3);
  EXPECT_EQ(y.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(y.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0}));
}

[[maybe_unused]] const bool one_hot_calls = FunctionCases("one_hot")
                                                .huge([](auto v) { one_hot(tensor<std::int64_t>({0, 1}), v); })
                                                .huge([](auto v) { one_hot(empty({0}, {.dtype = int64}), v); })
                                                .undefined([](const Tensor& none) { one_hot(none, 2); })
                                                .check();

}  // namespace
}  // namespace minima::embedding_test
