#include "tests/ops/checks/op_cases.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/image/grid_sample.h>
#include <minima/ops/image/interpolate.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace minima::grid_sample_test {
namespace {

using namespace test;

/// An element along one dimension and its weight; negative for none.
struct Part {
  std::int64_t place;
  double weight;
};

double padded(double at, std::int64_t size, const GridSampleOptions& o) {
  const auto last = static_cast<double>(size - 1);
  if (o.padding == GridPadding::zeros) return at;
  if (o.padding == GridPadding::reflection) {
    const double low = o.align_corners ? 0 : -0.5, high = o.align_corners ? last : last + 0.5;
    while (high > low && (at < low || at > high)) at = at < low ? 2 * low - at : 2 * high - at;
  }
  return std::clamp(at, 0.0, last);
}

std::vector<Part> parts_of(double g, std::int64_t size, const GridSampleOptions& o) {
  const auto n = static_cast<double>(size);
  double at = o.align_corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
  const auto part = [&](double place, double weight) {
    const auto i = static_cast<std::int64_t>(place);
    return Part{i < 0 || i >= size ? -1 : i, weight};
  };
  if (o.mode == GridSampleMode::bicubic) {
    const double low = std::floor(at);
    std::vector<Part> parts;
    for (int k = -1; k <= 2; ++k) {
      const double d = std::abs(at - low - k), a = -0.75;
      const double weight = d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
      parts.push_back(part(padded(low + k, size, o), weight));
    }
    return parts;
  }
  at = padded(at, size, o);
  if (o.mode == GridSampleMode::nearest) return {part(std::nearbyint(at), 1)};
  const double low = std::floor(at);
  return {part(low, 1 - (at - low)), part(low + 1, at - low)};
}

auto sampled(const GridSampleOptions& o) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles &x = in[0], &grid = in[1];
    const int spatial = x.shape.rank() - 2;
    Shape shape{x.shape[0], x.shape[1]};
    for (int d = 0; d < spatial; ++d) shape.push_back(grid.shape[1 + d]);
    Doubles y(shape);
    if (numel(shape) == 0) return y;
    each_index(shape, [&](const Shape& at) {
      std::vector<std::vector<Part>> parts;
      Shape counts;
      for (int d = 0; d < spatial; ++d) {
        Shape place{at[0]};
        for (int k = 0; k < spatial; ++k) place.push_back(at[2 + k]);
        place.push_back(spatial - 1 - d);
        parts.push_back(parts_of(grid[place], x.shape[2 + d], o));
        counts.push_back(static_cast<std::int64_t>(parts.back().size()));
      }
      double sum = 0;
      each_index(counts, [&](const Shape& corner) {
        Shape from{at[0], at[1]};
        double weight = 1;
        for (int d = 0; d < spatial; ++d) {
          const Part& part = parts[static_cast<std::size_t>(d)][static_cast<std::size_t>(corner[d])];
          if (part.place < 0) return;
          from.push_back(part.place);
          weight *= part.weight;
        }
        sum += weight * x[from];
      });
      y[at] = sum;
    });
    return y;
  };
}

OpCases table() {
  OpCases cases("grid_sample");
  cases.autocast("widest")
      .result_layout(ResultLayout::images)
      .without("hidden", "on CUDA it is made of other operators");
  cases.tolerance(64);  // coordinates lose digits before they become weights
  const char* modes[] = {"bilinear", "nearest", "bicubic"};
  const char* paddings[] = {"zeros", "border", "reflection"};
  for (const bool corners : {false, true})
    for (const int mode : {0, 1, 2})
      for (const int padding : {0, 1, 2}) {
        const GridSampleOptions options{static_cast<GridSampleMode>(mode), static_cast<GridPadding>(padding), corners};
        cases
            .on([=](In in) { return grid_sample(in[0], in[1], options); }, sampled(options),
                str(modes[mode], " ", paddings[padding], corners ? " corners" : ""))
            .pytorch(str("lambda x, g: F.grid_sample(x, g, '", modes[mode], "', '", paddings[padding], "', ",
                         corners ? "True)" : "False)"));
        // On a GPU it is made of operators that have their own tables: PyTorch's recordings are enough.
        if (corners && !test_device().is_cpu()) continue;
        cases.inputs(normal({2, 2, 3, 4}), uniform({2, 2, 3, 2}, -1.4, 1.4));
        if (mode != 2) cases.inputs(normal({1, 2, 2, 3, 4}), uniform({1, 2, 1, 3, 3}, -1.4, 1.4));
        if (mode == 0 && padding == 0 && !corners)
          cases.inputs(normal({0, 2, 3, 4}), uniform({0, 2, 3, 2}, -1.4, 1.4))
              .inputs(normal({2, 3, 90, 80}), uniform({2, 5, 9, 2}, -1.4, 1.4));
      }
  return cases;
}

[[maybe_unused]] const bool grid_sample_cases =
    table()
        .error<ShapeError>([] { grid_sample(zeros({2, 3, 4}), zeros({2, 3, 1})); },
                           "grid_sample: x must be [N, C, H, W] or [N, C, D, H, W], got float32 [2, 3, 4]")
        .error<ShapeError>([] { grid_sample(zeros({2, 1, 3, 4}), zeros({2, 3, 4, 3})); },
                           "grid_sample: grid must be [N, H', W', 2] with the N of x float32 [2, 1, 3, 4], got float32 "
                           "[2, 3, 4, 3]")
        .error<ShapeError>([] { grid_sample(zeros({2, 1, 0, 4}), zeros({2, 3, 4, 2})); },
                           "grid_sample: x float32 [2, 1, 0, 4] has no elements to sample")
        .error<ValueError>(
            [] { grid_sample(zeros({1, 1, 2, 2, 2}), zeros({1, 1, 1, 1, 3}), {.mode = GridSampleMode::bicubic}); },
            "grid_sample: bicubic takes images [N, C, H, W], got float32 [1, 1, 2, 2, 2]")
        .error<DTypeError>([] { grid_sample(zeros({1, 1, 2, 2}), zeros({1, 1, 1, 2}, {.dtype = float64})); },
                           "grid_sample: needs one floating dtype, got x float32 [1, 1, 2, 2] and grid float64 [1, 1, "
                           "1, 2]; convert one with to()")
        .check();

auto places(const Shape& size, bool corners) {
  return [=](const std::vector<Doubles>& in) {
    const int spatial = size.rank() - 2;
    Shape shape{size[0]};
    for (int d = 0; d < spatial; ++d) shape.push_back(size[2 + d]);
    shape.push_back(spatial);
    Doubles y(shape);
    if (numel(shape) == 0) return y;
    each_index(shape, [&](const Shape& at) {
      double sum = in[0][{at[0], at[spatial + 1], spatial}];
      for (int d = 0; d < spatial; ++d) {  // width first
        const auto n = static_cast<double>(size[size.rank() - 1 - d]), i = static_cast<double>(at[spatial - d]);
        const double place = corners ? (n > 1 ? 2 * i / (n - 1) - 1 : 0) : (2 * i + 1) / n - 1;
        sum += place * in[0][{at[0], at[spatial + 1], d}];
      }
      y[at] = sum;
    });
    return y;
  };
}

OpCases affine_table() {
  OpCases cases("affine_grid");
  cases.without("hidden", "it is made of other operators");
  for (const bool corners : {false, true}) {
    const Shape image{2, 1, 3, 4}, volume{2, 1, 2, 1, 3};
    const std::string last = corners ? ", True)" : ", False)";
    cases.on([=](In in) { return affine_grid(in[0], image, corners); }, places(image, corners), str("images ", corners))
        .pytorch("lambda t: F.affine_grid(t, (2, 1, 3, 4)" + last)
        .contraction(2000)  // places of both signs cancel
        .inputs(normal({2, 2, 3}));
    cases
        .on([=](In in) { return affine_grid(in[0], volume, corners); }, places(volume, corners),
            str("volumes ", corners))
        .pytorch("lambda t: F.affine_grid(t, (2, 1, 2, 1, 3)" + last)
        .contraction(2000)  // places of both signs cancel
        .inputs(normal({2, 3, 4}));
  }
  return cases;
}
[[maybe_unused]] const bool affine_grid_cases =
    affine_table()
        .without("large", "a map has twelve numbers")
        .on([](In in) { return affine_grid(in[0], {0, 1, 3, 4}); }, places({0, 1, 3, 4}, false), "nothing")
        .inputs(normal({0, 2, 3}))
        .huge([](auto v) { affine_grid(zeros({1, 2, 3}), {1, 1, v, 2}); })
        .huge([](auto v) { affine_grid(zeros({1, 2, 3}), {1, 1, v, v}); })
        .error<ShapeError>([] { affine_grid(zeros({1, 2, 3}), {1, 2, 3}); },
                           "affine_grid: size must be {N, C, H, W} or {N, C, D, H, W}, got [1, 2, 3]")
        .error<ShapeError>([] { affine_grid(zeros({1, 2, 3}), {2, 1, 4, 4}); },
                           "affine_grid: theta must be [2, 2, 3] for size [2, 1, 4, 4], got float32 [1, 2, 3]")
        .error<ValueError>([] { affine_grid(zeros({1, 2, 3}), {1, 1, 0, 4}); },
                           "affine_grid: sizes must be at least 1, got [1, 1, 0, 4]")
        .error<DTypeError>([] { affine_grid(zeros({1, 2, 3}, {.dtype = int64}), {1, 1, 4, 4}); },
                           "affine_grid: theta must be floating, got int64 [1, 2, 3]; convert it with to()")
        .check();

/// The identity map of another size is interpolation.
TEST(GridSample, OfTheIdentityResizes) {
  const Tensor x = randn({2, 3, 5, 6}, {.dtype = float64});
  const Tensor theta = expand(from_vector<double>({1, 0, 0, 0, 1, 0}, {1, 2, 3}), {2, 2, 3});
  const Tensor grid = affine_grid(theta, {2, 3, 9, 11});
  EXPECT_TRUE(allclose(grid_sample(x, grid, {.padding = GridPadding::border}),
                       interpolate(x, {.size = {9, 11}, .mode = InterpolateMode::linear})));
}

/// As in PyTorch, the first and the last element count as outside where coordinates are clamped.
TEST(GridSample, HasNoSlopeAtTheEdges) {
  for (const GridPadding padding : {GridPadding::border, GridPadding::reflection}) {
    const Tensor x = from_vector<double>({1, 5, 3, 8}, {1, 1, 2, 2});
    const Tensor grid = from_vector<double>({1, 1, -1, -1, 0.5, 1}, {1, 1, 3, 2}).requires_grad(true);
    sum(grid_sample(x, grid, {.padding = padding, .align_corners = true})).backward();
    const auto slopes = grid.grad().to_vector<double>();
    EXPECT_EQ(slopes, (std::vector<double>{0, 0, 0, 0, 2.5, 0}));
  }
}

TEST(GridSample, NanIsOutside) {
  const Tensor grid = full({1, 1, 1, 2}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(grid_sample(ones({1, 1, 2, 2}), grid).item<float>(), 0);
}

/// The first element stands in for elements outside of x, and must not be read then.
TEST(GridSample, ReadsNothingOutside) {
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  for (const int spatial : {2, 3})
    for (const auto mode : {GridSampleMode::bilinear, GridSampleMode::nearest, GridSampleMode::bicubic})
      for (const double value : bad)
        for (const bool twice : {false, true}) {
          if (mode == GridSampleMode::bicubic && spatial == 3) continue;
          Shape shape{1, 2}, places{1, 1, 5};
          for (int d = 0; d < spatial; ++d) shape.push_back(6);
          if (spatial == 3) places.insert(1, 1);
          places.push_back(spatial);
          const Tensor x = full(shape, 1.0, {.dtype = DType::float64, .device = test_device()});
          fill_(slice(reshape(x, {-1}), 0, 0, 1), value);
          // Far away, past each end of the first dimension, and at the opposite corner.
          std::vector<double> coordinates;
          for (const double first : {3.0, -3.0, -1.1, 1.1, 0.95})
            for (int d = 0; d < spatial; ++d) coordinates.push_back(d == 0 ? first : 0.95);
          const Tensor grid = from_vector(coordinates, places).to(x.device()).requires_grad(true);
          const Tensor leaf = x.detach().requires_grad(true);
          const GridSampleOptions options{.mode = mode};
          const Tensor y = grid_sample(leaf, grid, options), clean = grid_sample(ones_like(x), grid, options);
          const std::string name = str(spatial, "D, mode ", static_cast<int>(mode), ", ", value);
          const Closeness close = allclose(y, clean);
          EXPECT_TRUE(close) << name << ": " << close.message;
          const auto slope = [&](const Tensor& of) {
            const Tensor found = grad({sum(of)}, {grid}, {}, {.create_graph = twice, .allow_unused = true})[0];
            return found.defined() ? found : zeros_like(grid);
          };
          EXPECT_TRUE(allclose(slope(y), slope(clean))) << name;
          // An infinite gradient stays where it belongs.
          Tensor g = ones_like(y).detach();
          fill_(select(g, -1, 0), value);
          const std::vector<Tensor> infinite =
              grad({grid_sample(leaf, grid, options)}, {leaf}, {g}, {.create_graph = twice});
          EXPECT_TRUE(all(isfinite(infinite[0])).item<bool>()) << name;
        }
}

}  // namespace
}  // namespace minima::grid_sample_test
