#include "tests/ops/checks/op_cases.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pooling/avg_pool.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace minima::pool3d_test {
namespace {

using namespace test;

using Three = std::array<std::int64_t, 3>;
Three each(Triple t) { return {t.depth, t.height, t.width}; }

/// The elements of x that a window sees, with their positions in the volume.
struct Window {
  std::vector<double> values;
  std::vector<std::int64_t> places;
  double size = 1;  ///< with padding, as far as it reaches
};

/// Calls f for the window of every result; `sizes` are the result's.
Doubles pooled(const Doubles& x, const Three& sizes, const std::function<Three(int, std::int64_t)>& range,
               const std::function<double(const Window&)>& f) {
  const int first = x.shape.rank() - 3;
  Shape shape = x.shape;
  for (int d = 0; d < 3; ++d) shape[first + d] = sizes[static_cast<std::size_t>(d)];
  Doubles y(shape);
  each_index(shape, [&](const Shape& at) {
    Window window;
    std::array<Three, 3> ranges{};  // begin, end, step
    for (int d = 0; d < 3; ++d) ranges[static_cast<std::size_t>(d)] = range(d, at[first + d]);
    for (int d = 0; d < 3; ++d) {
      const auto [begin, end, step] = ranges[static_cast<std::size_t>(d)];
      window.size *= static_cast<double>((end - begin + step - 1) / step);
    }
    for (std::int64_t a = ranges[0][0]; a < ranges[0][1]; a += ranges[0][2])
      for (std::int64_t b = ranges[1][0]; b < ranges[1][1]; b += ranges[1][2])
        for (std::int64_t c = ranges[2][0]; c < ranges[2][1]; c += ranges[2][2]) {
          Shape from = at;
          from[first] = a, from[first + 1] = b, from[first + 2] = c;
          const auto inside = [&](int d) { return from[first + d] >= 0 && from[first + d] < x.shape[first + d]; };
          if (!inside(0) || !inside(1) || !inside(2)) continue;
          window.values.push_back(x[from]);
          window.places.push_back((a * x.shape[first + 1] + b) * x.shape[first + 2] + c);
        }
    y[at] = f(window);
  });
  return y;
}

double largest(const Window& w) { return *std::max_element(w.values.begin(), w.values.end()); }
double average(const Window& w) {
  double total = 0;
  for (const double x : w.values) total += x;
  return total / static_cast<double>(w.values.size());
}

/// Windows of fixed size.
auto windows(Triple kernel, Triple stride, Triple padding, Triple dilation, bool ceil_mode,
             std::function<double(const Window&)> f) {
  return [=](const std::vector<Doubles>& in) {
    const Three k = each(kernel), s = each(stride), p = each(padding), dil = each(dilation);
    Three sizes{}, lengths{};
    for (std::size_t d = 0; d < 3; ++d) {
      lengths[d] = in[0].shape[in[0].shape.rank() - 3 + static_cast<int>(d)];
      const std::int64_t room = lengths[d] + 2 * p[d] - dil[d] * (k[d] - 1) - 1;
      sizes[d] = (room + (ceil_mode ? s[d] - 1 : 0)) / s[d] + 1;
      if (ceil_mode && (sizes[d] - 1) * s[d] >= lengths[d] + p[d]) --sizes[d];
    }
    return pooled(
        in[0], sizes,
        [=](int dim, std::int64_t i) {
          const auto d = static_cast<std::size_t>(dim);
          const std::int64_t begin = i * s[d] - p[d];
          return Three{begin, std::min(begin + dil[d] * (k[d] - 1) + 1, lengths[d] + p[d]), dil[d]};
        },
        f);
  };
}
auto parts(Triple size, std::function<double(const Window&)> f) {
  return [=](const std::vector<Doubles>& in) {
    const Three n = each(size);
    const Shape shape = in[0].shape;
    return pooled(
        in[0], n,
        [=](int dim, std::int64_t i) {
          const std::int64_t length = shape[shape.rank() - 3 + dim], count = n[static_cast<std::size_t>(dim)];
          return Three{i * length / count, ((i + 1) * length + count - 1) / count, 1};
        },
        f);
  };
}

const MaxPool3dOptions odd_max{
    .kernel = {2, 3, 2}, .stride = {1, 2, 2}, .padding = {1, 1, 0}, .dilation = {1, 1, 2}, .ceil_mode = true};
const AvgPool3dOptions odd_average{.kernel = {2, 3, 2}, .stride = {1, 2, 2}, .padding = {1, 1, 0}, .ceil_mode = true};

OpCases pooling(const char* name) {
  OpCases cases(name);
  cases.without("hidden", "it is made of other operators");
  return cases;
}

template <class Options>
OpCases& with_errors(OpCases& cases, const std::string& op, Tensor (*f)(const Tensor&, const Options&)) {
  const auto message = [&](const char* text) { return op + ": " + text; };
  return cases.huge([f](auto v) { f(zeros({1, 2, 4, 4, 4}), {.kernel = v}); })
      .huge([f](auto v) { f(zeros({1, 2, 4, 4, 4}), {.kernel = 2, .stride = v}); })
      .huge([f](auto v) { f(zeros({1, 2, 4, 4, 4}), {.kernel = 2, .padding = v}); })
      .template error<ShapeError>([f] { f(sized({3, 4}), {.kernel = 2}); },
                                  message("x must be [N, C, D, H, W] or [C, D, H, W], got float32 [3, 4]"))
      .template error<ShapeError>([f] { f(empty({1, 2, 3, 8, 8}), {.kernel = 4}); },
                                  message("a kernel that spans 4 is larger than dimension -3 of x float32 [1, 2, 3, 8, "
                                          "8] with padding 0"))
      .template error<ValueError>([f] { f(empty({1, 2, 8, 8, 8}), {.kernel = {1, 0, 1}}); },
                                  message("kernel, stride and dilation must be at least 1, got 0, 0 and 1"))
      .template error<ValueError>([f] { f(empty({1, 2, 8, 8, 8}), {.kernel = 2, .padding = {0, 0, 2}}); },
                                  message("padding must be between 0 and half the kernel, got padding 2 for a kernel "
                                          "that spans 2"))
      .template error<DTypeError>([f] { f(zeros({1, 2, 8, 8, 8}, {.dtype = int64}), {.kernel = 2}); },
                                  message("needs a floating tensor, got int64 [1, 2, 8, 8, 8]; convert it with to()"));
}

[[maybe_unused]] const bool max_pool3d_cases = [] {
  OpCases cases = pooling("max_pool3d");
  cases.result_layout(ResultLayout::images)
      .on([](In in) { return max_pool3d(in[0], 2); }, windows(2, 2, 0, 1, false, largest))
      .pytorch("lambda x: F.max_pool3d(x, 2)")
      .inputs(distinct({2, 2, 2, 4, 3}))
      .inputs(distinct({0, 2, 2, 4, 3}))
      .inputs(normal({2, 3, 20, 20, 18}))
      .on([](In in) { return max_pool3d(in[0], odd_max); },
          windows(odd_max.kernel, odd_max.stride, odd_max.padding, odd_max.dilation, true, largest), "odd windows")
      .pytorch("lambda x: F.max_pool3d(x, (2, 3, 2), (1, 2, 2), (1, 1, 0), (1, 1, 2), True)")
      .inputs(distinct({1, 2, 3, 4, 6}))
      .huge([](auto v) { max_pool3d(zeros({1, 2, 4, 4, 4}), {.kernel = 2, .dilation = v}); });
  return with_errors<MaxPool3dOptions>(cases, "max_pool3d", max_pool3d).check();
}();

[[maybe_unused]] const bool avg_pool3d_cases = [] {
  OpCases cases = pooling("avg_pool3d");
  cases.result_layout(ResultLayout::images)
      .on([](In in) { return avg_pool3d(in[0], 2); }, windows(2, 2, 0, 1, false, average))
      .pytorch("lambda x: F.avg_pool3d(x, 2)")
      .inputs(normal({2, 2, 2, 4, 3}))
      .inputs(normal({0, 2, 2, 4, 3}))
      .inputs(normal({2, 3, 20, 20, 18}))
      .on([](In in) { return avg_pool3d(in[0], odd_average); },
          windows(odd_average.kernel, odd_average.stride, odd_average.padding, 1, true,
                  [](const Window& w) { return average(w) * static_cast<double>(w.values.size()) / w.size; }),
          "padding counts")
      .pytorch("lambda x: F.avg_pool3d(x, (2, 3, 2), (1, 2, 2), (1, 1, 0), True)")
      .inputs(normal({1, 2, 3, 4, 5}))
      .on(
          [](In in) {
            AvgPool3dOptions options = odd_average;
            options.count_include_pad = false;
            return avg_pool3d(in[0], options);
          },
          windows(odd_average.kernel, odd_average.stride, odd_average.padding, 1, true, average),
          "padding does not count")
      .pytorch("lambda x: F.avg_pool3d(x, (2, 3, 2), (1, 2, 2), (1, 1, 0), True, False)")
      .inputs(normal({1, 2, 3, 4, 5}))
      .on([](In in) { return avg_pool3d(in[0], {.kernel = {1, 2, 2}, .divisor = 3}); },
          windows({1, 2, 2}, {1, 2, 2}, 0, 1, false,
                  [](const Window& w) { return average(w) * static_cast<double>(w.values.size()) / 3; }),
          "a divisor")
      .pytorch("lambda x: F.avg_pool3d(x, (1, 2, 2), divisor_override=3)")
      .inputs(normal({1, 2, 3, 4, 5}))
      .huge([](auto v) { avg_pool3d(zeros({1, 2, 4, 4, 4}), {.kernel = 2, .divisor = v}); })
      .error<ValueError>([] { avg_pool3d(zeros({1, 2, 4, 4, 4}), {.kernel = 2, .divisor = -1}); },
                         "avg_pool3d: divisor must not be negative, got -1");
  return with_errors<AvgPool3dOptions>(cases, "avg_pool3d", avg_pool3d).check();
}();

[[maybe_unused]] const bool adaptive_avg_pool3d_cases =
    pooling("adaptive_avg_pool3d")
        .result_layout(ResultLayout::images)
        .on([](In in) { return adaptive_avg_pool3d(in[0], {2, 3, 1}); }, parts({2, 3, 1}, average))
        .pytorch("lambda x: F.adaptive_avg_pool3d(x, (2, 3, 1))")
        .inputs(normal({2, 2, 3, 4, 5}))
        .inputs(normal({0, 2, 3, 4, 5}))
        .inputs(normal({2, 3, 20, 20, 18}))
        .huge([](auto v) { adaptive_avg_pool3d(zeros({1, 2, 4, 4, 4}), {v, 1, 1}); })
        .huge([](auto v) { adaptive_avg_pool3d(zeros({1, 2, 4, 4, 4}), v); })
        .error<ValueError>([] { adaptive_avg_pool3d(zeros({1, 2, 4, 4, 4}), {0, 1, 1}); },
                           "adaptive_avg_pool3d: size must be at least 1, got [0, 1, 1]")
        .error<ShapeError>([] { adaptive_avg_pool3d(zeros({1, 2, 4, 0, 4}), 2); },
                           "adaptive_avg_pool3d: the volumes of x [1, 2, 4, 0, 4] are empty")
        .error<ShapeError>([] { adaptive_avg_pool3d(zeros({2, 4}), 2); },
                           "adaptive_avg_pool3d: x must be [N, C, D, H, W] or [C, D, H, W], got float32 [2, 4]")
        .error<DTypeError>([] { adaptive_avg_pool3d(zeros({1, 2, 4, 4, 4}, {.dtype = int64}), 2); },
                           "adaptive_avg_pool3d: needs a floating tensor, got int64 [1, 2, 4, 4, 4]; convert it with "
                           "to()")
        .check();

[[maybe_unused]] const bool adaptive_max_pool3d_cases =
    pooling("adaptive_max_pool3d")
        .on([](In in) { return adaptive_max_pool3d(in[0], {2, 3, 1}); }, parts({2, 3, 1}, largest))
        .pytorch("lambda x: F.adaptive_max_pool3d(x, (2, 3, 1))")
        .inputs(distinct({2, 2, 3, 4, 5}))
        .inputs(distinct({0, 2, 3, 4, 5}))
        .inputs(normal({2, 3, 20, 20, 18}))
        .huge([](auto v) { adaptive_max_pool3d(zeros({1, 2, 4, 4, 4}), {v, 1, 1}); })
        .error<ValueError>([] { adaptive_max_pool3d(zeros({1, 2, 4, 4, 4}), {0, 1, 1}); },
                           "adaptive_max_pool3d: the size must be positive, got 0")
        .error<ShapeError>([] { adaptive_max_pool3d(zeros({2, 4}), 2); },
                           "adaptive_max_pool3d: x needs at least 4 dimensions, got float32 [2, 4]")
        .error<ShapeError>([] { adaptive_max_pool3d(zeros({1, 2, 4, 0, 4}), 2); },
                           "adaptive_max_pool3d: x float32 [1, 2, 4, 0, 4] has no elements to pool")
        .error<DTypeError>([] { adaptive_max_pool3d(zeros({1, 2, 4, 4, 4}, {.dtype = int64}), 2); },
                           "adaptive_max_pool3d: needs a floating tensor, got int64 [1, 2, 4, 4, 4]; convert it with "
                           "to()")
        .check();

/// Indices count through the volume, in x's memory order too.
TEST(MaxPool3d, IndicesAreThePlacesOfTheMaxima) {
  const Tensor plain = randn({2, 3, 5, 6, 7}, {.dtype = float64});
  for (const Tensor& x : {plain, channels_last(plain)}) {
    const auto [values, indices] = max_pool3d_with_indices(x, odd_max);
    EXPECT_TRUE(identical(values, max_pool3d(x, odd_max)));
    EXPECT_EQ(indices.dtype(), int64);
    const std::vector<double> all = contiguous(x).to_vector<double>(), maxima = contiguous(values).to_vector<double>();
    const std::vector<std::int64_t> places = contiguous(indices).to_vector<std::int64_t>();
    const std::size_t results = maxima.size() / 6;
    for (std::size_t i = 0; i < maxima.size(); ++i)
      ASSERT_EQ(all[i / results * 210 + static_cast<std::size_t>(places[i])], maxima[i]) << i;
  }
}

TEST(MaxPool3d, TheFirstOfEqualMaximaIsTaken) {
  const auto [values, indices] = max_pool3d_with_indices(ones({1, 1, 3, 3, 3}), {.kernel = 2, .stride = 1});
  EXPECT_EQ(indices.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 3, 4, 9, 10, 12, 13}));
}

TEST(MaxPool3d, NanIsTheLargest) {
  Tensor x = zeros({1, 1, 2, 2, 2});
  fill_(x[0][0][1][0][1], std::numeric_limits<double>::quiet_NaN());
  const auto [values, indices] = max_pool3d_with_indices(x, {.kernel = 2});
  EXPECT_TRUE(std::isnan(values.item<float>()));
  EXPECT_EQ(indices.item<std::int64_t>(), 5);
}

TEST(MaxPool1d, IndicesAreThePlacesOfTheMaxima) {
  const Tensor x = from_vector<float>({1, 5, 2, 7, 7, 0}, {1, 1, 6});
  const auto [values, indices] = max_pool1d_with_indices(x, {.kernel = 3, .stride = 1, .padding = 1});
  EXPECT_EQ(values.to_vector<float>(), (std::vector<float>{5, 5, 7, 7, 7, 7}));
  EXPECT_EQ(indices.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 1, 3, 3, 3, 4}));
}

[[maybe_unused]] const bool max_pool3d_with_indices_calls =
    FunctionCases("max_pool3d_with_indices")
        .undefined([](const Tensor& none) { max_pool3d_with_indices(none, {.kernel = 2}); })
        .check();

[[maybe_unused]] const bool adaptive_max_pool3d_with_indices_calls =
    FunctionCases("adaptive_max_pool3d_with_indices")
        .undefined([](const Tensor& none) { adaptive_max_pool3d_with_indices(none, 1); })
        .check();

}  // namespace
}  // namespace minima::pool3d_test
