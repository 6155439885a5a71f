#include "tests/ops/checks/op_cases.h"

#include <minima/ops/conv_transpose3d/conv_transpose3d.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <array>

namespace minima::conv_transpose3d_test {
namespace {

using namespace test;

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

const ConvTranspose3dOptions doubling{.stride = 2, .padding = {1, 0, 1}, .output_padding = {1, 0, 1}},
    grouped{.stride = {1, 2, 1}, .padding = {0, 1, 0}, .dilation = {2, 1, 1}, .groups = 2},
    dilated{.stride = {2, 1, 1}, .padding = {1, 2, 0}, .output_padding = {3, 1, 0}, .dilation = {4, 2, 1}};
[[maybe_unused]] const bool conv_transpose3d_cases =
    OpCases("conv_transpose3d")
        .autocast("lower precision")
        .by_cudnn()
        .result_layout(ResultLayout::convolved)
        .tolerance(4)  // the weight's gradient adds up all positions
        .without("hidden", "it is made of other operators")
        .on([](In in) { return conv_transpose3d(in[0], in[1], {}, doubling); }, transposed(doubling), "stride 2")
        .pytorch("lambda x, w: F.conv_transpose3d(x, w, None, 2, (1, 0, 1), (1, 0, 1))")
        .contraction(60)
        .inputs(normal({2, 2, 2, 3, 2}), normal({2, 3, 3, 2, 3}))
        .inputs(normal({0, 2, 2, 3, 2}), normal({2, 3, 3, 2, 3}))
        .inputs(normal({2, 4, 18, 16, 20}), normal({4, 3, 4, 3, 2}))
        .on([](In in) { return conv_transpose3d(in[0], in[1], {}, grouped); }, transposed(grouped), "groups")
        .pytorch("lambda x, w: F.conv_transpose3d(x, w, None, (1, 2, 1), (0, 1, 0), 0, 2, (2, 1, 1))")
        .contraction(40)
        .inputs(normal({1, 4, 2, 3, 2}), normal({4, 1, 2, 3, 1}))
        .on([](In in) { return conv_transpose3d(in[0], in[1], {}, dilated); }, transposed(dilated),
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
}  // namespace minima::conv_transpose3d_test
