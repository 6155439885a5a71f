#include "tests/ops/checks/op_cases.h"

#include <minima/ops/convolution/conv.h>
#include <minima/ops/convolution/conv_transpose.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <array>

namespace minima::conv_transpose_test {
namespace {

using namespace test;

/// Every input element is spread over the result by the kernel.
auto transposed(const ConvTranspose2dOptions& o) {
  return [o](const std::vector<Doubles>& in) {
    const Shape &x = in[0].shape, &w = in[1].shape;
    const auto size = [](std::int64_t n, std::int64_t k, std::int64_t stride, std::int64_t padding, std::int64_t more,
                         std::int64_t dilation) {
      return (n - 1) * stride - 2 * padding + dilation * (k - 1) + more + 1;
    };
    const std::int64_t inputs = x[1] / o.groups;
    Doubles y({x[0], w[1] * o.groups,
               size(x[2], w[2], o.stride.height, o.padding.height, o.output_padding.height, o.dilation.height),
               size(x[3], w[3], o.stride.width, o.padding.width, o.output_padding.width, o.dilation.width)});
    each_index(x, [&](const Shape& at) {
      for (std::int64_t out = 0; out < w[1]; ++out)
        for (std::int64_t a = 0; a < w[2]; ++a)
          for (std::int64_t b = 0; b < w[3]; ++b) {
            const std::int64_t row = at[2] * o.stride.height - o.padding.height + a * o.dilation.height;
            const std::int64_t column = at[3] * o.stride.width - o.padding.width + b * o.dilation.width;
            if (row < 0 || row >= y.shape[2] || column < 0 || column >= y.shape[3]) continue;
            y[{at[0], at[1] / inputs * w[1] + out, row, column}] += in[0][at] * in[1][{at[1], out, a, b}];
          }
    });
    return y;
  };
}

const ConvTranspose2dOptions doubling{.stride = 2, .padding = 1, .output_padding = {1, 0}},
    grouped{.stride = {1, 2}, .padding = {0, 1}, .dilation = {2, 1}, .groups = 2},
    dilated{.stride = {2, 1}, .padding = {1, 2}, .output_padding = {3, 1}, .dilation = {4, 2}};
[[maybe_unused]] const bool conv_transpose2d_cases =
    OpCases("conv_transpose2d")
        .autocast("lower precision")
        .by_cudnn()
        .result_layout(ResultLayout::convolved)
        .tolerance(4)  // the weight's gradient adds up all positions
        .without("hidden", "it is made of other operators")
        .on([](In in) { return conv_transpose2d(in[0], in[1], {}, doubling); }, transposed(doubling), "stride 2")
        .contraction(40)
        .inputs(normal({2, 2, 2, 3}), normal({2, 3, 3, 2}))
        .inputs(normal({0, 2, 2, 3}), normal({2, 3, 3, 2}))
        .inputs(normal({1, 4, 110, 100}), normal({4, 3, 4, 4}))
        .on([](In in) { return conv_transpose2d(in[0], in[1], {}, grouped); }, transposed(grouped), "groups")
        .contraction(20)
        .inputs(normal({1, 4, 3, 2}), normal({4, 1, 2, 3}))
        .on([](In in) { return conv_transpose2d(in[0], in[1], {}, dilated); }, transposed(dilated),
            "output padding beyond the stride")
        .contraction(20)
        .inputs(normal({2, 2, 2, 3}), normal({2, 2, 2, 3}))
        .huge([](auto v) { conv_transpose2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.stride = v}); })
        .huge([](auto v) { conv_transpose2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.padding = v}); })
        .huge([](auto v) {
          conv_transpose2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.stride = v, .output_padding = v / 2});
        })
        .huge([](auto v) { conv_transpose2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.dilation = v}); })
        .huge([](auto v) { conv_transpose2d(ones({2, 4, 5, 6}), ones({4, 4, 3, 3}), {}, {.groups = v}); })
        .huge([](auto v) { conv_transpose2d(ones({2, 0, 5, 6}), ones({0, 4, 3, 3}), {}, {.groups = v}); })
        .recorded("conv_transpose2d",
                  "lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1)",
                  [](In in) {
                    return conv_transpose2d(in[0], in[1], in[2], {.stride = 2, .padding = 1, .output_padding = 1});
                  })
        .recorded(
            "conv_transpose2d.grouped", "lambda x, w: F.conv_transpose2d(x, w, dilation=2, groups=2, padding=(2, 1))",
            [](In in) { return conv_transpose2d(in[0], in[1], {}, {.padding = {2, 1}, .dilation = 2, .groups = 2}); })
        .error<ShapeError>([] { conv_transpose2d(sized({1, 3, 2, 2}), sized({2, 3, 3, 3})); },
                           "conv_transpose2d: needs x [N, C, H, W] or [C, H, W] and weight [C, O / groups, kH, kW] "
                           "with groups that divide C, got [1, 3, 2, 2] and [2, 3, 3, 3] with 1 groups")
        .error<ValueError>(
            [] { conv_transpose2d(sized({1, 2, 2, 2}), sized({2, 3, 3, 3}), {}, {.output_padding = 1}); },
            "conv_transpose2d: output_padding must be below stride or dilation, got 1")
        .error<ShapeError>([] { conv_transpose2d(sized({1, 2, 2, 2}), sized({2, 3, 1, 1}), {}, {.padding = 1}); },
                           "conv_transpose2d: the result of x float32 [1, 2, 2, 2] would have size 0; use less padding")
        .error<ShapeError>([] { conv_transpose2d(sized({1, 2, 2, 2}), sized({2, 3, 1, 1}), sized({2})); },
                           "conv_transpose2d: bias must be [3] for weight [2, 3, 1, 1], got [2]")
        .error<DTypeError>([] { conv_transpose2d(sized({1, 2, 2, 2}), sized({2, 3, 1, 1}, float64)); },
                           "conv_transpose2d: needs one floating dtype, got float32 [1, 2, 2, 2] and float64 [2, 3, 1, "
                           "1]; convert one with to()")
        .error<ShapeError>(
            [] { conv_transpose2d(empty({2, 5}), empty({2, 2, 3, 3})); },
            "conv_transpose2d: needs x [N, C, H, W] or [C, H, W] and weight [C, O / groups, kH, kW] with groups that "
            "divide C, got [2, 5] and [2, 2, 3, 3] with 1 groups")
        .error<ValueError>(
            [] { conv_transpose2d(empty({1, 2, 2, 2}), empty({2, 3, 3, 3}), {}, {.stride = 0}); },
            "conv_transpose2d: stride and dilation must be positive and padding not negative, got 0, 1 and "
            "0")
        .error<ValueError>(
            [] { conv_transpose2d(empty({1, 2, 2, 2}), empty({2, 3, 3, 3}), {}, {.padding = -1}); },
            "conv_transpose2d: stride and dilation must be positive and padding not negative, got 1, 1 and "
            "-1")
        .error<ValueError>(
            [] { conv_transpose2d(empty({1, 2, 2, 2}), empty({2, 3, 3, 3}), {}, {.output_padding = -1}); },
            "conv_transpose2d: output_padding must be below stride or dilation, got -1")
        .error<ValueError>(
            [] { conv_transpose2d(empty({1, 2, 2, 2}), empty({2, 3, 3, 3}), {}, {.dilation = 0}); },
            "conv_transpose2d: stride and dilation must be positive and padding not negative, got 1, 0 and "
            "0")
        .error<ShapeError>(
            [] { conv_transpose2d(empty({1, 2, 2, 2}), empty({2, 3, 3, 3}), {}, {.groups = 0}); },
            "conv_transpose2d: needs x [N, C, H, W] or [C, H, W] and weight [C, O / groups, kH, kW] with groups that "
            "divide C, got [1, 2, 2, 2] and [2, 3, 3, 3] with 0 groups")
        .error<ShapeError>([] { conv_transpose2d(empty({1, 2, 2, 2}), empty({2, 3, 0, 3})); },
                           "conv_transpose2d: the kernel of weight [2, 3, 0, 3] is empty")
        .check();

/// A reference on sequences by one on images of height 1.
template <class R>
auto on_lines(R reference) {
  return [=](std::vector<Doubles> in) {
    for (std::size_t i = 0; i < 2; ++i) in[i].shape = {in[i].shape[0], in[i].shape[1], 1, in[i].shape[2]};
    Doubles y = reference(in);
    y.shape = {y.shape[0], y.shape[1], y.shape[3]};
    return y;
  };
}

[[maybe_unused]] const bool conv_transpose1d_cases =
    OpCases("conv_transpose1d")
        .autocast("lower precision")
        .by_cudnn()
        .without("hidden", "it is made of other operators")
        .on([](In in) { return conv_transpose1d(in[0], in[1], {}, {.stride = 2, .padding = 1}); },
            on_lines(transposed({.stride = {1, 2}, .padding = {0, 1}})), "stride 2")
        .contraction(40)
        .inputs(normal({2, 2, 4}), normal({2, 3, 3}))
        .inputs(normal({0, 2, 4}), normal({2, 3, 3}))
        .inputs(normal({2, 8, 2700}), normal({8, 3, 4}))
        .on([](In in) { return conv_transpose1d(in[0], in[1], {}, {.output_padding = 1, .dilation = 2}); },
            on_lines(transposed({.output_padding = {0, 1}, .dilation = {1, 2}})), "output padding beyond the stride")
        .contraction(10)
        .inputs(normal({1, 1, 2}), normal({1, 1, 2}))
        .huge([](auto v) { conv_transpose1d(ones({2, 4, 6}), ones({4, 4, 3}), {}, {.stride = v}); })
        .huge([](auto v) { conv_transpose1d(ones({2, 4, 6}), ones({4, 4, 3}), {}, {.padding = v}); })
        .huge([](auto v) { conv_transpose1d(ones({2, 4, 6}), ones({4, 4, 3}), {}, {.output_padding = v}); })
        .huge([](auto v) {
          conv_transpose1d(ones({2, 4, 6}), ones({4, 4, 3}), {},
                           {.output_padding = v == INT64_MIN ? v : v - 1, .dilation = v});
        })
        .huge([](auto v) { conv_transpose1d(ones({2, 4, 6}), ones({4, 4, 3}), {}, {.groups = v}); })
        .recorded("conv_transpose1d", "lambda x, w, b: F.conv_transpose1d(x, w, b, stride=2, padding=1)",
                  [](In in) { return conv_transpose1d(in[0], in[1], in[2], {.stride = 2, .padding = 1}); })
        .error<ShapeError>([] { conv_transpose1d(sized({2}), sized({2, 3, 3})); },
                           "conv_transpose1d: x must be [N, C, L] or [C, L], got float32 [2]")
        .error<ShapeError>(
            [] { conv_transpose1d(empty({2, 2, 5}), empty({3, 2, 3})); },
            "conv_transpose1d: x float32 [2, 2, 5] has 2 channels, which do not match weight float32 [3, 2, "
            "3] with 1 groups")
        .error<ShapeError>([] { conv_transpose1d(empty({2, 2, 5}), empty({2, 2, 3}), empty({3})); },
                           "conv_transpose1d: bias must be [2] for weight float32 [2, 2, 3], got float32 [3]")
        .error<ValueError>(
            [] { conv_transpose1d(empty({2, 2, 5}), empty({2, 2, 3}), {}, {.stride = 0}); },
            "conv_transpose1d: stride and dilation must be positive and padding not negative, got 0, 1 and "
            "0")
        .error<ValueError>([] { conv_transpose1d(empty({2, 2, 5}), empty({2, 2, 3}), {}, {.output_padding = 1}); },
                           "conv_transpose1d: output_padding must be below stride or dilation, got 1")
        .error<DTypeError>(
            [] {
              conv_transpose1d(zeros({2, 2, 5}, {.dtype = DType::int64}), zeros({2, 2, 3}, {.dtype = DType::int64}));
            },
            "conv_transpose1d: needs one floating dtype, got x int64 [2, 2, 5] and weight int64 [2, 2, 3]; "
            "convert one with to()")
        .error<ValueError>([] { conv_transpose1d(empty({2, 2, 5}), empty({2, 2, 3}), {}, {.groups = 0}); },
                           "conv_transpose1d: groups must be at least 1, got 0")
        .error<ShapeError>(
            [] { conv_transpose1d(empty({2, 2, 1}), empty({2, 2, 1}), {}, {.padding = 1}); },
            "conv_transpose1d: the result of x float32 [2, 2, 1] and weight float32 [2, 2, 1] with padding "
            "1 would be empty")
        .check();

auto convolved(const Conv1dOptions& o) {
  return [o](const std::vector<Doubles>& in) {
    const Shape &x = in[0].shape, &w = in[1].shape;
    Doubles y({x[0], w[0], (x[2] + 2 * o.padding - o.dilation * (w[2] - 1) - 1) / o.stride + 1});
    each_index(y.shape, [&](const Shape& at) {
      if (in.size() > 2) y[at] = in[2][{at[1]}];
      for (std::int64_t c = 0; c < w[1]; ++c)
        for (std::int64_t k = 0; k < w[2]; ++k) {
          const std::int64_t from = at[2] * o.stride - o.padding + k * o.dilation;
          if (from >= 0 && from < x[2])
            y[at] += in[0][{at[0], at[1] / (w[0] / o.groups) * w[1] + c, from}] * in[1][{at[1], c, k}];
        }
    });
    return y;
  };
}

[[maybe_unused]] const bool conv1d_cases =
    OpCases("conv1d")
        .autocast("lower precision")
        .by_cudnn()
        .optional_input(2)
        .without("hidden", "it is made of other operators")
        .on([](In in) { return conv1d(in[0], in[1], in[2], {.stride = 2, .padding = 1}); },
            convolved({.stride = 2, .padding = 1}), "stride 2")
        .pytorch("lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1)", "conv1d")
        .contraction(40)
        .inputs(normal({2, 2, 5}), normal({3, 2, 3}), normal({3}))
        .inputs(normal({0, 2, 5}), normal({3, 2, 3}), normal({3}))
        .inputs(normal({4, 8, 1600}), normal({9, 8, 4}), normal({9}))
        .on([](In in) { return conv1d(in[0], in[1], {}, {.dilation = 2, .groups = 2}); },
            convolved({.dilation = 2, .groups = 2}), "groups")
        .contraction(20)
        .inputs(normal({1, 4, 6}), normal({2, 2, 2}))
        .huge([](auto v) { conv1d(ones({2, 4, 6}), ones({4, 4, 3}), {}, {.stride = v}); })
        .huge([](auto v) { conv1d(ones({2, 4, 6}), ones({4, 4, 3}), {}, {.padding = v}); })
        .huge([](auto v) { conv1d(ones({2, 4, 6}), ones({4, 4, 3}), {}, {.dilation = v}); })
        .huge([](auto v) { conv1d(ones({2, 4, 6}), ones({4, 4, 3}), {}, {.padding = v / 2, .dilation = v / 2}); })
        .huge([](auto v) { conv1d(ones({2, 4, 6}), ones({4, 4, 3}), {}, {.groups = v}); })
        .huge([](auto v) { conv1d(ones({2, 0, 6}), ones({0, 0, 3}), {}, {.groups = v}); })
        .error<ShapeError>([] { conv1d(sized({2, 2, 5}), sized({2, 3})); },
                           "conv1d: weight must have 3 dimensions, got float32 [2, 3]")
        .error<ShapeError>([] { conv1d(empty({5}), empty({3, 2, 3})); },
                           "conv1d: x must be [N, C, L] or [C, L], got float32 [5]")
        .error<DTypeError>(
            [] { conv1d(zeros({2, 2, 5}, {.dtype = DType::int64}), zeros({3, 2, 3}, {.dtype = DType::int64})); },
            "conv1d: needs one floating dtype, got x int64 [2, 2, 5] and weight int64 [3, 2, 3]; convert "
            "one with to()")
        .error<ShapeError>(
            [] { conv1d(empty({2, 2, 5}), empty({3, 3, 3})); },
            "conv1d: x float32 [2, 2, 5] has 2 channels, which do not match weight float32 [3, 3, 3] with 1 "
            "groups")
        .error<ShapeError>(
            [] { conv1d(empty({2, 2, 5}), empty({3, 2, 6})); },
            "conv1d: the result of x float32 [2, 2, 5] and weight float32 [3, 2, 6] with padding 0 would "
            "be empty")
        .error<ShapeError>([] { conv1d(empty({2, 2, 5}), empty({3, 2, 3}), empty({2})); },
                           "conv1d: bias must be [3] for weight float32 [3, 2, 3], got float32 [2]")
        .error<ValueError>([] { conv1d(empty({2, 2, 5}), empty({3, 2, 3}), {}, {.stride = 0}); },
                           "conv1d: stride and dilation must be positive and padding not negative, got 0, 1 and 0")
        .error<ValueError>([] { conv1d(empty({2, 2, 5}), empty({3, 2, 3}), {}, {.padding = -1}); },
                           "conv1d: stride and dilation must be positive and padding not negative, got 1, 1 and -1")
        .error<ShapeError>(
            [] { conv1d(empty({2, 2, 5}), empty({3, 2, 3}), {}, {.groups = 2}); },
            "conv1d: x float32 [2, 2, 5] has 2 channels, which do not match weight float32 [3, 2, 3] with 2 "
            "groups")
        .error<ValueError>([] { conv1d(empty({2, 2, 5}), empty({3, 2, 3}), {}, {.groups = 0}); },
                           "conv1d: groups must be at least 1, got 0")
        .error<DTypeError>([] { conv1d(empty({2, 2, 5}), empty({3, 2, 3}, {.dtype = DType::float64})); },
                           "conv1d: needs one floating dtype, got x float32 [2, 2, 5] and weight float64 [3, 2, 3]; "
                           "convert one with to()")
        .check();

// Half types round before the bias is added, as PyTorch's do, so the tables have none.
TEST(ConvTranspose2d, AddsTheBiasPerChannel) {
  const Tensor x = ones({1, 2, 2, 2}), weight = ones({2, 2, 1, 1});
  const Tensor y = conv_transpose2d(x, weight, from_vector<float>({10, -1}, {2}));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{12, 12, 12, 12, 1, 1, 1, 1}));
}

std::array<std::int64_t, 3> each(Triple t) { return {t.depth, t.height, t.width}; }

/// Every input element is spread over the result by the kernel.
auto transposed(const ConvTranspose3dOptions& o) {
  return [o](const std::vector<Doubles>& in) {
    const Shape &x = in[0].shape, &w = in[1].shape;
    const auto stride = each(o.stride), padding = each(o.padding), more = each(o.output_padding),
               dilation = each(o.dilation);
    Shape shape{x[0], w[1] * o.groups};
    for (int d = 2; d < 5; ++d) {
      const auto i = static_cast<std::size_t>(d - 2);
      shape.push_back((x[d] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (w[d] - 1) + more[i] + 1);
    }
    Doubles y(shape);
    if (numel(x) == 0) return y;
    const std::int64_t inputs = x[1] / o.groups;
    each_index(x, [&](const Shape& at) {
      each_index({w[1], w[2], w[3], w[4]}, [&](const Shape& tap) {
        Shape to{at[0], at[1] / inputs * w[1] + tap[0]};
        for (int d = 2; d < 5; ++d) {
          const auto i = static_cast<std::size_t>(d - 2);
          to.push_back(at[d] * stride[i] - padding[i] + tap[d - 1] * dilation[i]);
          if (to[d] < 0 || to[d] >= shape[d]) return;
        }
        y[to] += in[0][at] * in[1][{at[1], tap[0], tap[1], tap[2], tap[3]}];
      });
    });
    return y;
  };
}

const ConvTranspose3dOptions doubling3d{.stride = 2, .padding = {1, 0, 1}, .output_padding = {1, 0, 1}},
    grouped3d{.stride = {1, 2, 1}, .padding = {0, 1, 0}, .dilation = {2, 1, 1}, .groups = 2},
    dilated3d{.stride = {2, 1, 1}, .padding = {1, 2, 0}, .output_padding = {3, 1, 0}, .dilation = {4, 2, 1}};
[[maybe_unused]] const bool conv_transpose3d_cases =
    OpCases("conv_transpose3d")
        .autocast("lower precision")
        .by_cudnn()
        .result_layout(ResultLayout::convolved)
        .tolerance(4)  // the weight's gradient adds up all positions
        .without("hidden", "it is made of other operators")
        .on([](In in) { return conv_transpose3d(in[0], in[1], {}, doubling3d); }, transposed(doubling3d), "stride 2")
        .pytorch("lambda x, w: F.conv_transpose3d(x, w, None, 2, (1, 0, 1), (1, 0, 1))")
        .contraction(60)
        .inputs(normal({2, 2, 2, 3, 2}), normal({2, 3, 3, 2, 3}))
        .inputs(normal({0, 2, 2, 3, 2}), normal({2, 3, 3, 2, 3}))
        .inputs(normal({2, 4, 18, 16, 20}), normal({4, 3, 4, 3, 2}))
        .on([](In in) { return conv_transpose3d(in[0], in[1], {}, grouped3d); }, transposed(grouped3d), "groups")
        .pytorch("lambda x, w: F.conv_transpose3d(x, w, None, (1, 2, 1), (0, 1, 0), 0, 2, (2, 1, 1))")
        .contraction(40)
        .inputs(normal({1, 4, 2, 3, 2}), normal({4, 1, 2, 3, 1}))
        .on([](In in) { return conv_transpose3d(in[0], in[1], {}, dilated3d); }, transposed(dilated3d),
            "output padding beyond the stride")
        .pytorch("lambda x, w: F.conv_transpose3d(x, w, None, (2, 1, 1), (1, 2, 0), (3, 1, 0), 1, (4, 2, 1))")
        .contraction(40)
        .inputs(normal({1, 2, 2, 3, 2}), normal({2, 2, 2, 3, 1}))
        .huge([](auto v) { conv_transpose3d(ones({1, 2, 2, 2, 2}), ones({2, 3, 3, 3, 3}), {}, {.stride = v}); })
        .huge([](auto v) { conv_transpose3d(ones({1, 2, 2, 2, 2}), ones({2, 3, 3, 3, 3}), {}, {.padding = v}); })
        .huge([](auto v) { conv_transpose3d(ones({1, 2, 2, 2, 2}), ones({2, 3, 3, 3, 3}), {}, {.output_padding = v}); })
        .huge([](auto v) { conv_transpose3d(ones({1, 2, 2, 2, 2}), ones({2, 3, 3, 3, 3}), {}, {.dilation = v}); })
        .huge([](auto v) { conv_transpose3d(ones({1, 2, 2, 2, 2}), ones({2, 3, 3, 3, 3}), {}, {.groups = v}); })
        .error<ShapeError>(
            [] { conv_transpose3d(sized({1, 3, 2, 2}), sized({2, 3, 3, 3, 3})); },
            "conv_transpose3d: needs x [N, C, D, H, W] or [C, D, H, W] and weight [C, O / groups, kD, kH, kW] with "
            "groups that divide C, got [1, 1, 3, 2, 2] and [2, 3, 3, 3, 3] with 1 groups\n  x is float32 [1, 3, "
            "2, 2], a single sample, treated as a batch of one")
        .error<ShapeError>(
            [] { conv_transpose3d(empty({2, 5}), empty({2, 2, 3, 3, 3})); },
            "conv_transpose3d: needs x [N, C, D, H, W] or [C, D, H, W] and weight [C, O / groups, kD, kH, kW] with "
            "groups that divide C, got [2, 5] and [2, 2, 3, 3, 3] with 1 groups")
        .error<ValueError>(
            [] { conv_transpose3d(sized({1, 2, 2, 2, 2}), sized({2, 3, 3, 3, 3}), {}, {.output_padding = 1}); },
            "conv_transpose3d: output_padding must be below stride or dilation, got 1")
        .error<ValueError>(
            [] { conv_transpose3d(empty({1, 2, 2, 2, 2}), empty({2, 3, 3, 3, 3}), {}, {.stride = {1, 0, 1}}); },
            "conv_transpose3d: stride and dilation must be positive and padding not negative, got 0, 1 and 0")
        .error<ShapeError>([] { conv_transpose3d(sized({1, 2, 2, 2, 2}), sized({2, 3, 1, 1, 1}), {}, {.padding = 1}); },
                           "conv_transpose3d: the result of x float32 [1, 2, 2, 2, 2] would have size 0; use less "
                           "padding")
        .error<ShapeError>([] { conv_transpose3d(sized({1, 2, 2, 2, 2}), sized({2, 3, 1, 1, 1}), sized({2})); },
                           "conv_transpose3d: bias must be [3] for weight [2, 3, 1, 1, 1], got [2]")
        .error<ShapeError>([] { conv_transpose3d(empty({1, 2, 2, 2, 2}), empty({2, 3, 0, 3, 3})); },
                           "conv_transpose3d: the kernel of weight [2, 3, 0, 3, 3] is empty")
        .error<DTypeError>([] { conv_transpose3d(sized({1, 2, 2, 2, 2}), sized({2, 3, 1, 1, 1}, float64)); },
                           "conv_transpose3d: needs one floating dtype, got float32 [1, 2, 2, 2, 2] and float64 [2, 3, "
                           "1, 1, 1]; convert one with to()")
        .check();

}  // namespace
}  // namespace minima::conv_transpose_test
