#include "tests/ops/checks/op_cases.h"
#include "tests/support/engines.h"

#include <minima/ops/convolution/conv.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace minima::conv3d_test {
namespace {

using namespace test;

/// The spatial sizes of a shape, or the attribute of each spatial dimension.
std::array<std::int64_t, 3> each(Triple t) { return {t.depth, t.height, t.width}; }

auto reference(const Conv3dOptions& o) {
  return [o](const std::vector<Doubles>& in) {
    const Shape &x = in[0].shape, &w = in[1].shape;
    const auto stride = each(o.stride), padding = each(o.padding), dilation = each(o.dilation);
    Shape shape{x[0], w[0]};
    for (int d = 2; d < 5; ++d) {
      const auto i = static_cast<std::size_t>(d - 2);
      shape.push_back((x[d] + 2 * padding[i] - dilation[i] * (w[d] - 1) - 1) / stride[i] + 1);
    }
    Doubles y(shape);
    if (numel(shape) == 0) return y;
    each_index(shape, [&](const Shape& at) {
      double sum = in.size() > 2 ? in[2][{at[1]}] : 0;
      each_index({w[1], w[2], w[3], w[4]}, [&](const Shape& tap) {
        Shape from{at[0], at[1] / (w[0] / o.groups) * w[1] + tap[0]};
        for (int d = 2; d < 5; ++d) {
          const auto i = static_cast<std::size_t>(d - 2);
          from.push_back(at[d] * stride[i] - padding[i] + tap[d - 1] * dilation[i]);
          if (from[d] < 0 || from[d] >= x[d]) return;
        }
        sum += in[0][from] * in[1][{at[1], tap[0], tap[1], tap[2], tap[3]}];
      });
      y[at] = sum;
    });
    return y;
  };
}

auto call(const Conv3dOptions& options, bool eigen) {
  return [=](In in) {
    std::optional<EigenOnly> guard;
    if (eigen) guard.emplace();
    return conv3d(in[0], in[1], in.size() > 2 ? in[2] : Tensor(), options);
  };
}

const Conv3dOptions odd{.stride = {2, 1, 2}, .padding = {1, 2, 0}, .dilation = {1, 2, 1}};
const Conv3dOptions strided{.stride = {2, 3, 1}};
const Conv3dOptions depthwise{.stride = {1, 2, 1}, .padding = 1, .groups = 4};
const Conv3dOptions in_groups{.padding = {1, 0, 1}, .groups = 2};

OpCases table() {
  OpCases cases("conv3d");
  cases.autocast("lower precision").by_cudnn().optional_input(2).result_layout(ResultLayout::convolved);
  for (const bool eigen : {false, true}) {
    const auto with = [&](const Conv3dOptions& options, const char* text, const char* python) {
      cases.on(call(options, eigen), reference(options), str(text, eigen ? " by Eigen" : ""));
      if (!eigen) cases.pytorch(str("lambda x, w, b=None: F.conv3d(x, w, b", python, ")"));
    };
    with({}, "plain", "");
    cases.inputs(normal({1, 2, 2, 3, 2}), normal({2, 2, 2, 2, 1}), normal({2}))
        .inputs(normal({2, 3, 2, 1, 2}), normal({2, 3, 1, 1, 1}))
        .inputs(normal({0, 2, 3, 4, 2}), normal({2, 2, 2, 2, 2}), normal({2}))
        .inputs(normal({2, 20, 10, 10, 11}), normal({3, 20, 3, 3, 3}), normal({3}))
        .contraction(540);
    cases.on(call(strided, eigen), reference(strided), str("stride of a pointwise kernel", eigen ? " by Eigen" : ""))
        .inputs(normal({2, 3, 3, 5, 4}), normal({4, 3, 1, 1, 1}), normal({4}));
    with(odd, "stride, padding and dilation", ", stride=(2, 1, 2), padding=(1, 2, 0), dilation=(1, 2, 1)");
    cases.inputs(normal({1, 2, 3, 2, 3}), normal({2, 2, 2, 2, 2}), normal({2}))
        .inputs(normal({2, 8, 5, 6, 7}), normal({8, 8, 3, 2, 3}), normal({8}))
        .contraction(144);
    with(depthwise, "a group per channel", ", stride=(1, 2, 1), padding=1, groups=4");
    cases.inputs(normal({1, 4, 2, 3, 2}), normal({4, 1, 2, 2, 2}), normal({4}))
        .inputs(normal({2, 4, 5, 4, 3}), normal({8, 1, 3, 3, 3}), normal({8}))
        .contraction(27);
    with(in_groups, "groups", ", padding=(1, 0, 1), groups=2");
    cases.inputs(normal({1, 4, 2, 2, 1}), normal({2, 2, 2, 1, 2}), normal({2})).contraction(16);
  }
  cases.on(call({}, false), reference({}), "no channels")
      .inputs(normal({2, 0, 3, 4, 2}), normal({2, 0, 2, 2, 2}), normal({2}));
  return cases;
}

[[maybe_unused]] const bool conv3d_cases =
    table()
        .huge([](auto v) { conv3d(ones({2, 4, 5, 6, 3}), ones({2, 4, 2, 2, 2}), {}, {.stride = v}); })
        .huge([](auto v) { conv3d(ones({2, 4, 5, 6, 3}), ones({2, 4, 2, 2, 2}), {}, {.padding = v}); })
        .huge([](auto v) { conv3d(ones({2, 4, 5, 6, 3}), ones({2, 4, 2, 2, 2}), {}, {.dilation = v}); })
        .huge([](auto v) { conv3d(ones({2, 4, 5, 6, 3}), ones({2, 4, 2, 2, 2}), {}, {.groups = v}); })
        .error<ShapeError>([] { conv3d(sized({8, 8}), sized({4, 3, 3, 3, 3})); },
                           "conv3d: x must be [N, C, D, H, W] or [C, D, H, W], got [8, 8]")
        .error<ShapeError>([] { conv3d(sized({1, 3, 8, 8, 8}), sized({4, 3, 3, 3})); },
                           "conv3d: weight must be [O, C / groups, kD, kH, kW], got [4, 3, 3, 3]")
        .error<ShapeError>([] { conv3d(sized({2, 3, 8, 8, 8}), sized({4, 5, 3, 3, 3})); },
                           "conv3d: x [2, 3, 8, 8, 8] has 3 channels, but weight [4, 5, 3, 3, 3] takes 5")
        .error<ShapeError>(
            [] { conv3d(sized({2, 9, 8, 8, 1}), sized({4, 1, 3, 3, 3})); },
            "conv3d: x [2, 9, 8, 8, 1] has 9 channels, but weight [4, 1, 3, 3, 3] takes 1; is x in NDHWC "
            "order? permute it to [N, C, D, H, W]")
        .error<ShapeError>([] { conv3d(sized({2, 6, 8, 8, 8}), sized({4, 2, 3, 3, 3}), {}, {.groups = 3}); },
                           "conv3d: 3 groups do not divide the 6 channels of x [2, 6, 8, 8, 8] and the 4 outputs of "
                           "weight [4, 2, 3, 3, 3]")
        .error<ShapeError>([] { conv3d(sized({1, 3, 2, 4, 4}), sized({4, 3, 3, 3, 3}), {}, {.padding = {0, 1, 1}}); },
                           "conv3d: the kernel of weight [4, 3, 3, 3, 3] is larger than x [1, 3, 2, 4, 4] with padding "
                           "[0, 1, 1]")
        .error<ShapeError>([] { conv3d(sized({1, 3, 4, 4, 4}), sized({4, 3, 3, 3, 3}), sized({3})); },
                           "conv3d: bias must be [4] for weight [4, 3, 3, 3, 3], got [3]")
        .error<ShapeError>([] { conv3d(empty({1, 2, 2, 2, 2}), empty({2, 2, 0, 3, 3})); },
                           "conv3d: the kernel of weight [2, 2, 0, 3, 3] is empty")
        .error<ValueError>([] { conv3d(sized({1, 3, 4, 4, 4}), sized({4, 3, 3, 3, 3}), {}, {.stride = {1, 0, 1}}); },
                           "conv3d: stride must be at least 1, got [1, 0, 1]")
        .error<ValueError>([] { conv3d(empty({1, 2, 2, 2, 2}), empty({2, 2, 1, 1, 1}), {}, {.groups = -1}); },
                           "conv3d: groups must be at least 1, got -1")
        .error<DTypeError>([] { conv3d(sized({1, 3, 4, 4, 4}), sized({4, 3, 3, 3, 3}, float64)); },
                           "conv3d: dtypes differ: float32 [1, 3, 4, 4, 4] and float64 [4, 3, 3, 3, 3]; convert one "
                           "with to()")
        .check();

TEST(Conv3d, RunsOnTheIntendedEngine) {
#ifdef MINIMA_HAVE_ONEDNN
  const detail::Engine first = detail::Engine::onednn;
#else
  const detail::Engine first = detail::Engine::eigen;
#endif
  for (const std::int64_t groups : {1, 8}) {
    const Tensor x = ones({2, 8, 4, 6, 6}).requires_grad(true), w = ones({8, 8 / groups, 3, 3, 3}).requires_grad(true);
    EXPECT_EQ(calls_of(first, [&] { sum(conv3d(x, w, {}, {.groups = groups})).backward(); }), 3) << groups;
  }
}

/// A kernel of depth 1 convolves each plane as an image.
TEST(Conv3d, APlaneIsAnImage) {
  const Tensor x = randn({2, 3, 4, 7, 6}), w = randn({5, 3, 1, 3, 2}), b = randn({5});
  const Tensor images = reshape(permute(x, {0, 2, 1, 3, 4}), {8, 3, 7, 6});
  const Tensor y = conv2d(images, squeeze(w, 2), b, {.stride = 2, .padding = {1, 0}});
  EXPECT_TRUE(allclose(conv3d(x, w, b, {.stride = {1, 2, 2}, .padding = {0, 1, 0}}),
                       permute(reshape(y, {2, 4, 5, y.size(2), y.size(3)}), {0, 2, 1, 3, 4})));
}

TEST(Conv3d, OneVolumeNeedsNoBatch) {
  const Tensor x = randn({3, 4, 5, 6}), w = randn({2, 3, 2, 2, 2});
  EXPECT_TRUE(allclose(conv3d(x, w), squeeze(conv3d(unsqueeze(x, 0), w), 0)));
}

}  // namespace
}  // namespace minima::conv3d_test
