#include <minima/ops/attention/rotary_embedding.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::rotary_embedding_test {
namespace {

using namespace test;

/// The definition, one pair at a time. Tables are [T, pairs] or [batch, 1, T, pairs] for x [batch, heads, T, E].
auto reference(bool interleaved) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles &x = in[0], &cos = in[1], &sin = in[2];
    Doubles y = x;
    const int rank = x.shape.rank();
    const std::int64_t width = x.shape[rank - 1], length = x.shape[rank - 2], pairs = cos.shape[cos.shape.rank() - 1];
    const std::int64_t rows = width == 0 ? 0 : static_cast<std::int64_t>(x.values.size()) / width;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = 0; i < pairs; ++i) {
        std::int64_t table_row = cos.shape[cos.shape.rank() - 2] == 1 ? 0 : row % length;
        if (cos.shape.rank() == 4) table_row += row / length / x.shape[1] * length;
        const auto at = static_cast<std::size_t>(table_row * pairs + i);
        const auto first = static_cast<std::size_t>(row * width + (interleaved ? 2 * i : i));
        const std::size_t second = first + static_cast<std::size_t>(interleaved ? 1 : pairs);
        const double a = x.values[first], b = x.values[second];
        y.values[first] = a * cos.values[at] - b * sin.values[at];
        y.values[second] = b * cos.values[at] + a * sin.values[at];
      }
    return y;
  };
}

[[maybe_unused]] const bool cases =
    OpCases("rotary_embedding")
        .result_layout(ResultLayout::unspecified)
        .gradient_cancels()
        .on([](In in) { return rotary_embedding(in[0], in[1], in[2]); }, reference(false), "halves")
        .inputs(normal({2, 3, 4}), normal({3, 2}), normal({3, 2}))
        .inputs(normal({3, 6}), normal({1, 2}), normal({1, 2}))
        .inputs(normal({2, 2, 2, 4}), normal({2, 1, 2, 1}), normal({2, 1, 2, 1}))
        .inputs(normal({0, 3, 4}), normal({3, 2}), normal({3, 2}))
        .inputs(normal({2, 4, 70, 64}), normal({70, 32}), normal({70, 32}))
        .on([](In in) { return rotary_embedding(in[0], in[1], in[2], {.interleaved = true}); }, reference(true),
            "interleaved")
        .inputs(normal({2, 3, 4}), normal({3, 2}), normal({3, 2}))
        .inputs(normal({3, 7}), normal({3, 2}), normal({3, 2}))
        .inputs(normal({2, 2, 2, 4}), normal({2, 1, 2, 1}), normal({2, 1, 2, 1}))
        .inputs(normal({0, 3, 4}), normal({3, 2}), normal({3, 2}))
        .inputs(normal({2, 4, 70, 64}), normal({70, 32}), normal({70, 32}))
        .error<DTypeError>([] { rotary_embedding(zeros({2, 4}, {.dtype = int64}), ones({2, 2}), ones({2, 2})); },
                           "rotary_embedding: x must be floating, got int64 [2, 4]; convert it with to()")
        .error<DTypeError>(
            [] { rotary_embedding(zeros({2, 4}), ones({2, 2}), ones({2, 2}, {.dtype = DType::float64})); },
            "rotary_embedding: the tables for x float32 [2, 4] must be float32, got cos float32 [2, 2] and sin float64 "
            "[2, 2]; convert them with to()")
        .error<ShapeError>([] { rotary_embedding(zeros({2, 4}), ones({2, 2}), ones({1, 2})); },
                           "rotary_embedding: cos float32 [2, 2] and sin float32 [1, 2] must have the same shape")
        .error<ShapeError>([] { rotary_embedding(zeros({2, 4}), ones({2, 3}), ones({2, 3})); },
                           "rotary_embedding: cos and sin must be [..., T, width / 2] for x [..., T, E], width ≤ E, "
                           "and broadcast over "
                           "x's leading dimensions; x float32 [2, 4], cos float32 [2, 3]")
        .error<ValueError>([] { rotary_tables(3, 5); },
                           "rotary_tables: length must be at least 0 and width positive and even, got 3 and 5")
        .also_calls("rotary_tables")
        .check();

/// The formulas of Hugging Face's and of Llama's own code (tests/fixtures/generate_attention.py).
TEST(RotaryEmbedding, FollowsPyTorch) {
  const State recorded = load(MINIMA_FIXTURES "/attention.safetensors");
  for (const bool interleaved : {false, true}) {
    const State state = recorded.sub(interleaved ? "rotary_interleaved" : "rotary_halves");
    const Tensor x = clone(state.tensor("x")).requires_grad(true);
    const RotaryTables tables = rotary_tables(5, 6, {.dtype = DType::float64});
    const Tensor y = rotary_embedding(x, tables.cos, tables.sin, {.interleaved = interleaved});
    EXPECT_TRUE(allclose(y.detach(), state.tensor("y"), {.rtol = 1e-12, .atol = 1e-14}));
    y.backward(reshape(cos(arange(y.numel()).to(DType::float64)), y.shape()));
    EXPECT_TRUE(allclose(x.grad(), state.tensor("grad"), {.rtol = 1e-12, .atol = 1e-14}));
  }
}

/// x · y depends on the distance of the positions alone.
TEST(RotaryEmbedding, ProductsDependOnTheDistance) {
  for (const bool interleaved : {false, true}) {
    const RotaryTables tables = rotary_tables(12, 8, {.dtype = DType::float64});
    const Tensor q = expand(randn({1, 8}, {.dtype = DType::float64}), {12, 8}),
                 k = expand(randn({1, 8}, {.dtype = DType::float64}), {12, 8});
    const Tensor scores =
        matmul(rotary_embedding(q, tables.cos, tables.sin, {.interleaved = interleaved}),
               transpose(rotary_embedding(k, tables.cos, tables.sin, {.interleaved = interleaved}), 0, 1));
    EXPECT_TRUE(allclose(narrow(narrow(scores, 0, 0, 11), 1, 0, 11), narrow(narrow(scores, 0, 1, 11), 1, 1, 11),
                         {.rtol = 1e-12, .atol = 1e-12}));
    EXPECT_GT(std::abs(scores.to_vector<double>()[0] - scores.to_vector<double>()[5]), 1e-3);
  }
}

TEST(RotaryEmbedding, HalfTypesTakeTablesInFloat32) {
  const RotaryTables tables = rotary_tables(5, 4);
  const Tensor x = randn({2, 5, 4});
  const Tensor exact = rotary_embedding(x, tables.cos, tables.sin);
  const Tensor half = rotary_embedding(x.to(DType::bfloat16), tables.cos, tables.sin);
  EXPECT_EQ(half.dtype(), DType::bfloat16);
  EXPECT_TRUE(allclose(half.to(DType::float32), exact, {.rtol = 2e-2, .atol = 2e-2}));
}

TEST(RotaryEmbedding, HeadsOfAProjectionNeedNoCopy) {
  const RotaryTables tables = rotary_tables(5, 8);
  const Tensor packed = randn({2, 5, 3, 8}), x = transpose(packed, 1, 2);
  const Tensor y = rotary_embedding(x, tables.cos, tables.sin);
  EXPECT_TRUE(transpose(y, 1, 2).is_contiguous());
  EXPECT_TRUE(identical(contiguous(y), rotary_embedding(contiguous(x), tables.cos, tables.sin)));
}

[[maybe_unused]] const bool rotary_tables_calls = FunctionCases("rotary_tables")
                                                      .huge([](auto v) { rotary_tables(v, 2); })
                                                      .huge([](auto v) { rotary_tables(1, v); })
                                                      .check();

}  // namespace
}  // namespace minima::rotary_embedding_test
