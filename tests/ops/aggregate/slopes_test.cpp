#include <minima/ops/aggregate/slopes.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::slopes_test {
namespace {

using namespace test;

/// The slopes along the last dimension.
Reference slopes(double step, int edge_order) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y(in[0].shape);
    const std::int64_t size = in[0].shape.back();
    for (std::int64_t start = 0; start + size <= static_cast<std::int64_t>(y.values.size()); start += size) {
      const double* x = in[0].values.data() + start;
      double* out = y.values.data() + start;
      for (std::int64_t i = 1; i + 1 < size; ++i) out[i] = (x[i + 1] - x[i - 1]) / (2 * step);
      out[0] = edge_order == 1 ? (x[1] - x[0]) / step : (-1.5 * x[0] + 2 * x[1] - 0.5 * x[2]) / step;
      const double* end = x + size - 1;
      out[size - 1] = edge_order == 1 ? (end[0] - end[-1]) / step : (1.5 * end[0] - 2 * end[-1] + 0.5 * end[-2]) / step;
    }
    return std::vector<Doubles>{y};
  };
}

[[maybe_unused]] const bool gradient_cases =
    OpCases("gradient")
        .tolerance(4)
        .without("large", "is made of views")
        .without("hidden", "is made of views")
        .without("random", "differences cancel")
        .on([](In in) { return gradient(in[0], {.dims = {-1}, .spacing = {0.5}}); }, slopes(0.5, 1), "last")
        .pytorch("lambda x: torch.gradient(x, spacing=0.5, dim=-1)")
        .inputs(normal({3, 5}))
        .inputs(normal({2}))
        .inputs(normal({0, 3}))
        .on([](In in) { return gradient(in[0], {.dims = {-1}, .edge_order = 2}); }, slopes(1, 2), "second order")
        .pytorch("lambda x: torch.gradient(x, dim=-1, edge_order=2)")
        .inputs(normal({3, 5}))
        .inputs(normal({2, 3}))
        .on([](In in) { return gradient(in[0])[1]; }, slopes(1, 1), "all")
        .pytorch("lambda x: torch.gradient(x)[1]")
        .inputs(normal({3, 4}))
        .error<IndexError>([] { gradient(sized({2}), {.dims = {1}}); },
                           "gradient: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { gradient(sized({1})); },
                           "gradient: needs more than 1 elements along dimension 0, got float32 [1]")
        .error<ValueError>([] { gradient(sized({2}), {.edge_order = 3}); },
                           "gradient: edge_order must be 1 or 2, got 3")
        .error<ValueError>([] { gradient(sized({2}), {.spacing = {1, 2}}); }, "gradient: needs one spacing or 1, got 2")
        .error<DTypeError>([] { gradient(sized({2}, int64)); },
                           "gradient: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool renorm_cases =
    OpCases("renorm")
        .autocast("float32")
        .tolerance(4)
        .without("large", "is made of norm")
        .without("hidden", "is made of norm")
        .without("random", "norms overflow")
        .on([](In in) { return renorm(in[0], 2, 0, 1.5); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              const std::int64_t rows = y.shape[0];
              const std::size_t width = rows == 0 ? 0 : y.values.size() / static_cast<std::size_t>(rows);
              for (std::size_t row = 0; row * width < y.values.size(); ++row) {
                double size = 0;
                for (std::size_t i = 0; i < width; ++i) size += y.values[row * width + i] * y.values[row * width + i];
                size = std::sqrt(size);
                if (size > 1.5)
                  for (std::size_t i = 0; i < width; ++i) y.values[row * width + i] *= 1.5 / (size + 1e-7);
              }
              return y;
            })
        .pytorch("lambda x: torch.renorm(x, 2, 0, 1.5)")
        .inputs(normal({4, 3}))
        .inputs(normal({2, 2, 3}))
        .inputs(normal({0, 3}))
        .huge([](auto n) { renorm(ones({2, 2}), 2, n, 1); })
        .error<IndexError>([] { renorm(sized({2, 2}), 2, 2, 1); },
                           "renorm: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { renorm(sized({2}), 2, 0, 1); }, "renorm: needs two dimensions or more, got float32 [2]")
        .error<ValueError>([] { renorm(sized({2, 2}), 0, 0, 1); }, "renorm: p must be positive, got 0")
        .error<ValueError>([] { renorm(sized({2, 2}), 2, 0, -1); },
                           "renorm: the largest norm must not be negative, got -1")
        .error<DTypeError>([] { renorm(sized({2, 2}, int64), 2, 0, 1); },
                           "renorm: needs a floating tensor, got int64 [2, 2]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::slopes_test
