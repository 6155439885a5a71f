#include <minima/ops/norm/group_norm.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::group_norm_test {
namespace {

using namespace test;

auto normalised(std::int64_t groups) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles& x = in[0];
    Doubles y(x.shape);
    if (x.values.empty()) return y;
    const auto channels = static_cast<std::size_t>(x.shape[1]);
    const std::size_t size = x.values.size() / static_cast<std::size_t>(x.shape[0] * groups);
    const std::size_t positions = x.values.size() / (static_cast<std::size_t>(x.shape[0]) * channels);
    for (std::size_t start = 0; start < x.values.size(); start += size) {
      double mean = 0, square = 0;
      for (std::size_t i = 0; i < size; ++i) mean += x.values[start + i] / static_cast<double>(size);
      for (std::size_t i = 0; i < size; ++i)
        square += std::pow(x.values[start + i] - mean, 2) / static_cast<double>(size);
      for (std::size_t i = start; i < start + size; ++i) {
        const std::size_t c = i / positions % channels;
        y.values[i] = (x.values[i] - mean) / std::sqrt(square + 1e-5) *
                          (in.size() > 1 && !in[1].values.empty() ? in[1].values[c] : 1) +
                      (in.size() > 2 && !in[2].values.empty() ? in[2].values[c] : 0);
      }
    }
    return y;
  };
}

[[maybe_unused]] const bool group_norm_cases =
    OpCases("group_norm")
        .autocast("float32")
        .without("hidden", "it is made of other operators")
        .optional_input(1)
        .optional_input(2)
        .tolerance(8)
        .gradient_cancels()
        .on([](In in) { return group_norm(in[0], 2, in[1], in[2]); }, normalised(2), "2 groups")
        .inputs(normal({2, 4, 3}), normal({4}), normal({4}))
        .inputs(normal({2, 4, 2, 2}), normal({4}), normal({4}))
        .inputs(normal({0, 4, 2}), normal({4}), normal({4}))
        .inputs(normal({20, 8, 20, 20}), normal({8}), normal({8}))
        .on([](In in) { return group_norm(in[0], 3); }, normalised(3), "instance norm")
        .inputs(normal({2, 3, 5}))
        .huge([](auto v) { group_norm(ones({2, 3, 4}), v); })
        .huge([](auto v) { group_norm(ones({2, 0, 4}), v); })
        .recorded("group_norm", "lambda x, w, b: F.group_norm(x, 2, w, b)",
                  [](In in) { return group_norm(in[0], 2, in[1], in[2]); })
        .error<ShapeError>([] { group_norm(empty({2, 4, 3}), 3); },
                           "group_norm: 3 groups must divide the channels (dimension 1) of x float32 [2, 4, 3]")
        .error<ShapeError>([] { group_norm(empty({2, 4, 3}), 2, empty({3})); },
                           "group_norm: weight must have one element for each of the 4 channels of x float32 [2, 4, "
                           "3], got float32 [3]")
        .error<ShapeError>([] { group_norm(empty({2}), 1); }, "group_norm: x must be [N, C, …], got float32 [2]")
        .error<DTypeError>([] { group_norm(zeros({2, 4}, {.dtype = DType::int64}), 2); },
                           "group_norm: x must be floating, got int64 [2, 4]; convert it with to()")
        .error<ShapeError>([] { group_norm(empty({2, 4}), 0); },
                           "group_norm: 0 groups must divide the channels (dimension 1) of x float32 [2, 4]")
        .error<ShapeError>([] { group_norm(empty({2, 4}), -2); },
                           "group_norm: -2 groups must divide the channels (dimension 1) of x float32 [2, 4]")
        .error<DTypeError>([] { group_norm(empty({2, 4}), 2, zeros({4}, {.dtype = DType::int64})); },
                           "group_norm: weight must be floating, got int64 [4]; convert it with to()")
        .error<ShapeError>([] { group_norm(empty({2, 4}), 2, {}, empty({3})); },
                           "group_norm: bias must have one element for each of the 4 channels of x float32 [2, 4], got "
                           "float32 [3]")
        .check();

}  // namespace
}  // namespace minima::group_norm_test
