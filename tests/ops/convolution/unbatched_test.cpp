#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/sample.h"

#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <functional>

// An unbatched sample, which PyTorch takes too, gives bit for bit the results and gradients of a batch of one.

namespace minima::unbatched_test {
namespace {

using test::leaf;
using test::message_of;
using test::sample;

struct Case {
  const char* name;
  Shape x;
  std::vector<Shape> others;  ///< weight and bias
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> call;
};

using In = const std::vector<Tensor>&;

std::vector<Tensor> both(const ValuesAndIndices& y) { return {y.values, y.indices}; }

std::vector<Case> cases() {
  const auto one = [](auto f) { return [f](In in) { return std::vector<Tensor>{f(in)}; }; };
  return {
      {"conv1d", {4, 9}, {{6, 2, 3}, {6}}, one([](In in) {
         return conv1d(in[0], in[1], in[2], {.stride = 2, .padding = 1, .groups = 2});
       })},
      {"conv2d", {4, 7, 9}, {{6, 2, 3, 2}, {6}}, one([](In in) {
         return conv2d(in[0], in[1], in[2], {.padding = {1, 0}, .dilation = 2, .groups = 2});
       })},
      {"conv_transpose1d", {4, 5}, {{4, 3, 3}, {3}}, one([](In in) {
         return conv_transpose1d(in[0], in[1], in[2], {.stride = 2, .output_padding = 1});
       })},
      {"conv_transpose2d", {4, 3, 5}, {{4, 3, 3, 2}, {3}}, one([](In in) {
         return conv_transpose2d(in[0], in[1], in[2], {.stride = 2});
       })},
      {"max_pool1d", {3, 8}, {}, one([](In in) {
         return max_pool1d(in[0], {.kernel = 3, .stride = 2, .padding = 1});
       })},
      {"max_pool2d", {3, 8, 5}, {}, one([](In in) {
         return max_pool2d(in[0], {.kernel = 3, .stride = 2, .ceil_mode = true});
       })},
      {"max_pool2d_with_indices",
       {3, 8, 5},
       {},
       [](In in) { return both(max_pool2d_with_indices(in[0], {.kernel = 2})); }},
      {"avg_pool1d", {3, 8}, {}, one([](In in) { return avg_pool1d(in[0], {.kernel = 3, .padding = 1}); })},
      {"avg_pool2d", {3, 8, 5}, {}, one([](In in) {
         return avg_pool2d(in[0], {.kernel = 3, .stride = 2, .count_include_pad = false});
       })},
      {"adaptive_avg_pool1d", {3, 8}, {}, one([](In in) { return adaptive_avg_pool1d(in[0], 3); })},
      {"adaptive_avg_pool2d", {3, 8, 5}, {}, one([](In in) { return adaptive_avg_pool2d(in[0], {3, 2}); })},
      {"adaptive_max_pool1d", {3, 8}, {}, one([](In in) { return adaptive_max_pool1d(in[0], 3); })},
      {"adaptive_max_pool2d", {3, 8, 5}, {}, one([](In in) { return adaptive_max_pool2d(in[0], {3, 2}); })},
  };
}

std::vector<Tensor> arguments(const Case& c, const Tensor& x) {
  std::vector<Tensor> in{leaf(x)};
  for (std::size_t i = 0; i < c.others.size(); ++i)
    in.push_back(leaf(sample(c.others[i], 2 + static_cast<unsigned>(i), float32)));
  return in;
}

TEST(Unbatched, IsTheBatchOfOneWithItsGradients) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Tensor x = sample(c.x, 1, float32);
    const std::vector<Tensor> single = arguments(c, x), batched = arguments(c, unsqueeze(x, 0));
    const std::vector<Tensor> got = c.call(single), expected = c.call(batched);
    ASSERT_EQ(got[0].rank(), x.rank());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto same = test::compare_bitwise(got[i], squeeze(expected[i], 0));
      EXPECT_TRUE(same) << same.message;
    }
    const Tensor g = sample(got[0].shape(), 9, float32);
    got[0].backward(g);
    expected[0].backward(unsqueeze(g, 0));
    for (std::size_t i = 0; i < single.size(); ++i) {
      const Tensor want = i == 0 ? squeeze(batched[i].grad(), 0) : batched[i].grad();
      const auto same = test::compare_bitwise(single[i].grad(), want);
      EXPECT_TRUE(same) << "gradient of input " << i << ": " << same.message;
    }
  }
}

TEST(Unbatched, TakesEveryLayout) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Tensor x = sample(c.x, 1, float32);
    const std::vector<Tensor> rows = c.call(arguments(c, x)),
                              strided = c.call(arguments(c, test::scattered(x, 0, x.rank() - 1)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto close = test::compare(strided[i], rows[i], {.relative = 1e-6, .absolute = 1e-6});
      EXPECT_TRUE(close) << close.message;
    }
  }
}

TEST(Unbatched, ErrorsNameTheShapeThatWasGiven) {
  EXPECT_EQ(message_of<ShapeError>([] { conv2d(empty({3, 8, 8}), empty({4, 5, 3, 3})); }),
            "conv2d: x [1, 3, 8, 8] has 3 channels, but weight [4, 5, 3, 3] takes 5\n"
            "  x is float32 [3, 8, 8], a single sample, treated as a batch of one");
  EXPECT_EQ(message_of<ShapeError>([] { avg_pool1d(empty({2, 3}), {.kernel = 5}); }),
            "avg_pool1d: a kernel that spans 5 is larger than the sequences of x float32 [1, 2, 3] with padding 0\n"
            "  x is float32 [2, 3], a single sample, treated as a batch of one");
  EXPECT_EQ(message_of<DTypeError>([] { max_pool2d(zeros({1, 4, 4}, {.dtype = int64}), {.kernel = 2}); }),
            "max_pool2d: needs a floating tensor, got int64 [1, 1, 4, 4]; convert it with to()\n"
            "  x is int64 [1, 4, 4], a single sample, treated as a batch of one");
}

// As in PyTorch, interpolate and norms have no unbatched form.
TEST(Unbatched, IsNoFormOfInterpolateAndNorms) {
  EXPECT_THROW(interpolate(empty({3, 8}), {.scale = {2.0}}), ShapeError);
  EXPECT_THROW(batch_norm(empty({8}), {}, {}, {}, {}, {.training = true}), ShapeError);
  EXPECT_THROW(group_norm(empty({4}), 2), ShapeError);
}

}  // namespace
}  // namespace minima::unbatched_test
