#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/split.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

namespace minima::attention_test {
namespace {

using namespace test;

/// While it exists, half types on a GPU drop the CPU's weights, not those that cuDNN draws.
struct CpuDropout {
  CpuDropout() { deterministic(true); }
  ~CpuDropout() { deterministic(false); }
  CpuDropout(const CpuDropout&) = delete;
};

struct Wanted {
  bool causal = false;
  bool mask_is_bool = false;
  double dropout = 0;
  double scale = 0;         ///< 0: 1 / √E
  std::int64_t window = 0;  ///< 0: none
  bool is_packed = false;   ///< the fourth input holds segments [L]
};

/// The definition, one query at a time. in: q, k, v and perhaps a mask [L, S] or [heads, 1, S].
auto reference(const Wanted& wanted = {}) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles &q = in[0], &k = in[1], &v = in[2];
    const int rank = q.shape.rank();
    const auto at = [](const Shape& s, int back) { return s.rank() < back ? std::int64_t{1} : s[s.rank() - back]; };
    const std::int64_t queries = at(q.shape, 2), keys = at(k.shape, 2), width = at(q.shape, 1), out = at(v.shape, 1);
    const std::int64_t heads = at(q.shape, 3), key_heads = at(k.shape, 3);
    const std::int64_t batch =
        rank > 3 ? numel(q.shape) == 0 ? q.shape[0] : numel(q.shape) / (heads * queries * width) : 1;
    const double scale = wanted.scale != 0 ? wanted.scale : 1 / std::sqrt(static_cast<double>(width));
    std::vector<double> kept(static_cast<std::size_t>(batch * heads * queries * keys), 1);
    if (wanted.dropout > 0) {
      RandomGenerator generator(7);
      kept = dropout(ones({batch * heads * queries * keys}, {.dtype = float64}), wanted.dropout, true, &generator)
                 .to_vector<double>();
    }
    Shape shape = q.shape;
    shape[rank - 1] = out;
    Doubles y(shape);
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t i = 0; i < queries; ++i) {
          const std::int64_t row = (b * heads + h) * queries + i, head = b * key_heads + h / (heads / key_heads);
          std::vector<double> p(static_cast<std::size_t>(keys));
          double largest = -INFINITY, sum = 0;
          for (std::int64_t j = 0; j < keys; ++j) {
            double score = 0;
            for (std::int64_t e = 0; e < width; ++e)
              score += q.values[static_cast<std::size_t>(row * width + e)] *
                       k.values[static_cast<std::size_t>((head * keys + j) * width + e)];
            score *= scale;
            if (in.size() > 3 && !wanted.is_packed) {
              const Shape& m = in[3].shape;
              const std::int64_t mask_row = m.rank() == 2 ? (m[0] == 1 ? 0 : i) : h;
              const double mask = in[3].values[static_cast<std::size_t>(mask_row * keys + j)];
              score = wanted.mask_is_bool ? (mask != 0 ? score : -INFINITY) : score + mask;
            }
            if (wanted.causal && j > i) score = -INFINITY;
            if (wanted.window > 0 && std::abs(i - j) >= wanted.window) score = -INFINITY;
            const auto document = [&](std::int64_t at) { return in[3].values[static_cast<std::size_t>(at)]; };
            if (wanted.is_packed && document(i) != document(j)) score = -INFINITY;
            p[static_cast<std::size_t>(j)] = score;
            largest = std::max(largest, score);
          }
          for (double& value : p) sum += value = largest == -INFINITY ? 0 : std::exp(value - largest);
          for (std::int64_t j = 0; j < keys; ++j)
            for (std::int64_t e = 0; e < out && sum > 0; ++e)
              y.values[static_cast<std::size_t>(row * out + e)] +=
                  p[static_cast<std::size_t>(j)] / sum * kept[static_cast<std::size_t>(row * keys + j)] *
                  v.values[static_cast<std::size_t>((head * keys + j) * out + e)];
        }
    return y;
  };
}

/// Σ weight · |v|.
auto magnitude(const Wanted& wanted = {}) {
  return [attend = reference(wanted)](std::vector<Doubles> in) {
    for (double& value : in[2].values) value = std::fabs(value);
    return attend(in);
  };
}

Tensor attend(In in, AttentionOptions options = {}) {
  return scaled_dot_product_attention(in[0], in[1], in[2], options);
}

[[maybe_unused]] const bool cases =
    OpCases("scaled_dot_product_attention")
        .autocast("lower precision")
        .tolerance(4)
        .gradient_cancels()
        .optional_input(3)
        .by_cudnn()
        .on([](In in) { return attend(in); }, reference(), "plain")
        .rounds_a_factor(magnitude())
        .inputs(normal({2, 2, 3, 4}), normal({2, 2, 5, 4}), normal({2, 2, 5, 3}))
        .inputs(normal({3, 4}), normal({2, 4}), normal({2, 5}))
        .inputs(normal({2, 1, 3}), normal({2, 1, 3}), normal({2, 1, 3}))
        .inputs(normal({3, 17}), normal({17, 17}),
                normal({17, 3}))                                   // a GPU's kernels take 16 columns and keys at once,
        .inputs(normal({17, 3}), normal({4, 3}), normal({4, 17}))  // and 16 columns of v, and queries
        .inputs(normal({0, 2, 3, 4}), normal({0, 2, 5, 4}), normal({0, 2, 5, 3}))
        .inputs(normal({2, 3, 4}), normal({2, 0, 4}), normal({2, 0, 3}))
        .inputs(normal({1, 3, 150, 32}), normal({1, 3, 600, 32}), normal({1, 3, 600, 48}))
        .inputs(normal({1, 2, 40, 70}), normal({1, 2, 70, 70}), normal({1, 2, 70, 130}))
        .inputs(normal({2, 1, 2, 3, 8}), normal({2, 1, 2, 5, 8}), normal({2, 1, 2, 5, 3}))
        .on([](In in) { return attend(in, {.causal = true}); }, reference({.causal = true}), "causal")
        .rounds_a_factor(magnitude({.causal = true}))
        .inputs(normal({2, 2, 4, 3}), normal({2, 2, 4, 3}), normal({2, 2, 4, 2}))
        .inputs(normal({2, 5, 3}), normal({2, 3, 3}), normal({2, 3, 2}))
        .inputs(normal({2, 3, 3}), normal({2, 5, 3}), normal({2, 5, 2}))
        .inputs(normal({2, 300, 16}), normal({2, 300, 16}), normal({2, 300, 16}))
        .on([](In in) { return attend(in, {.causal = true, .window = 2}); }, reference({.causal = true, .window = 2}),
            "causal, window = 2")
        .inputs(normal({2, 2, 4, 3}), normal({2, 2, 4, 3}), normal({2, 2, 4, 2}))
        .inputs(normal({2, 6, 3}), normal({2, 3, 3}), normal({2, 3, 2}))  // the last query sees nothing
        .inputs(normal({1, 100, 4}), normal({1, 100, 4}), normal({1, 100, 4}))
        .on([](In in) { return attend(in, {.window = 3}); }, reference({.window = 3}), "window = 3")
        .inputs(normal({2, 5, 3}), normal({2, 3, 3}), normal({2, 3, 2}))
        .inputs(normal({1, 40, 4}), normal({1, 150, 4}), normal({1, 150, 4}))  // no query sees the last keys
        .on([](In in) { return attend(in, {.causal = true, .segments = in[3]}); },
            reference({.causal = true, .is_packed = true}), "causal, segments")
        .inputs(normal({2, 2, 6, 3}), normal({2, 2, 6, 3}), normal({2, 2, 6, 2}),
                given({6}, {0, 0, 0, 3, 3, 5}).as(int64))
        .inputs(normal({6, 3}), normal({6, 3}), normal({6, 2}), given({6}, {0, 0, 0, 3, 3, 5}).as(int64))
        .on([](In in) { return attend(in, {.window = 2, .segments = in[3]}); },
            reference({.window = 2, .is_packed = true}), "window = 2, segments")
        .inputs(normal({2, 5, 3}), normal({2, 5, 3}), normal({2, 5, 2}), given({5}, {-1, -1, -1, 0, 0}).as(int64))
        .on([](In in) { return attend(in, {.scale = 0.3, .grouped = true}); }, reference({.scale = 0.3}),
            "grouped, scale = 0.3")
        .rounds_a_factor(magnitude({.scale = 0.3}))
        .inputs(normal({2, 4, 3, 2}), normal({2, 2, 3, 2}), normal({2, 2, 3, 2}))
        .inputs(normal({1, 6, 100, 8}), normal({1, 2, 90, 8}), normal({1, 2, 90, 8}))
        .on([](In in) { return attend(in, {.mask = in[3]}); }, reference(), "added mask")
        .rounds_a_factor(magnitude())
        .inputs(normal({2, 2, 3, 2}), normal({2, 2, 4, 2}), normal({2, 2, 4, 2}), normal({3, 4}))
        .inputs(normal({2, 2, 3, 2}), normal({2, 2, 4, 2}), normal({2, 2, 4, 2}), normal({2, 1, 4}))
        .on([](In in) { return attend(in, {.mask = in[3]}); }, reference({.mask_is_bool = true}), "bool mask")
        .rounds_a_factor(magnitude({.mask_is_bool = true}))
        // The second query sees nothing.
        .inputs(normal({2, 3, 2}), normal({2, 4, 2}), normal({2, 4, 2}),
                given({3, 4}, {1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0}).as(boolean))
        .on(
            [](In in) {
              RandomGenerator generator(7);
              const CpuDropout guard;
              return attend(in, {.dropout = 0.4, .generator = &generator});
            },
            reference({.dropout = 0.4}), "dropout = 0.4")
        .inputs(normal({2, 2, 3, 2}), normal({2, 2, 5, 2}), normal({2, 2, 5, 2}))
        .inputs(normal({2, 2, 70, 8}), normal({2, 2, 301, 8}), normal({2, 2, 301, 8}))
        .huge([](std::int64_t n) {
          scaled_dot_product_attention(ones({2, 3}), ones({2, 3}), ones({2, 3}), {.window = n});
        })
        .recorded("attention", "lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)",
                  [](In in) { return scaled_dot_product_attention(in[0], in[1], in[2], {.causal = true}); })
        .error<ShapeError>(
            [] { scaled_dot_product_attention(zeros({2, 3}), zeros({2, 4}), zeros({2, 4})); },
            "scaled_dot_product_attention: q and k must have the same width E; q float32 [2, 3], k float32 "
            "[2, 4], v float32 [2, 4]")
        .error<ShapeError>(
            [] { scaled_dot_product_attention(zeros({2, 3}), zeros({4, 3}), zeros({5, 3})); },
            "scaled_dot_product_attention: k and v must have the same length S; q float32 [2, 3], k float32 "
            "[4, 3], v float32 [5, 3]")
        .error<ShapeError>([] { scaled_dot_product_attention(zeros({3}), zeros({3}), zeros({3})); },
                           "scaled_dot_product_attention: q [..., L, E], k [..., S, E] and v [..., S, Ev] must have "
                           "the same rank, at least 2; "
                           "q float32 [3], k float32 [3], v float32 [3]")
        .error<ShapeError>(
            [] { scaled_dot_product_attention(zeros({4, 2, 3}), zeros({2, 2, 3}), zeros({2, 2, 3})); },
            "scaled_dot_product_attention: leading dimensions differ: q float32 [4, 2, 3], k float32 [2, 2, 3], "
            "v float32 [2, 2, 3]; fewer heads in k and v need {.grouped = true}")
        .error<ShapeError>(
            [] {
              scaled_dot_product_attention(zeros({4, 2, 3}), zeros({3, 2, 3}), zeros({3, 2, 3}), {.grouped = true});
            },
            "scaled_dot_product_attention: the heads of k, 3, must divide those of q, 4")
        .error<ShapeError>(
            [] { scaled_dot_product_attention(zeros({2, 3}), zeros({4, 3}), zeros({4, 3}), {.mask = zeros({3, 4})}); },
            "scaled_dot_product_attention: the mask must broadcast to [2, 4], got float32 [3, 4]")
        .error<DTypeError>(
            [] {
              scaled_dot_product_attention(zeros({2, 3}), zeros({4, 3}), zeros({4, 3}),
                                           {.mask = zeros({2, 4}, {.dtype = int64})});
            },
            "scaled_dot_product_attention: the mask must be bool or floating, got int64 [2, 4]")
        .error<ShapeError>(
            [] {
              scaled_dot_product_attention(zeros({2, 3}), zeros({4, 3}), zeros({4, 3}),
                                           {.segments = zeros({2}, {.dtype = int64})});
            },
            "scaled_dot_product_attention: segments need as many keys as queries, got q float32 [2, 3] and k float32 "
            "[4, 3]; with cached keys, attend to one document at a time")
        .error<ShapeError>(
            [] {
              const Tensor x = zeros({2, 4, 3, 5});
              scaled_dot_product_attention(x, x, x, {.segments = zeros({4, 3}, {.dtype = int64})});
            },
            "scaled_dot_product_attention: segments must be [2, 3] or broadcast to it, got int64 [4, 3]; q is float32 "
            "[2, 4, 3, 5]")
        .error<DTypeError>(
            [] {
              const Tensor x = zeros({2, 3});
              scaled_dot_product_attention(x, x, x, {.segments = zeros({2}, {.dtype = int32})});
            },
            "scaled_dot_product_attention: segments must be int64, got int32 [2]; convert them with to()")
        .error<ValueError>(
            [] {
              const Tensor x = zeros({1, 1, 3, 2});
              scaled_dot_product_attention(x, x, x, {.segments = tensor<std::int64_t>({0, 2, 1})});
            },
            "scaled_dot_product_attention: segments must not descend, but 1 follows 2 at position 2 of row 0; number a "
            "row's documents in their order")
        .error<ValueError>(
            [] { scaled_dot_product_attention(zeros({2, 3}), zeros({4, 3}), zeros({4, 3}), {.window = -1}); },
            "scaled_dot_product_attention: window must be positive, or 0 for none, got -1")
        .error<ValueError>(
            [] { scaled_dot_product_attention(zeros({2, 3}), zeros({4, 3}), zeros({4, 3}), {.dropout = 1}); },
            "scaled_dot_product_attention: dropout must be at least 0 and below 1, got 1")
        .error<DTypeError>(
            [] {
              scaled_dot_product_attention(empty({2, 3}), empty({4, 3}, {.dtype = DType::float64}), empty({4, 3}));
            },
            "scaled_dot_product_attention: needs one floating dtype; q float32 [2, 3], k float64 [4, 3], v "
            "float32 [4, 3]; convert them with to()")
        .error<DTypeError>(
            [] {
              scaled_dot_product_attention(zeros({2, 3}, {.dtype = DType::int64}),
                                           zeros({4, 3}, {.dtype = DType::int64}),
                                           zeros({4, 3}, {.dtype = DType::int64}));
            },
            "scaled_dot_product_attention: needs one floating dtype; q int64 [2, 3], k int64 [4, 3], v "
            "int64 [4, 3]; convert them with to()")
        .check();

/// Heads of one projection [N, L, 3 · H · E] as q, k and v [N, H, L, E], without a copy.
std::vector<Tensor> heads_of(const Tensor& packed, std::int64_t heads) {
  const std::int64_t width = packed.size(-1) / 3 / heads;
  const Tensor split = reshape(packed, {packed.size(0), packed.size(1), 3, heads, width});
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < 3; ++i) parts.push_back(transpose(select(split, 2, i), 1, 2));
  return parts;
}

TEST(Attention, ResultOfPackedHeadsIsMergedWithoutACopy) {
  const Tensor packed = randn({2, 6, 3 * 4 * 8});
  const std::vector<Tensor> parts = heads_of(packed, 4);
  const Tensor y = scaled_dot_product_attention(parts[0], parts[1], parts[2]);
  EXPECT_EQ(y.shape(), (Shape{2, 4, 6, 8}));
  EXPECT_TRUE(transpose(y, 1, 2).is_contiguous());
  const Tensor from_copies =
      scaled_dot_product_attention(contiguous(parts[0]), contiguous(parts[1]), contiguous(parts[2]));
  EXPECT_EQ(contiguous(y).to_vector<float>(), from_copies.to_vector<float>());
}

TEST(Attention, NeverStoresTheWeights) {
  const std::int64_t length = 4096;
  const Tensor q = randn({1, length, 16}).requires_grad(true), k = randn({1, length, 16}), v = randn({1, length, 16});
  empty_cache();
  reset_peak();
  const std::int64_t before = memory_stats().allocated;
  scaled_dot_product_attention(q, k, v, {.causal = true}).backward(ones({1, length, 16}));
  EXPECT_LT(memory_stats().peak_allocated - before, length * length * 4 / 10);
}

TEST(Attention, FastGradientEqualsTheOneWithStoredWeights) {
  for (const std::int64_t batch : {2, 6})  // few heads, and enough for a task each
    for (const auto& [causal, dropped, window] : std::vector<std::tuple<bool, double, std::int64_t>>{
             {false, 0, 0}, {false, 0.3, 0}, {true, 0, 0}, {true, 0.3, 0}, {true, 0, 20}, {false, 0.3, 90}}) {
      RandomGenerator numbers(3);
      const auto input = [&](const Shape& shape) {
        return randn(shape, {.dtype = float64}, &numbers).requires_grad(true);
      };
      const Tensor q = input({batch, 6, 150, 8}), k = input({batch, 3, 270, 8}), v = input({batch, 3, 270, 5});
      RandomGenerator generator(11);
      const Tensor y = scaled_dot_product_attention(
          q, k, v, {.causal = causal, .window = window, .dropout = dropped, .grouped = true, .generator = &generator});
      const Tensor g = randn(y.shape(), {.dtype = float64}, &numbers);
      const auto fast = grad({y}, {q, k, v}, {g}, {.retain_graph = true});
      const auto stored = grad({y}, {q, k, v}, {g}, {.create_graph = true});
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_TRUE(allclose(fast[i], stored[i].detach(), {.rtol = 1e-9, .atol = 1e-11}))
            << i << " batch " << batch << " causal " << causal << " dropout " << dropped << " window " << window;
    }
}

/// A window is the mask that says the same, at every position of the tiles.
TEST(Attention, AWindowEqualsItsMask) {
  for (const auto& [batch, queries, keys, window, causal] :
       std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool>>{{1, 50, 600, 200, false},
                                                                                             {1, 70, 700, 5, false},
                                                                                             {17, 420, 300, 70, false},
                                                                                             {1, 300, 420, 90, true},
                                                                                             {17, 500, 90, 65, true},
                                                                                             {2, 300, 300, 1, false}}) {
    RandomGenerator numbers(3);
    const auto input = [&](std::int64_t rows) {
      return randn({batch, rows, 4}, {.dtype = float64}, &numbers).requires_grad(true);
    };
    const Tensor q = input(queries), k = input(keys), v = input(keys);
    const Tensor query = unsqueeze(arange(queries), 1), key = arange(keys);
    const Tensor y = scaled_dot_product_attention(q, k, v, {.causal = causal, .window = window});
    const Tensor masked =
        scaled_dot_product_attention(q, k, v, {.causal = causal, .mask = abs(key - query) < Scalar(window)});
    const Tensor g = randn(y.shape(), {.dtype = float64}, &numbers);
    EXPECT_TRUE(allclose(y.detach(), masked.detach(), {.rtol = 1e-10, .atol = 1e-12})) << queries << " " << keys;
    const auto wanted = grad({masked}, {q, k, v}, {g}), found = grad({y}, {q, k, v}, {g});
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_TRUE(allclose(found[i], wanted[i], {.rtol = 1e-9, .atol = 1e-11}))
          << i << " of " << queries << " " << keys;
  }
}

TEST(Attention, DoesNotDependOnTheNumberOfThreads) {
  const int before = num_threads();
  const auto values = [](int threads) {
    set_num_threads(threads);
    RandomGenerator numbers(5);
    const auto input = [&](const Shape& shape) { return randn(shape, {}, &numbers).requires_grad(true); };
    const Tensor q = input({2, 4, 130, 16}), k = input({2, 4, 300, 16}), v = input({2, 4, 300, 16});
    const Tensor y = scaled_dot_product_attention(q, k, v, {.causal = true});
    y.backward(y.detach());
    std::vector<float> all = y.to_vector<float>();
    for (const Tensor& x : {q, k, v})
      for (const float value : x.grad().to_vector<float>()) all.push_back(value);
    return all;
  };
  const auto one = values(1), three = values(3);
  set_num_threads(before);
  EXPECT_EQ(one, three);
}

TEST(Attention, HugeScoresDoNotOverflowAndNanStaysNan) {
  const Tensor q = full({1, 2}, 1e18), k = from_vector<float>({1e18f, 0, 0, 0}, {2, 2}),
               v = from_vector<float>({1, 2}, {2, 1});
  EXPECT_EQ(scaled_dot_product_attention(q, k, v).item<float>(), 1);
  const Tensor bad = full({1, 2}, NAN);
  EXPECT_TRUE(std::isnan(scaled_dot_product_attention(bad, k, v).item<float>()));
}

}  // namespace
}  // namespace minima::attention_test
