#include "tests/ops/checks/op_cases.h"
#include "tests/support/engines.h"

#include <minima/ops/convolution/conv.h>
#include <minima/ops/convolution/convolution.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace minima::conv2d_test {
namespace {

using namespace test;

/// Calls f(result index, input index, weight index), all row-major, for every product of the definition.
template <class F>
void each_product(const Shape& x, const Shape& w, const Conv2dOptions& o, F&& f) {
  const std::int64_t oh = (x[2] + 2 * o.padding.height - o.dilation.height * (w[2] - 1) - 1) / o.stride.height + 1;
  const std::int64_t ow = (x[3] + 2 * o.padding.width - o.dilation.width * (w[3] - 1) - 1) / o.stride.width + 1;
  for (std::int64_t n = 0; n < x[0]; ++n)
    for (std::int64_t out = 0; out < w[0]; ++out)
      for (std::int64_t i = 0; i < oh; ++i)
        for (std::int64_t j = 0; j < ow; ++j)
          for (std::int64_t c = 0; c < w[1]; ++c)
            for (std::int64_t a = 0; a < w[2]; ++a)
              for (std::int64_t b = 0; b < w[3]; ++b) {
                const std::int64_t row = i * o.stride.height - o.padding.height + a * o.dilation.height;
                const std::int64_t column = j * o.stride.width - o.padding.width + b * o.dilation.width;
                if (row < 0 || row >= x[2] || column < 0 || column >= x[3]) continue;
                const std::int64_t channel = out / (w[0] / o.groups) * w[1] + c;
                f(static_cast<std::size_t>(((n * w[0] + out) * oh + i) * ow + j),
                  static_cast<std::size_t>(((n * x[1] + channel) * x[2] + row) * x[3] + column),
                  static_cast<std::size_t>(((out * w[1] + c) * w[2] + a) * w[3] + b));
              }
}

Shape result_shape(const Shape& x, const Shape& w, const Conv2dOptions& o) {
  return {x[0], w[0], (x[2] + 2 * o.padding.height - o.dilation.height * (w[2] - 1) - 1) / o.stride.height + 1,
          (x[3] + 2 * o.padding.width - o.dilation.width * (w[3] - 1) - 1) / o.stride.width + 1};
}

auto reference(const Conv2dOptions& options) {
  return [options](const std::vector<Doubles>& in) {
    Doubles y(result_shape(in[0].shape, in[1].shape, options));
    const std::int64_t positions = y.shape[2] * y.shape[3];
    if (in.size() > 2)
      for (std::int64_t i = 0; i < y.numel(); ++i)
        y.values[static_cast<std::size_t>(i)] = in[2].values[static_cast<std::size_t>(i / positions % y.shape[1])];
    each_product(in[0].shape, in[1].shape, options, [&](std::size_t r, std::size_t x, std::size_t w) {
      y.values[r] += in[0].values[x] * in[1].values[w];
    });
    return y;
  };
}

auto call(const Conv2dOptions& options) {
  return [options](In in) { return conv2d(in[0], in[1], in.size() > 2 ? in[2] : Tensor(), options); };
}
auto by_eigen(const Conv2dOptions& options) {
  return [options](In in) {
    const EigenOnly guard;
    return conv2d(in[0], in[1], in.size() > 2 ? in[2] : Tensor(), options);
  };
}

const Conv2dOptions odd{.stride = {2, 1}, .padding = {1, 2}, .dilation = {1, 2}};
const Conv2dOptions padded{.padding = 1};
const Conv2dOptions strided{.stride = {2, 3}};
const Conv2dOptions depthwise{.stride = 2, .padding = 1, .groups = 4};
const Conv2dOptions in_groups{.padding = {0, 1}, .groups = 2};

OpCases table() {
  OpCases cases("conv2d");
  cases.autocast("lower precision").by_cudnn();
  cases.optional_input(2).result_layout(ResultLayout::convolved);
  for (const bool eigen : {false, true}) {
    const auto with = [&](const Conv2dOptions& options, const char* text) -> OpCases& {
      const std::string name = str(text, eigen ? " by Eigen" : "");
      return eigen ? cases.on(by_eigen(options), reference(options), name)
                   : cases.on(call(options), reference(options), name);
    };
    with({}, "plain")
        .inputs(normal({1, 2, 3, 4}), normal({2, 2, 2, 3}), normal({2}))
        .inputs(normal({2, 3, 2, 2}), normal({2, 3, 1, 1}))
        .inputs(normal({0, 2, 3, 4}), normal({2, 2, 2, 2}), normal({2}))
        .inputs(normal({2, 2, 3, 4}), normal({0, 2, 2, 2}))
        .inputs(normal({2, 0, 3, 4}), normal({2, 0, 2, 2}), normal({2}))
        .inputs(normal({1, 1, 3, 3}), normal({1, 1, 3, 3}))
        .inputs(normal({5, 17, 23, 23}), normal({9, 17, 1, 1}), normal({9}))
        .contraction(17)
        .inputs(normal({3, 9, 38, 39}), normal({5, 9, 3, 3}), normal({5}))
        .contraction(81);
    with(padded, "padding")
        .inputs(normal({1, 2, 3, 3}), normal({2, 2, 3, 3}))
        .inputs(normal({1, 1, 3, 4}), normal({2, 1, 3, 3}), normal({2}))
        .inputs(normal({3, 8, 9, 7}), normal({16, 8, 3, 3}), normal({16}))
        .inputs(normal({17, 1, 12, 12}), normal({32, 1, 3, 3}), normal({32}))
        .contraction(72)
        .inputs(normal({2, 48, 31, 20}), normal({40, 48, 3, 3}), normal({40}))  // in bands of rows
        .contraction(432);
    with(odd, "stride, padding and dilation")
        .inputs(normal({1, 2, 4, 3}), normal({2, 2, 2, 2}), normal({2}))
        .inputs(normal({2, 8, 9, 10}), normal({8, 8, 3, 2}), normal({8}))
        .contraction(48)
        .inputs(normal({1, 48, 30, 20}), normal({40, 48, 3, 3}), normal({40}))
        .contraction(432);
    with(strided, "1 x 1, stride").inputs(normal({2, 5, 7, 8}), normal({6, 5, 1, 1})).contraction(5);
    // Fewer positions than outputs: products with the weights as they are.
    with({}, "few positions").inputs(normal({3, 5, 4, 3}), normal({520, 5, 1, 1}), normal({520})).contraction(5);
    with(odd, "few positions with stride, padding and dilation")
        .inputs(normal({3, 5, 4, 3}), normal({520, 5, 3, 3}), normal({520}))
        .contraction(45);
    with(depthwise, "a group per channel")
        .inputs(normal({1, 4, 3, 3}), normal({4, 1, 2, 2}), normal({4}))
        .inputs(normal({2, 4, 9, 10}), normal({8, 1, 3, 3}), normal({8}))
        .contraction(9);
    with(in_groups, "groups")
        .inputs(normal({1, 4, 2, 3}), normal({2, 2, 2, 2}), normal({2}))
        .inputs(normal({3, 16, 7, 6}), normal({32, 8, 3, 3}), normal({32}))
        .contraction(72);
  }
  cases.huge([](auto v) { conv2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.stride = v}); })
      .huge([](auto v) { conv2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.padding = v}); })
      .huge([](auto v) { conv2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.dilation = v}); })
      .huge([](auto v) {
        conv2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.padding = {v / 2, 1}, .dilation = {v / 2, 1}});
      })
      .huge([](auto v) { conv2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.groups = v}); })
      .huge([](auto v) { conv2d(ones({2, 0, 5, 6}), ones({0, 2, 3, 3}), {}, {.groups = v}); })
      .huge([](auto v) { conv2d(ones({0, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.padding = v}); })
      .recorded("conv2d", "lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1)",
                [](In in) { return conv2d(in[0], in[1], in[2], {.stride = 2, .padding = 1}); })
      .recorded("conv2d.dilated", "lambda x, w: F.conv2d(x, w, dilation=2, groups=2, padding=(2, 1))",
                [](In in) { return conv2d(in[0], in[1], {}, {.padding = {2, 1}, .dilation = 2, .groups = 2}); })
      .error<ShapeError>([] { conv2d(sized({8, 8}), sized({4, 3, 3, 3})); },
                         "conv2d: x must be [N, C, H, W] or [C, H, W], got [8, 8]")
      .error<ShapeError>([] { conv2d(sized({1, 3, 8, 8}), sized({4, 3})); },
                         "conv2d: weight must be [O, C / groups, kH, kW], got [4, 3]")
      .error<ShapeError>([] { conv2d(sized({2, 3, 8, 8}), sized({4, 5, 3, 3})); },
                         "conv2d: x [2, 3, 8, 8] has 3 channels, but weight [4, 5, 3, 3] takes 5")
      .error<ShapeError>(
          [] { conv2d(sized({2, 28, 28, 1}), sized({4, 1, 3, 3})); },
          "conv2d: x [2, 28, 28, 1] has 28 channels, but weight [4, 1, 3, 3] takes 1; is x in NHWC order? "
          "permute it to [N, C, H, W]")
      .error<ShapeError>([] { conv2d(sized({2, 6, 8, 8}), sized({4, 2, 3, 3}), {}, {.groups = 2}); },
                         "conv2d: x [2, 6, 8, 8] has 6 channels in 2 groups, but weight [4, 2, 3, 3] takes 2 per group")
      .error<ShapeError>([] { conv2d(sized({2, 6, 8, 8}), sized({4, 2, 3, 3}), {}, {.groups = 3}); },
                         "conv2d: 3 groups do not divide the 6 channels of x [2, 6, 8, 8] and the 4 outputs of weight "
                         "[4, 2, 3, 3]")
      .error<ShapeError>([] { conv2d(sized({1, 3, 4, 4}), sized({4, 3, 5, 5})); },
                         "conv2d: the kernel of weight [4, 3, 5, 5] is larger than x [1, 3, 4, 4] with padding [0, 0]")
      .error<ShapeError>(
          [] { conv2d(sized({1, 3, 4, 4}), sized({4, 3, 3, 3}), {}, {.dilation = 2}); },
          "conv2d: the kernel of weight [4, 3, 3, 3] with dilation [2, 2] is larger than x [1, 3, 4, 4] with "
          "padding [0, 0]")
      .error<ShapeError>([] { conv2d(sized({1, 3, 4, 4}), sized({4, 3, 3, 3}), sized({3})); },
                         "conv2d: bias must be [4] for weight [4, 3, 3, 3], got [3]")
      .error<ValueError>([] { conv2d(sized({1, 3, 4, 4}), sized({4, 3, 3, 3}), {}, {.stride = {1, 0}}); },
                         "conv2d: stride must be at least 1, got [1, 0]")
      .error<DTypeError>([] { conv2d(sized({1, 3, 4, 4}), sized({4, 3, 3, 3}, float64)); },
                         "conv2d: dtypes differ: float32 [1, 3, 4, 4] and float64 [4, 3, 3, 3]; convert one with to()");
  return cases;
}
[[maybe_unused]] const bool conv2d_cases =
    table()
        .error<ShapeError>([] { conv2d(empty({1, 2, 2, 2}), empty({2, 2, 0, 3})); },
                           "conv2d: the kernel of weight [2, 2, 0, 3] is empty")
        .error<ValueError>([] { conv2d(empty({1, 2, 2, 2}), empty({2, 2, 1, 1}), {}, {.groups = -1}); },
                           "conv2d: groups must be at least 1, got -1")
        .check();

/// The gradients by the definition: by the input from (g, weight), by the weight from (x, g).
Doubles reference_by_input(const Doubles& g, const Doubles& w, const Shape& x, const Conv2dOptions& options) {
  Doubles result(x);
  each_product(x, w.shape, options,
               [&](std::size_t r, std::size_t i, std::size_t k) { result.values[i] += g.values[r] * w.values[k]; });
  return result;
}
Doubles reference_by_weight(const Doubles& x, const Doubles& g, const Shape& w, const Conv2dOptions& options) {
  Doubles result(w);
  each_product(x.shape, w, options,
               [&](std::size_t r, std::size_t i, std::size_t k) { result.values[k] += g.values[r] * x.values[i]; });
  return result;
}

Layout rows(const Shape& shape) { return Layout::contiguous(shape); }

OpCases input_gradient_table() {
  OpCases cases("conv2d_input_gradient");
  cases.by_cudnn()
      .error<DTypeError>(
          [] { conv2d_input_gradient(sized({1, 1, 2, 2}, int64), sized({1, 1, 1, 1}, int64), rows({1, 1, 2, 2}), {}); },
          "conv2d_input_gradient: needs floating dtypes, got int64 [1, 1, 2, 2]; convert it with to()")
      .error<ShapeError>(
          [] { conv2d_input_gradient(sized({1, 1, 3, 2}), sized({1, 1, 1, 1}), rows({1, 1, 2, 2}), {}); },
          "conv2d_input_gradient: g must be [1, 1, 2, 2] for x [1, 1, 2, 2] and weight [1, 1, 1, 1], got [1, 1, 3, 2]");
  for (const bool eigen : {false, true})
    for (const Conv2dOptions& options : {Conv2dOptions{}, padded, odd}) {
      const auto with = [&](const Shape& x) {
        cases.on(
            [=](In in) {
              std::optional<EigenOnly> guard;
              if (eigen) guard.emplace();
              return conv2d_input_gradient(in[0], in[1], rows(x), options);
            },
            [=](const std::vector<Doubles>& in) { return reference_by_input(in[0], in[1], x, options); },
            eigen ? "by Eigen" : "");
      };
      const Shape small{1, 2, 4, 3}, few{2, 2, 2, 2};
      with(small);
      cases.inputs(normal(result_shape(small, few, options)), normal(few)).contraction(8);
      const Shape large{64, 8, 13, 11}, many{9, 8, 3, 3};
      with(large);
      cases.inputs(normal(result_shape(large, many, options)), normal(many)).contraction(216);
      const Shape none{0, 2, 4, 3};
      with(none);
      cases.inputs(normal(result_shape(none, few, options)), normal(few));
    }
  // Few images: in bands of rows, of which the last has fewer.
  for (const Conv2dOptions& options : {Conv2dOptions{}, padded, Conv2dOptions{.padding = {2, 1}, .dilation = {2, 1}}})
    for (const std::int64_t images : {1, 3}) {
      const Shape x{images, 48, 31, 20}, filters{40, 48, 3, 3};
      cases
          .on([=](In in) { return conv2d_input_gradient(in[0], in[1], Layout::channels_last(x), options); },
              [=](const std::vector<Doubles>& in) { return reference_by_input(in[0], in[1], x, options); }, "in bands")
          .inputs(normal(result_shape(x, filters, options)), normal(filters))
          .contraction(40 * 9);
    }
  // Fewer positions than outputs: products with the weights as they are.
  for (const Conv2dOptions& options : {padded, odd}) {
    const Shape x{2, 70, 4, 3}, filters{512, 70, 3, 3};
    cases
        .on([=](In in) { return conv2d_input_gradient(in[0], in[1], Layout::channels_last(x), options); },
            [=](const std::vector<Doubles>& in) { return reference_by_input(in[0], in[1], x, options); },
            "of few positions")
        .inputs(normal(result_shape(x, filters, options)), normal(filters))
        .contraction(512 * 9);
  }
  cases.error<ShapeError>(
      [] { conv2d_input_gradient(sized({1, 4, 5, 5}), sized({4, 3, 3, 3}), rows({1, 3, 8, 8}), {}); },
      "conv2d_input_gradient: g must be [1, 4, 6, 6] for x [1, 3, 8, 8] and weight [4, 3, 3, 3], got "
      "[1, 4, 5, 5]");
  return cases;
}
[[maybe_unused]] const bool input_gradient_cases = input_gradient_table().check();

OpCases weight_gradient_table() {
  OpCases cases("conv2d_weight_gradient");
  cases.by_cudnn()
      .error<DTypeError>(
          [] {
            conv2d_weight_gradient(sized({1, 1, 2, 2}, int64), sized({1, 1, 2, 2}, int64), rows({1, 1, 1, 1}), {});
          },
          "conv2d_weight_gradient: needs floating dtypes, got int64 [1, 1, 2, 2]; convert it with to()")
      .error<ShapeError>(
          [] { conv2d_weight_gradient(sized({1, 1, 2, 2}), sized({1, 1, 3, 2}), rows({1, 1, 1, 1}), {}); },
          "conv2d_weight_gradient: g must be [1, 1, 2, 2] for x [1, 1, 2, 2] and weight [1, 1, 1, 1], got [1, 1, 3, "
          "2]");
  for (const bool eigen : {false, true})
    for (const Conv2dOptions& options : {Conv2dOptions{}, padded, odd}) {
      const auto with = [&](const Shape& w) {
        cases.on(
            [=](In in) {
              std::optional<EigenOnly> guard;
              if (eigen) guard.emplace();
              return conv2d_weight_gradient(in[0], in[1], rows(w), options);
            },
            [=](const std::vector<Doubles>& in) { return reference_by_weight(in[0], in[1], w, options); },
            eigen ? "by Eigen" : "");
      };
      const Shape small{1, 2, 4, 3}, few{2, 2, 2, 2}, large{19, 16, 13, 11}, many{9, 16, 3, 3}, none{0, 2, 4, 3};
      with(few);
      cases.inputs(normal(small), normal(result_shape(small, few, options))).contraction(24);
      cases.inputs(normal(none), normal(result_shape(none, few, options)));
      with(many);
      cases.inputs(normal(large), normal(result_shape(large, many, options))).contraction(19 * 143);
      // As products over patches: in blocks of channels and slices of the batch, of so few positions that the products
      // are the result, and of parts of rows.
      const Shape images{5, 70, 9, 8}, filters{33, 70, 3, 3}, tiny{3, 18, 4, 3}, pixels{33, 70, 1, 1};
      const Shape wide{1, 32, 3, 400}, lines{32, 32, 3, 3};
      with(lines);
      cases.inputs(normal(wide), normal(result_shape(wide, lines, options))).contraction(3 * 400);
      with(filters);
      cases.inputs(normal(images), normal(result_shape(images, filters, options))).contraction(5 * 72);
      with(pixels);
      cases.inputs(normal(images), normal(result_shape(images, pixels, options))).contraction(5 * 72);
      with({40, 18, 3, 3});
      cases.inputs(normal(tiny), normal(result_shape(tiny, {40, 18, 3, 3}, options))).contraction(3 * 12);
    }
  cases.error<ShapeError>(
      [] { conv2d_weight_gradient(sized({1, 3, 8, 8}), sized({1, 4, 5, 5}), rows({4, 3, 3, 3}), {}); },
      "conv2d_weight_gradient: g must be [1, 4, 6, 6] for x [1, 3, 8, 8] and weight [4, 3, 3, 3], got "
      "[1, 4, 5, 5]");
  return cases;
}
[[maybe_unused]] const bool weight_gradient_cases = weight_gradient_table().check();

Tensor ones(const Shape& shape) {
  const Tensor x = sized(shape);
  fill_(x, 1);
  return x;
}

TEST(Conv2d, RunsOnTheIntendedEngine) {
#ifdef MINIMA_HAVE_ONEDNN
  const detail::Engine first = detail::Engine::onednn;
#else
  const detail::Engine first = detail::Engine::eigen;
#endif
  for (const std::int64_t groups : {1, 8}) {
    const auto step = [&](DType dtype) {
      const Tensor x = ones({4, 8, 6, 6}).to(dtype).requires_grad(true),
                   w = ones({8, 8 / groups, 3, 3}).to(dtype).requires_grad(true);
      sum(conv2d(x, w, {}, {.groups = groups})).backward();
    };
    EXPECT_EQ(calls_of(first, [&] { step(float32); }), 3) << groups << " groups";
    EXPECT_EQ(calls_of(detail::Engine::eigen, [&] { step(float64); }), 3);
    EXPECT_EQ(calls_of(detail::Engine::eigen,
                       [&] {
                         const EigenOnly guard;
                         step(float32);
                       }),
              3);
  }
}

#ifdef MINIMA_HAVE_ONEDNN
// oneDNN 2.6 has written over the heap there: up to 7 times its scratchpad's size for one channel.
TEST(Conv2d, WeightGradientsOfFewChannelsWithAStrideAreNotOneDnns) {
  const auto step = [&](std::int64_t channels, std::int64_t kernel) {
    const Tensor x = ones({2, channels, 16, 16}), w = ones({8, channels, kernel, kernel}).requires_grad(true);
    sum(conv2d(x, w, {}, {.stride = 2})).backward();
    EXPECT_EQ(sum(w.grad()).item<float>(), static_cast<float>(w.numel() * (kernel == 1 ? 2 * 8 * 8 : 2 * 7 * 7)));
  };
  EXPECT_EQ(calls_of(detail::Engine::eigen, [&] { step(4, 1); }), 1);
  EXPECT_EQ(calls_of(detail::Engine::eigen, [&] { step(16, 1); }), 0);
  EXPECT_EQ(calls_of(detail::Engine::eigen, [&] { step(4, 3); }), 0);
}
#endif

TEST(Conv2d, AddsTheWeightGradientIntoItsPlace) {
  for (const bool last : {false, true}) {
    const Tensor x = ones({4, 3, 5, 5});
    Tensor weight = last ? channels_last(ones({2, 3, 3, 3})) : ones({2, 3, 3, 3});
    weight.requires_grad(true);
    sum(conv2d(x, weight)).backward();
    const void* place = weight.grad().raw_data();
    sum(conv2d(x, weight)).backward();
    EXPECT_EQ(weight.grad().raw_data(), place);
    EXPECT_EQ(weight.grad().strides(), weight.strides());
    EXPECT_EQ(weight.grad().to_vector<float>(), std::vector<float>(54, 72));
  }
}

/// A batch, and the outputs of a convolution of it.
struct Size {
  Shape batch;
  std::int64_t outputs;
};

TEST(Conv2d, IsBitwiseTheSameForAnyNumberOfThreads) {
  const int threads = num_threads();
  for (const bool eigen : {false, true})
    for (const auto& [size, last] : {std::pair{Size{{37, 16, 15, 14}, 32}, false},
                                     {Size{{37, 16, 15, 14}, 32}, true},
                                     {Size{{3, 144, 5, 4}, 512}, true},
                                     {Size{{1, 32, 41, 30}, 32}, true}}) {
      std::optional<EigenOnly> guard;
      if (eigen) guard.emplace();
      const auto values = [&](int count) {
        set_num_threads(count);
        const Tensor plain = lay_out(draw(normal(size.batch), float32, 1), float32, Form::row_major);
        const Tensor x = Tensor(last ? channels_last(plain) : plain).requires_grad(true);
        const Shape filters{size.outputs, size.batch[1], 3, 3};
        const Tensor w = lay_out(draw(normal(filters), float32, 2), float32, Form::row_major).requires_grad(true);
        const Tensor y = conv2d(x, w, {}, {.padding = 1});
        y.backward(y.detach());
        std::vector<std::vector<float>> all{y.to_vector<float>(), x.grad().to_vector<float>(),
                                            w.grad().to_vector<float>()};
        return all;
      };
      const auto expected = values(1);
      EXPECT_EQ(values(2), expected);
      EXPECT_EQ(values(5), expected);
    }
  set_num_threads(threads);
}

}  // namespace
}  // namespace minima::conv2d_test
