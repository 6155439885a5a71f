#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/image/pixel_shuffle.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::pixel_shuffle_test {
namespace {

using namespace test;

/// Calls f(place in channels, place in pixels) for each element of x [..., C · 4, H, W].
template <class F>
void each_pair(const Shape& channels, F&& f) {
  if (numel(channels) == 0) return;
  each_index(channels, [&](const Shape& at) {
    const int c = channels.rank() - 3;
    Shape pixel = at;
    pixel[c] = at[c] / 4;
    pixel[c + 1] = 2 * at[c + 1] + at[c] % 4 / 2;
    pixel[c + 2] = 2 * at[c + 2] + at[c] % 2;
    f(at, pixel);
  });
}
Doubles shuffled(const std::vector<Doubles>& in) {
  Shape shape = in[0].shape;
  const int c = shape.rank() - 3;
  shape[c] /= 4, shape[c + 1] *= 2, shape[c + 2] *= 2;
  Doubles y(shape);
  each_pair(in[0].shape, [&](const Shape& from, const Shape& to) { y[to] = in[0][from]; });
  return y;
}
Doubles unshuffled(const std::vector<Doubles>& in) {
  Shape shape = in[0].shape;
  const int c = shape.rank() - 3;
  shape[c] *= 4, shape[c + 1] /= 2, shape[c + 2] /= 2;
  Doubles y(shape);
  each_pair(shape, [&](const Shape& to, const Shape& from) { y[to] = in[0][from]; });
  return y;
}

OpCases moving(const char* name) {
  OpCases cases(name);
  cases.without("hidden", "it is made of other operators").dtypes(all_dtypes());
  return cases;
}

[[maybe_unused]] const bool pixel_shuffle_cases =
    moving("pixel_shuffle")
        .on([](In in) { return pixel_shuffle(in[0], 2); }, shuffled)
        .pytorch("lambda x: F.pixel_shuffle(x, 2)")
        .inputs(normal({2, 8, 3, 2}))
        .inputs(normal({4, 2, 3}))
        .inputs(normal({0, 8, 3, 2}))
        .inputs(normal({2, 8, 60, 50}))
        .huge([](auto v) { pixel_shuffle(zeros({1, 4, 2, 2}), v); })
        .error<ShapeError>([] { pixel_shuffle(zeros({4, 2}), 2); },
                           "pixel_shuffle: x must be [..., C, H, W], got float32 [4, 2]")
        .error<ShapeError>([] { pixel_shuffle(zeros({1, 6, 2, 2}), 2); },
                           "pixel_shuffle: the square of 2 does not divide the 6 channels of x float32 [1, 6, 2, 2]")
        .error<ValueError>([] { pixel_shuffle(zeros({1, 4, 2, 2}), 0); }, "pixel_shuffle: r must be at least 1, got 0")
        .check();

[[maybe_unused]] const bool pixel_unshuffle_cases =
    moving("pixel_unshuffle")
        .on([](In in) { return pixel_unshuffle(in[0], 2); }, unshuffled)
        .pytorch("lambda x: F.pixel_unshuffle(x, 2)")
        .inputs(normal({2, 2, 4, 6}))
        .inputs(normal({1, 2, 4}))
        .inputs(normal({2, 8, 60, 50}))
        .on([](In in) { return pixel_unshuffle(in[0], 2); }, unshuffled, "no images")
        .inputs(normal({0, 2, 4, 6}))
        .huge([](auto v) { pixel_unshuffle(zeros({1, 4, 2, 2}), v); })
        .error<ShapeError>([] { pixel_unshuffle(zeros({4, 2}), 2); },
                           "pixel_unshuffle: x must be [..., C, H, W], got float32 [4, 2]")
        .error<ShapeError>([] { pixel_unshuffle(zeros({1, 1, 3, 2}), 2); },
                           "pixel_unshuffle: 2 does not divide the height and width of x float32 [1, 1, 3, 2]")
        .error<ValueError>([] { pixel_unshuffle(zeros({1, 4, 2, 2}), -1); },
                           "pixel_unshuffle: r must be at least 1, got -1")
        .check();

[[maybe_unused]] const bool channel_shuffle_calls = FunctionCases("channel_shuffle")
                                                        .huge([](auto v) { channel_shuffle(ones({2, 4, 5, 6}), v); })
                                                        .undefined([](const Tensor& none) { channel_shuffle(none, 2); })
                                                        .check();

}  // namespace
}  // namespace minima::pixel_shuffle_test
