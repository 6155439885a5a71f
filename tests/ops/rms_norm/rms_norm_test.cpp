#include <minima/ops/rms_norm/rms_norm.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <cmath>

namespace minima::rms_norm_test {
namespace {

using namespace test;

[[maybe_unused]] const bool rms_norm_cases =
    OpCases("rms_norm")
        .optional_input(1)
        .tolerance(4)
        .on([](In in) { return rms_norm(in[0], in[0].defined() ? Shape{in[0].size(-1)} : Shape{1}, in[1]); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              const auto n = static_cast<std::size_t>(in[0].shape[in[0].shape.rank() - 1]);
              for (std::size_t start = 0; n > 0 && start < y.values.size(); start += n) {
                double square = 0;
                for (std::size_t i = 0; i < n; ++i)
                  square += y.values[start + i] * y.values[start + i] / static_cast<double>(n);
                for (std::size_t i = 0; i < n; ++i)
                  y.values[start + i] *= (in[1].values.empty() ? 1 : in[1].values[i]) / std::sqrt(square + 1e-6);
              }
              return y;
            })
        .inputs(normal({3, 4}), normal({4}))
        .inputs(normal({2, 2, 5}), normal({5}))
        .inputs(normal({0, 4}), normal({4}))
        .inputs(normal({300, 200}), normal({200}))
        .error<ShapeError>([] { rms_norm(empty({2, 3}), {2}); },
                           "rms_norm: x float32 [2, 3] must end in normalized_shape [2], of at least one dimension")
        .error<DTypeError>([] { rms_norm(zeros({2, 3}, {.dtype = DType::int64}), {3}); },
                           "rms_norm: x must be floating, got int64 [2, 3]; convert it with to()")
        .error<ShapeError>([] { rms_norm(empty({2, 3}), {3}, empty({2})); },
                           "rms_norm: weight must have normalized_shape [3], got float32 [2]")
        .error<DTypeError>([] { rms_norm(empty({2, 3}), {3}, zeros({3}, {.dtype = DType::int64})); },
                           "rms_norm: weight must be floating, got int64 [3]; convert it with to()")
        .error<ShapeError>([] { rms_norm(empty({3}), {}); },
                           "rms_norm: x float32 [3] must end in normalized_shape [], of at least one dimension")
        .check();

}  // namespace
}  // namespace minima::rms_norm_test
