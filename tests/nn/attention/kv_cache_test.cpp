#include <minima/nn/attention/kv_cache.h>

#include "tests/support/expect_error.h"

#include <minima/autograd/mode.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace minima::nn::kv_cache_test {
namespace {

using test::expect_error;

/// A prompt at once, then tokens one by one or several at a time, give what attention over the whole gives.
TEST(KVCache, StepsFollowTheWholeSequence) {
  const NoGrad guard;
  const Tensor q = randn({2, 3, 9, 8}), k = randn({2, 3, 9, 8}), v = randn({2, 3, 9, 5});
  for (const std::int64_t window : {0, 3}) {
    const Tensor whole = scaled_dot_product_attention(q, k, v, {.causal = true, .window = window});
    KVCache cache(16);
    std::int64_t start = 0;
    for (const std::int64_t count : {4, 1, 1, 3}) {
      const auto part = [&](const Tensor& x) { return narrow(x, -2, start, count); };
      const auto [keys, values] = cache.append(part(k), part(v));
      EXPECT_EQ(keys.size(-2), start + count);
      const Tensor y = scaled_dot_product_attention(part(q), keys, values, {.mask = cache.mask(count, window)});
      EXPECT_TRUE(allclose(y, part(whole), {.rtol = 1e-5, .atol = 1e-6})) << start << " window " << window;
      start += count;
    }
    EXPECT_EQ(cache.length(), 9);
  }
}

TEST(KVCache, ReservesItsMemoryOnce) {
  const NoGrad guard;
  KVCache cache(8);
  const auto first = cache.append(ones({1, 2, 4}), ones({1, 2, 4}));
  const auto second = cache.append(ones({1, 3, 4}), ones({1, 3, 4}));
  EXPECT_EQ(first.k.data<float>(), second.k.data<float>());
  EXPECT_EQ(first.k.shape(), Shape({1, 2, 4}));
}

TEST(KVCache, TruncatesAndReorders) {
  const NoGrad guard;
  KVCache cache(4);
  const Tensor k = randn({3, 1, 2, 4}), v = randn({3, 1, 2, 4});
  cache.append(k, v);
  cache.truncate(1);
  const Tensor rows = tensor<std::int64_t>({2, 2, 0});
  cache.reorder(rows);
  const auto [keys, values] = cache.append(k, v);
  EXPECT_EQ(keys.size(-2), 3);
  EXPECT_TRUE(identical(select(select(keys, 0, 0), 1, 0), select(select(k, 0, 2), 1, 0)));
  EXPECT_TRUE(identical(select(select(values, 0, 2), 1, 0), select(select(v, 0, 0), 1, 0)));
  EXPECT_TRUE(identical(contiguous(narrow(keys, -2, 1, 2)), k));
}

TEST(KVCache, HidesPaddingOfEachRow) {
  const NoGrad guard;
  KVCache cache(6);
  cache.hide(tensor({0, 2}).to(int64));
  EXPECT_EQ(cache.positions(3).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2, 0, 0, 0}));
  cache.append(zeros({2, 1, 3, 4}), zeros({2, 1, 3, 4}));
  EXPECT_EQ(cache.positions(1).to_vector<std::int64_t>(), (std::vector<std::int64_t>{3, 1}));
  const Tensor mask = cache.mask(2);
  EXPECT_EQ(mask.shape(), (Shape{2, 1, 2, 3}));
  EXPECT_EQ(mask.to(int64).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1}));  // padding sees itself
  EXPECT_EQ(cache.mask(1, 2).to(int64).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 1, 0, 0, 1}));
  cache.reorder(tensor({1}).to(int64));
  EXPECT_EQ(cache.mask(1).to(int64).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_THROW(cache.hide(tensor({1, 1}).to(int64)), ShapeError);
  EXPECT_THROW(cache.hide(tensor({1.0f})), ShapeError);
}

TEST(KVCache, KeepsPositionsInItsDtype) {
  const NoGrad guard;
  KVCache cache(4, bfloat16);
  EXPECT_EQ(cache.bytes(), 0);
  const Tensor k = full({1, 1, 2, 3}, 1.001);
  const auto [keys, values] = cache.append(k, k);
  EXPECT_EQ(keys.dtype(), bfloat16);
  EXPECT_EQ(values[0][0][1][2].item<float>(), 1.0f);
  EXPECT_EQ(cache.bytes(), 2 * 4 * 3 * 2);
  EXPECT_THROW(KVCache(4, int64), DTypeError);
}

TEST(KVCache, RefusesWhatDoesNotFit) {
  expect_error<ValueError>([] { KVCache(0); }, "KVCache: capacity must be at least 1, not 0");
  KVCache cache(3);
  cache.append(zeros({1, 2, 4}), zeros({1, 2, 4}));
  expect_error<ValueError>([&] { cache.append(zeros({1, 2, 4}), zeros({1, 2, 4})); },
                           "KVCache: 2 more positions do not fit: 2 of 3 are taken; make it larger or call truncate()");
  expect_error<ShapeError>([&] { cache.append(zeros({2, 1, 4}), zeros({2, 1, 4})); },
                           "KVCache: append got float32 [2, 1, 4] after positions in float32 [1, 3, 4]; only dimension "
                           "-2 may differ");
  expect_error<DTypeError>(
      [&] {
        const Tensor x = zeros({1, 1, 4}, {.dtype = float64});
        cache.append(x, x);
      },
      "KVCache: append got float64 [1, 1, 4] after positions in float32 [1, 3, 4]; convert it with to()");
  expect_error<ShapeError>([&] { cache.append(zeros({1, 1, 4}), zeros({1, 2, 4})); },
                           "KVCache: append needs k [..., T, E] and v [..., T, Ev], got float32 [1, 1, 4] and float32 "
                           "[1, 2, 4]");
  expect_error<Error>([&] { cache.append(zeros({1, 1, 4}).requires_grad(true), zeros({1, 1, 4})); },
                      "KVCache: append records no gradient; call the model under NoGrad, or give it k.detach() and "
                      "v.detach()");
  expect_error<ValueError>([&] { cache.truncate(3); }, "KVCache: truncate needs 0 to 2 positions, got 3");
  expect_error<ValueError>([&] { cache.mask(3); },
                           "KVCache: mask needs 0 to 2 queries and a window of at least 0, got 3 and 0");
}

}  // namespace
}  // namespace minima::nn::kv_cache_test
