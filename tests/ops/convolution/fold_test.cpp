#include "tests/ops/checks/op_cases.h"

#include <minima/ops/convolution/fold.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::fold_test {
namespace {

using namespace test;

/// Calls f(place in images [N, C, H, W], place in columns [N, C · kH · kW, L]) for each pair inside the images.
template <class F>
void each_pair(const Shape& images, const FoldOptions& o, F&& f) {
  const std::int64_t rows =
      (images[2] + 2 * o.padding.height - o.dilation.height * (o.kernel.height - 1) - 1) / o.stride.height + 1;
  const std::int64_t columns =
      (images[3] + 2 * o.padding.width - o.dilation.width * (o.kernel.width - 1) - 1) / o.stride.width + 1;
  const Shape all{images[0], images[1], o.kernel.height, o.kernel.width, rows, columns};
  if (numel(all) == 0) return;
  each_index(all, [&](const Shape& at) {
    const std::int64_t row = at[4] * o.stride.height - o.padding.height + at[2] * o.dilation.height;
    const std::int64_t column = at[5] * o.stride.width - o.padding.width + at[3] * o.dilation.width;
    if (row < 0 || row >= images[2] || column < 0 || column >= images[3]) return;
    f(Shape{at[0], at[1], row, column},
      Shape{at[0], (at[1] * o.kernel.height + at[2]) * o.kernel.width + at[3], at[4] * columns + at[5]});
  });
}
Shape columns_of(const Shape& x, const FoldOptions& o) {
  const auto count = [](std::int64_t n, std::int64_t k, std::int64_t s, std::int64_t p, std::int64_t d) {
    return (n + 2 * p - d * (k - 1) - 1) / s + 1;
  };
  return {x[0], x[1] * o.kernel.height * o.kernel.width,
          count(x[2], o.kernel.height, o.stride.height, o.padding.height, o.dilation.height) *
              count(x[3], o.kernel.width, o.stride.width, o.padding.width, o.dilation.width)};
}

auto unfolded(const FoldOptions& o) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y(columns_of(in[0].shape, o));
    each_pair(in[0].shape, o, [&](const Shape& image, const Shape& column) { y[column] = in[0][image]; });
    return y;
  };
}
auto folded(Pair size, const FoldOptions& o) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y({in[0].shape[0], in[0].shape[1] / (o.kernel.height * o.kernel.width), size.height, size.width});
    each_pair(y.shape, o, [&](const Shape& image, const Shape& column) { y[image] += in[0][column]; });
    return y;
  };
}

const FoldOptions odd{.kernel = {2, 3}, .dilation = {2, 1}, .padding = {1, 0}, .stride = {1, 2}};

[[maybe_unused]] const bool unfold_cases =
    OpCases("unfold")
        .declared_in("ops/convolution/fold.h")
        .without("IndexError", "it names no dimension; unfold of ops/view does")
        .on([](In in) { return unfold(in[0], {.kernel = 2}); }, unfolded({.kernel = 2}), "kernel 2")
        .pytorch("lambda x: F.unfold(x, 2)")
        .inputs(normal({2, 2, 3, 4}))
        .inputs(normal({0, 2, 3, 4}))
        .inputs(normal({4, 3, 60, 61}))
        .on([](In in) { return unfold(in[0], odd); }, unfolded(odd), "odd windows")
        .pytorch("lambda x: F.unfold(x, (2, 3), (2, 1), (1, 0), (1, 2))")
        .inputs(normal({2, 2, 4, 5}))
        .huge([](auto v) { unfold(zeros({1, 2, 4, 4}), {.kernel = v}); })
        .huge([](auto v) { unfold(zeros({1, 2, 4, 4}), {.kernel = 2, .dilation = v}); })
        .huge([](auto v) { unfold(zeros({1, 2, 4, 4}), {.kernel = 2, .padding = v}); })
        .huge([](auto v) { unfold(zeros({1, 2, 4, 4}), {.kernel = 2, .stride = v}); })
        .error<ShapeError>([] { unfold(zeros({4, 4}), {.kernel = 2}); },
                           "unfold: x must be [N, C, H, W] or [C, H, W], got [4, 4]")
        .error<ShapeError>([] { unfold(zeros({1, 1, 3, 3}), {.kernel = {2, 4}}); },
                           "unfold: the kernel [2, 4] with dilation [1, 1] is larger than images [1, 1, 3, 3] with "
                           "padding [0, 0]")
        .error<ValueError>([] { unfold(zeros({1, 1, 3, 3}), {.kernel = 0}); },
                           "unfold: kernel must be at least 1, got [0, 0]")
        .error<DTypeError>([] { unfold(zeros({1, 1, 3, 3}, {.dtype = int64}), {.kernel = 2}); },
                           "unfold: needs a floating tensor, got int64 [1, 1, 3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool fold_cases =
    OpCases("fold")
        .on([](In in) { return fold(in[0], {3, 4}, {.kernel = 2}); }, folded({3, 4}, {.kernel = 2}), "kernel 2")
        .pytorch("lambda x: F.fold(x, (3, 4), 2)")
        .inputs(normal({2, 8, 6}))
        .inputs(normal({0, 8, 6}))
        .on([](In in) { return fold(in[0], {4, 5}, odd); }, folded({4, 5}, odd), "odd windows")
        .pytorch("lambda x: F.fold(x, (4, 5), (2, 3), (2, 1), (1, 0), (1, 2))")
        .inputs(normal({2, 12, 8}))
        .on([](In in) { return fold(in[0], {60, 61}, {.kernel = 2}); }, folded({60, 61}, {.kernel = 2}), "large")
        .inputs(normal({2, 12, 59 * 60}))
        .huge([](auto v) { fold(zeros({1, 4, 4}), v, {.kernel = 2}); })
        .huge([](auto v) { fold(zeros({1, 4, 4}), 3, {.kernel = v}); })
        .huge([](auto v) { fold(zeros({1, 4, 4}), 3, {.kernel = 2, .dilation = v}); })
        .huge([](auto v) { fold(zeros({1, 4, 4}), 3, {.kernel = 2, .padding = v}); })
        .huge([](auto v) { fold(zeros({1, 4, 4}), 3, {.kernel = 2, .stride = v}); })
        .error<ShapeError>([] { fold(zeros({4}), 2, {.kernel = 2}); },
                           "fold: x must be [N, C · kH · kW, L] or [C · kH · kW, L], got [4]")
        .error<ShapeError>(
            [] { fold(zeros({1, 4, 5}), 3, {.kernel = 2}); },
            "fold: images of size [3, 3] have 4 positions and columns of a multiple of 4 elements, but x "
            "is [1, 4, 5]")
        .error<ValueError>([] { fold(zeros({1, 4, 4}), 0, {.kernel = 2}); },
                           "fold: size must be at least 1, got [0, 0]")
        .error<ValueError>([] { fold(zeros({1, 4, 4}), 3, {.kernel = 2, .stride = 0}); },
                           "fold: stride must be at least 1, got [0, 0]")
        .error<DTypeError>([] { fold(zeros({1, 4, 4}, {.dtype = int64}), 3, {.kernel = 2}); },
                           "fold: needs a floating tensor, got int64 [1, 4, 4]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::fold_test
