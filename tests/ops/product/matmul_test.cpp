#include "tests/ops/checks/op_cases.h"
#include "tests/support/engines.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/storage/allocator.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::matmul_test {
namespace {

using namespace test;

/// The definition: vectors become a row and a column, the batch broadcasts.
Doubles product(const std::vector<Doubles>& in) {
  Doubles a = in[0], b = in[1];
  const bool row = a.shape.rank() == 1, column = b.shape.rank() == 1;
  if (row) a.shape.insert(0, 1);
  if (column) b.shape.push_back(1);
  const std::int64_t m = a.shape[a.shape.rank() - 2], k = a.shape.back(), n = b.shape.back();
  Shape batch_a = a.shape, batch_b = b.shape;
  batch_a.resize(batch_a.rank() - 2);
  batch_b.resize(batch_b.rank() - 2);
  const Shape batch = broadcast(batch_a, batch_b, "reference");
  const auto with = [&](std::int64_t rows, std::int64_t columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  a = broadcast_to(a, with(m, k));
  b = broadcast_to(b, with(k, n));
  Doubles y(with(m, n));
  for (std::int64_t s = 0; s < numel(batch); ++s)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t l = 0; l < k; ++l)
          y.values[static_cast<std::size_t>((s * m + i) * n + j)] +=
              a.values[static_cast<std::size_t>((s * m + i) * k + l)] *
              b.values[static_cast<std::size_t>((s * k + l) * n + j)];
  if (column) y.shape.erase(y.shape.rank() - 1);
  if (row) y.shape.erase(y.shape.rank() - (column ? 1 : 2));
  return y;
}

Tensor by_eigen(In in) {
  const EigenOnly guard;
  return matmul(in[0], in[1]);
}

[[maybe_unused]] const bool cases =
    OpCases("matmul")
        .autocast("lower precision")
        .result_layout(ResultLayout::row_major)
        .on([](In in) { return matmul(in[0], in[1]); }, product, "matrices")
        .pytorch("torch.matmul", "matmul")
        .inputs(normal({3, 4}), normal({4, 5}))
        .inputs(normal({1, 4}), normal({4, 1}))
        .inputs(normal({0, 4}), normal({4, 5}))
        .inputs(normal({3, 0}), normal({0, 5}))
        .contraction(4)
        .on([](In in) { return matmul(in[0], in[1]); }, product, "vectors")
        .inputs(normal({4}), normal({4}))
        .inputs(normal({4}), normal({4, 3}))
        .inputs(normal({3, 4}), normal({4}))
        .inputs(normal({4}), normal({2, 4, 3}))
        .inputs(normal({2, 3, 4}), normal({4}))
        .contraction(4)
        .on([](In in) { return matmul(in[0], in[1]); }, product, "batches")
        .inputs(normal({2, 2, 3}), normal({2, 3, 2}))
        .inputs(normal({2, 3, 3}), normal({3, 2}))
        .inputs(normal({3, 3}), normal({2, 3, 2}))
        .inputs(normal({2, 1, 2, 3}), normal({3, 3, 2}))
        .inputs(normal({2, 1, 2, 3}), normal({1, 3, 3, 2}))
        .inputs(normal({0, 2, 3}), normal({3, 2}))
        .inputs(normal({2, 2, 0}), normal({0, 2}))
        .contraction(3)
        .on([](In in) { return matmul(in[0], in[1]); }, product, "many blocks")
        .inputs(normal({200, 150}), normal({150, 300}))
        .contraction(150)
        .on([](In in) { return matmul(in[0], in[1]); }, product, "a long sum")
        .inputs(normal({4, 4096}), normal({4096, 24}))
        .contraction(4096)
        .on(by_eigen, product, "by Eigen")
        .inputs(normal({3, 4}), normal({4, 5}))
        .inputs(normal({200, 150}), normal({150, 30}))
        .inputs(normal({3, 20, 150}), normal({150, 30}))
        .contraction(150)
        .error<ShapeError>([] { matmul(sized({32, 784}), sized({512, 784})); },
                           "matmul: inner sizes differ: a [32, 784] × b [512, 784]; transpose b?")
        .error<ShapeError>([] { matmul(sized({2, 3}), sized({4, 5})); },
                           "matmul: inner sizes differ: a [2, 3] × b [4, 5]")
        .error<ShapeError>([] { matmul(sized({3}), sized({4})); }, "matmul: inner sizes differ: a [3] × b [4]")
        .error<ShapeError>([] { matmul(sized({2, 5, 3}), sized({4, 3, 5})); },
                           "matmul: shapes [2] and [4] do not broadcast: sizes 2 and 4 differ and neither is 1")
        .error<ShapeError>([] { matmul(sized({}), sized({3})); },
                           "matmul: needs at least one dimension each: a [] × b [3]; multiply scalars with *")
        .error<DTypeError>([] { matmul(sized({2, 3}), sized({3, 2}, float64)); },
                           "matmul: dtypes differ: a float32 [2, 3] × b float64 [3, 2]; convert one with to()")
        .error<ValueError>([] { matmul(sized({2, 3}), Tensor()); }, "matmul: argument 1 is undefined")
        .error<ShapeError>([] { matmul(empty({2, 3}), empty(Shape{})); },
                           "matmul: needs at least one dimension each: a [2, 3] × b []; multiply scalars with *")
        .error<DTypeError>(
            [] { matmul(zeros({2, 3}, {.dtype = DType::boolean}), zeros({3, 2}, {.dtype = DType::boolean})); },
            "matmul: needs floating dtypes, got a bool [2, 3] × b bool [3, 2]; convert them with to()")
        .error<ShapeError>([] { matmul(empty({1, 2, 3}), empty({2})); },
                           "matmul: inner sizes differ: a [1, 2, 3] × b [2]")
        .check();

/// How many storages a call allocates in addition to its result.
template <class F>
std::int64_t temporaries(F&& f) {
  const Tensor warm = f();
  const std::int64_t before = memory_stats().allocations;
  const Tensor y = f();
  return memory_stats().allocations - before - 1;
}

TEST(Matmul, ReadsTransposedAndSlicedViewsAsTheyLie) {
  const Tensor a = sized({40, 60}), b = sized({50, 60}), batch = sized({3, 60, 50});
  fill_(a, 1);
  fill_(b, 1);
  fill_(batch, 1);
  EXPECT_EQ(temporaries([&] { return matmul(a, transpose(b, 0, 1)); }), 0);
  EXPECT_EQ(temporaries([&] { return matmul(transpose(a, 0, 1), slice(a, 1, 10, 30)); }), 0);
  EXPECT_EQ(temporaries([&] { return matmul(a, batch); }), 0);
  EXPECT_EQ(temporaries([&] { return matmul(batch, transpose(batch, 1, 2)); }), 0);
  EXPECT_EQ(temporaries([&] { return matmul(a, slice(transpose(b, 0, 1), 1, 0, 50, 2)); }), 0)
      << "every second column of a transpose is every second row of what is stored";
  EXPECT_EQ(temporaries([&] { return matmul(slice(a, 1, 0, 60, 2), transpose(slice(b, 1, 0, 30), 0, 1)); }), 1)
      << "elements with gaps between them are copied";
}

TEST(Matmul, OfABatchWithOneMatrixIsOneProduct) {
  const Tensor a = sized({8, 5, 6}), b = sized({6, 7});
  fill_(a, 1);
  fill_(b, 1);
  EXPECT_EQ(calls_of(detail::engine_for(float32), [&] { matmul(a, b); }), 1);
}

TEST(Matmul, PropagatesNanAndInfinity) {
  const Tensor a = from_vector<float>({NAN, 0, 1, INFINITY}, {2, 2}), b = from_vector<float>({1, 0, 0, 1}, {2, 2});
  const std::vector<float> y = matmul(a, b).to_vector<float>();
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], INFINITY);
}

TEST(Matmul, OfHalfTypesRoundsOnce) {
  // 2048 ones: a sum that is rounded to bfloat16 on the way would stop at 256.
  const Tensor a = sized({1, 2048}, bfloat16), b = sized({2048, 1}, bfloat16);
  fill_(a, 1);
  fill_(b, 1);
  EXPECT_EQ(matmul(a, b).item<float>(), 2048);
}

}  // namespace
}  // namespace minima::matmul_test
