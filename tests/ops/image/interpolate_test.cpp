#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/image/interpolate.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace minima::interpolate_test {
namespace {

using namespace test;

/// y[at] = f(x read at a place of the last two dimensions; beyond the edges the edge), where the place is at · step +
/// start.
template <class F>
Doubles resized(const Doubles& x, std::int64_t height, std::int64_t width, F f) {
  Doubles y({x.shape[0], x.shape[1], height, width});
  each_index(y.shape, [&](const Shape& at) {
    y[at] = f(at, [&](double i, double j) {
      return x[{at[0], at[1], std::clamp<std::int64_t>(static_cast<std::int64_t>(i), 0, x.shape[2] - 1),
                std::clamp<std::int64_t>(static_cast<std::int64_t>(j), 0, x.shape[3] - 1)}];
    });
  });
  return y;
}

Doubles nearest(const std::vector<Doubles>& in) {
  return resized(in[0], 5, 3, [&](const Shape& at, auto read) {
    return read(std::floor(static_cast<double>(at[2] * in[0].shape[2]) / 5),
                std::floor(static_cast<double>(at[3] * in[0].shape[3]) / 3));
  });
}

auto bilinear(double scale, bool corners) {
  return [=](const std::vector<Doubles>& in) {
    const auto size = [&](int d) { return static_cast<std::int64_t>(static_cast<double>(in[0].shape[d]) * scale); };
    return resized(in[0], size(2), size(3), [&](const Shape& at, auto read) {
      const auto place = [&](int d) {
        const auto i = static_cast<double>(at[d]);
        if (corners) return i * static_cast<double>(in[0].shape[d] - 1) / static_cast<double>(size(d) - 1);
        return std::max(0.0, (i + 0.5) / scale - 0.5);
      };
      const double i = place(2), j = place(3), down = i - std::floor(i), right = j - std::floor(j);
      const double top = std::floor(i), left = std::floor(j);
      return (1 - down) * ((1 - right) * read(top, left) + right * read(top, left + 1)) +
             down * ((1 - right) * read(top + 1, left) + right * read(top + 1, left + 1));
    });
  };
}

/// Between two neighbours along one dimension, without corners.
Doubles linear_along(const Doubles& x, int dim, std::int64_t size) {
  Shape shape = x.shape;
  shape[dim] = size;
  Doubles y(shape);
  each_index(shape, [&](const Shape& at) {
    const double step = static_cast<double>(x.shape[dim]) / static_cast<double>(size);
    const double place = std::max(0.0, (static_cast<double>(at[dim]) + 0.5) * step - 0.5), low = std::floor(place);
    const auto read = [&](double i) {
      Shape from = at;
      from[dim] = std::min(static_cast<std::int64_t>(i), x.shape[dim] - 1);
      return x[from];
    };
    y[at] = (1 - (place - low)) * read(low) + (place - low) * read(low + 1);
  });
  return y;
}

/// Every element weighs by the filter at its distance from the result, in units of the wider of both.
Doubles antialiased(const Doubles& x, int dim, std::int64_t size, bool cubic) {
  Shape shape = x.shape;
  shape[dim] = size;
  Doubles y(shape);
  const double step = static_cast<double>(x.shape[dim]) / static_cast<double>(size), unit = std::max(step, 1.0);
  const auto filter = [&](double d) {
    if (!cubic) return std::max(0.0, 1 - d);
    return d < 1 ? 1.5 * d * d * d - 2.5 * d * d + 1 : d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2 : 0.0;
  };
  each_index(shape, [&](const Shape& at) {
    double sum = 0, total = 0;
    for (std::int64_t i = 0; i < x.shape[dim]; ++i) {
      Shape from = at;
      from[dim] = i;
      const double weight =
          filter(std::abs(static_cast<double>(i) + 0.5 - step * (static_cast<double>(at[dim]) + 0.5)) / unit);
      sum += weight * x[from];
      total += weight;
    }
    y[at] = sum / total;
  });
  return y;
}

constexpr InterpolateMode linear = InterpolateMode::linear;

[[maybe_unused]] const bool interpolate_cases =
    OpCases("interpolate")
        .result_layout(ResultLayout::images)
        .on([](In in) { return interpolate(in[0], {.size = {5, 3}}); }, nearest, "nearest")
        .inputs(normal({1, 2, 3, 4}))
        .inputs(normal({0, 2, 3, 4}))
        .on([](In in) { return interpolate(in[0], {.scale = {2}, .mode = linear}); }, bilinear(2, false),
            "bilinear, twice")
        .contraction(4)
        .inputs(normal({1, 2, 3, 2}))
        .inputs(normal({2, 3, 90, 80}))
        .on([](In in) { return interpolate(in[0], {.scale = {1.5}, .mode = linear, .align_corners = true}); },
            bilinear(1.5, true), "corners")
        .contraction(4)
        .inputs(normal({1, 1, 4, 4}))
        .on([](In in) { return interpolate(in[0], {.size = {2, 7}, .mode = linear}); },
            [](const std::vector<Doubles>& in) { return linear_along(linear_along(in[0], 2, 2), 3, 7); },
            "fewer rows, more columns")
        .contraction(4)
        .inputs(normal({1, 3, 5, 4}))
        .on([](In in) { return interpolate(in[0], {.size = {9}, .mode = linear}); },
            [](const std::vector<Doubles>& in) { return linear_along(in[0], 2, 9); }, "one dimension")
        .contraction(2)
        .inputs(normal({2, 3, 5}))
        .on([](In in) { return interpolate(in[0], {.size = {3, 2, 4}, .mode = linear}); },
            [](const std::vector<Doubles>& in) {
              return linear_along(linear_along(linear_along(in[0], 2, 3), 3, 2), 4, 4);
            },
            "three dimensions")
        .contraction(8)
        .inputs(normal({1, 2, 2, 3, 3}))
        .on([](In in) { return interpolate(in[0], {.size = {10, 20}, .mode = linear}); },
            [](const std::vector<Doubles>& in) { return linear_along(linear_along(in[0], 2, 10), 3, 20); },
            "many results from each element")
        .contraction(4)
        .inputs(normal({1, 1, 1, 2}))
        .on([](In in) { return interpolate(in[0], {.size = {2, 3}, .mode = linear, .antialias = true}); },
            [](const std::vector<Doubles>& in) { return antialiased(antialiased(in[0], 2, 2, false), 3, 3, false); },
            "antialiased")
        .pytorch("lambda x: F.interpolate(x, size=(2, 3), mode='bilinear', antialias=True)")
        .contraction(16)
        .inputs(normal({1, 2, 7, 5}))
        .inputs(normal({1, 2, 2, 2}))
        .on(
            [](In in) {
              return interpolate(in[0], {.size = {3, 7}, .mode = InterpolateMode::cubic, .antialias = true});
            },
            [](const std::vector<Doubles>& in) { return antialiased(antialiased(in[0], 2, 3, true), 3, 7, true); },
            "antialiased cubic")
        .pytorch("lambda x: F.interpolate(x, size=(3, 7), mode='bicubic', antialias=True)")
        .contraction(48)
        .inputs(normal({1, 2, 8, 5}))
        .huge([](auto v) { interpolate(ones({2, 4, 5, 6}), {.size = {v, v}}); })
        .huge([](auto v) { interpolate(ones({2, 4, 5, 6}), {.size = {2, v}, .mode = InterpolateMode::cubic}); })
        .huge([](auto v) { interpolate(ones({0, 4, 5, 6}), {.size = {v, 1}}); })
        .huge([](auto v) { interpolate(ones({2, 4, 6}), {.size = {v}, .mode = InterpolateMode::linear}); })
        .huge([](auto v) { interpolate(ones({1, 1, 2, 2, 2}), {.size = {2, v, v}}); })
        .huge([](auto v) { interpolate(ones({2, 4, 5, 6}), {.scale = {static_cast<double>(v) * 1e300}}); })
        .huge([](auto v) { interpolate(ones({2, 4, 5, 6}), {.scale = {static_cast<double>(v)}}); })
        .recorded("interpolate.nearest", "lambda x: F.interpolate(x, size=(5, 3))",
                  [](In in) { return interpolate(in[0], {.size = {5, 3}}); })
        .recorded("interpolate.scaled", "lambda x: F.interpolate(x, scale_factor=1.7)",
                  [](In in) { return interpolate(in[0], {.scale = {1.7}}); })
        .recorded("interpolate.linear", "lambda x: F.interpolate(x, size=7, mode='linear')",
                  [](In in) { return interpolate(in[0], {.size = {7}, .mode = linear}); })
        .recorded("interpolate.bilinear", "lambda x: F.interpolate(x, scale_factor=2, mode='bilinear')",
                  [](In in) { return interpolate(in[0], {.scale = {2}, .mode = linear}); })
        .recorded("interpolate.corners", "lambda x: F.interpolate(x, size=(5, 3), mode='bilinear', align_corners=True)",
                  [](In in) { return interpolate(in[0], {.size = {5, 3}, .mode = linear, .align_corners = true}); })
        .recorded("interpolate.shrunk", "lambda x: F.interpolate(x, scale_factor=0.6, mode='bilinear')",
                  [](In in) { return interpolate(in[0], {.scale = {0.6}, .mode = linear}); })
        .recorded("interpolate.bicubic", "lambda x: F.interpolate(x, size=(7, 5), mode='bicubic')",
                  [](In in) { return interpolate(in[0], {.size = {7, 5}, .mode = InterpolateMode::cubic}); })
        .recorded("interpolate.trilinear", "lambda x: F.interpolate(x, size=(3, 5, 2), mode='trilinear')",
                  [](In in) { return interpolate(in[0], {.size = {3, 5, 2}, .mode = linear}); })
        .error<ValueError>([] { interpolate(sized({1, 2, 3}), {.size = {2}, .antialias = true}); },
                           "interpolate: antialias does not apply to mode nearest; use linear or cubic")
        .error<ShapeError>([] { interpolate(sized({2, 3}), {.scale = {2}}); },
                           "interpolate: x must be [N, C, d1, …], got float32 [2, 3]")
        .error<ValueError>([] { interpolate(sized({2, 3, 4}), {}); }, "interpolate: give either size or scale")
        .error<ShapeError>(
            [] { interpolate(sized({2, 3, 4}), {.size = {1, 2}}); },
            "interpolate: needs a size for each of the 1 spatial dimensions of x float32 [2, 3, 4], got [1, 2]")
        .error<ShapeError>([] { interpolate(sized({2, 3, 4}), {.scale = {0.1}}); },
                           "interpolate: dimension 2 of x float32 [2, 3, 4] cannot be resized to 0 elements")
        .error<DTypeError>([] { interpolate(sized({2, 3, 4}, int64), {.scale = {2}}); },
                           "interpolate: needs a floating tensor, got int64 [2, 3, 4]; convert it with to()")
        .error<ShapeError>([] { interpolate(empty({1, 2, 0}), {.size = {3}}); },
                           "interpolate: dimension 2 of x float32 [1, 2, 0] cannot be resized to 3 elements")
        .error<ShapeError>([] { interpolate(empty({1, 2, 3}), {.size = {0}}); },
                           "interpolate: dimension 2 of x float32 [1, 2, 3] cannot be resized to 0 elements")
        .error<ShapeError>([] { interpolate(empty({1, 2, 3}), {.size = {-1}}); },
                           "interpolate: dimension 2 of x float32 [1, 2, 3] cannot be resized to -1 elements")
        .error<ValueError>([] { interpolate(empty({1, 2, 3}), {.scale = {-1}}); },
                           "interpolate: scale must be positive and finite, got -1")
        .error<ValueError>([] { interpolate(empty({1, 2, 3}), {.scale = {NAN}}); },
                           "interpolate: scale must be positive and finite, got nan")
        .error<ShapeError>(
            [] { interpolate(empty({1, 2, 3}), {.scale = {1, 2}}); },
            "interpolate: needs one scale or one for each of the 1 spatial dimensions of x float32 [1, 2, "
            "3], got 2")
        .error<ValueError>([] { interpolate(empty({1, 2, 3}), {.size = {2}, .align_corners = true}); },
                           "interpolate: align_corners does not apply to mode nearest; use linear or cubic")
        .check();

TEST(Interpolate, InfinityIsFeltOnlyWhereItIsRead) {
  Tensor x = zeros({1, 1, 1, 4}).requires_grad(true);
  const Tensor y = interpolate(x, {.size = {1, 2}});  // elements 0 and 2
  y.backward(full({1, 1, 1, 2}, std::numeric_limits<double>::infinity()));
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{INFINITY, 0, INFINITY, 0}));
}

}  // namespace
}  // namespace minima::interpolate_test
