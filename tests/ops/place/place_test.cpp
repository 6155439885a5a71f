#include <minima/ops/place/place.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/index/index.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

namespace minima::place_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

OpCases placing(OpCases cases) { return composed(std::move(cases)).dtypes(all_dtypes()); }
Draw places(const Shape& shape, std::vector<double> values) { return given(shape, std::move(values)).as(int64); }
Tensor at(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return from_vector(values, {count});
}
std::size_t wrapped(double index, std::int64_t size) {
  return static_cast<std::size_t>(index < 0 ? index + static_cast<double>(size) : index);
}

[[maybe_unused]] const bool take_cases =
    placing(OpCases("take"))
        .on([](In in) { return take(in[0], in[1]); },
            [](Lists in) {
              Doubles y = in[1];
              for (double& value : y.values) value = in[0].values[wrapped(value, in[0].numel())];
              return y;
            })
        .pytorch("torch.take")
        .inputs(normal({3, 4}), places({2, 3}, {0, 11, -1, 5, 5, -12}))
        .inputs(normal({3, 4}), places({0}, {}))
        .error<DTypeError>([] { take(sized({2}), sized({2})); },
                           "take: the index must be int64, got float32 [2]; convert it with to()")
        .error<IndexError>([] { take(ones({2, 2}), at({0, 4})); }, "take: index 4 is out of range for 4 elements")
        .error<IndexError>([] { take(ones({0}), at({0})); }, "take: index 0 is out of range for 0 elements")
        .without("ShapeError", "all shapes fit")
        .check();

[[maybe_unused]] const bool take_along_dim_cases =
    placing(OpCases("take_along_dim"))
        .on([](In in) { return take_along_dim(in[0], in[1], 1); },
            [](Lists in) {
              const std::int64_t size = in[0].shape[1];
              Shape shape = in[0].shape;
              shape[1] = in[1].shape[1];
              const Doubles index = broadcast_to(in[1], shape);
              return gather(in[0], shape, [&](const Shape& at) {
                Shape from = at;
                from[1] = static_cast<std::int64_t>(wrapped(index[at], size));
                return from;
              });
            })
        .pytorch("lambda x, i: torch.take_along_dim(x, i % x.size(1), 1)")
        .inputs(normal({3, 4}), places({3, 2}, {0, 3, -1, 1, 2, 2}))
        .inputs(normal({3, 4}), places({1, 2}, {0, 3}))
        .inputs(normal({0, 4}), places({1, 2}, {0, 3}))
        .huge([](auto n) { take_along_dim(ones({2}), at({0}), n); })
        .huge([](auto n) { take_along_dim(ones({2}), at({n}), 0); })
        .error<DTypeError>([] { take_along_dim(sized({2}), sized({2}), 0); },
                           "take_along_dim: the index must be int64, got float32 [2]; convert it with to()")
        .error<IndexError>([] { take_along_dim(sized({2}), at({0}), 1); },
                           "take_along_dim: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { take_along_dim(sized({2}), at({2}), 0); },
                           "take_along_dim: index 2 is out of range for 2 elements")
        .error<ShapeError>([] { take_along_dim(sized({2, 2}), at({0}), 0); },
                           "take_along_dim: the index must have the rank of x float32 [2, 2], got int64 [1]")
        .check();

auto put_into(bool accumulate) {
  return [=](Lists in) {
    Doubles y = in[0];
    for (std::size_t i = 0; i < in[1].values.size(); ++i) {
      double& to = y.values[wrapped(in[1].values[i], y.numel())];
      to = accumulate ? to + in[2].values[i] : in[2].values[i];
    }
    return y;
  };
}

[[maybe_unused]] const bool put_cases =
    placing(OpCases("put"))
        .on([](In in) { return put(in[0], in[1], in[2]); }, put_into(false))
        .pytorch("torch.Tensor.put")
        .inputs(normal({3, 4}), places({3}, {0, 11, -3}), normal({3}))
        .inputs(normal({0}), places({0}, {}), normal({0}))
        .huge([](auto n) { put(ones({2}), at({n}), ones({1})); })
        .error<DTypeError>([] { put(sized({2}), sized({2}), sized({2})); },
                           "put: the index must be int64, got float32 [2]; convert it with to()")
        .error<DTypeError>(
            [] { put(sized({2}), at({0}), sized({1}, float64)); },
            "put: the source must have the dtype of x float32 [2], got float64 [1]; convert it with to()")
        .error<DTypeError>([] { put(sized({2}, boolean), at({0}), sized({1}, boolean), true); },
                           "put: cannot accumulate bool, got bool [2]; convert it with to()")
        .error<IndexError>([] { put(sized({2}), at({2}), sized({1})); }, "put: index 2 is out of range for 2 elements")
        .error<ShapeError>([] { put(sized({2}), at({0}), sized({2})); },
                           "put: needs as many indices as source elements, got int64 [1] and float32 [2]")
        .check();

[[maybe_unused]] const bool put_accumulate_cases =
    composed(OpCases("put accumulate"))
        .dtypes(numeric_dtypes())
        .on([](In in) { return put(in[0], in[1], in[2], true); }, put_into(true))
        .pytorch("lambda x, i, s: x.put(i, s, True)")
        .inputs(whole({3, 4}, -4, 5), places({4}, {0, 11, -3, 0}), whole({4}, -4, 5))
        .inputs(whole({3, 4}, -4, 5), places({0}, {}), whole({0}, -4, 5))
        .error<DTypeError>([] { put(sized({2}, boolean), at({0}), sized({1}, boolean), true); },
                           "put: cannot accumulate bool, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool index_copy_cases =
    placing(OpCases("index_copy"))
        .on([](In in) { return index_copy(in[0], 1, in[1], in[2]); },
            [](Lists in) {
              Doubles y = in[0];
              each_index(in[2].shape, [&](const Shape& at) {
                Shape to = at;
                to[1] = static_cast<std::int64_t>(in[1][{at[1]}]);
                y[to] = in[2][at];
              });
              return y;
            })
        .pytorch("lambda x, i, s: torch.index_copy(x, 1, i, s)")
        .inputs(normal({2, 4, 3}), places({2}, {3, 0}), normal({2, 2, 3}))
        .inputs(normal({2, 4}), places({0}, {}), normal({2, 0}))
        .inputs(normal({0, 4}), places({2}, {3, 0}), normal({0, 2}))
        .huge([](auto n) { index_copy(ones({2}), n, at({0}), ones({1})); })
        .huge([](auto n) { index_copy(ones({2}), 0, at({n}), ones({1})); })
        .error<DTypeError>([] { index_copy(sized({2}), 0, sized({1}), sized({1})); },
                           "index_copy: the index must be int64, got float32 [1]; convert it with to()")
        .error<DTypeError>(
            [] { index_copy(sized({2}), 0, at({0}), sized({1}, float64)); },
            "index_copy: the source must have the dtype of x float32 [2], got float64 [1]; convert it with to()")
        .error<IndexError>([] { index_copy(sized({2}), 1, at({0}), sized({1})); },
                           "index_copy: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { index_copy(sized({2}), 0, at({2}), sized({1})); },
                           "index_copy: index 2 is out of range for 2 elements")
        .error<ShapeError>([] { index_copy(sized({2}), 0, at({1}), sized({2})); },
                           "index_copy: the source must have shape [1] for 1 indices of x float32 [2], got float32 [2]")
        .error<ShapeError>([] { index_copy(sized({2}), 0, zeros({1, 1}, {.dtype = int64}), sized({1})); },
                           "index_copy: needs a vector of indices, got int64 [1, 1] for x float32 [2]")
        .check();

[[maybe_unused]] const bool index_fill_cases =
    placing(OpCases("index_fill"))
        .on([](In in) { return index_fill(in[0], 1, in[1], 1); },
            [](Lists in) {
              Doubles y = in[0];
              each_index(y.shape, [&](const Shape& at) {
                for (const double index : in[1].values)
                  if (index == static_cast<double>(at[1])) y[at] = 1;
              });
              return y;
            })
        .pytorch("lambda x, i: torch.index_fill(x, 1, i, 1)")
        .inputs(normal({2, 4, 3}), places({3}, {3, 0, 3}))
        .inputs(normal({2, 4}), places({0}, {}))
        .inputs(normal({0, 4}), places({2}, {3, 0}))
        .huge([](auto n) { index_fill(ones({2}), n, at({0}), 0); })
        .huge([](auto n) { index_fill(ones({2}), 0, at({n}), 0); })
        .error<DTypeError>([] { index_fill(sized({2}), 0, sized({1}), 0); },
                           "index_fill: the index must be int64, got float32 [1]; convert it with to()")
        .error<IndexError>([] { index_fill(sized({2}), 1, at({0}), 0); },
                           "index_fill: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { index_fill(sized({2}), 0, at({-3}), 0); },
                           "index_fill: index -3 is out of range for 2 elements")
        .error<ShapeError>([] { index_fill(sized({2}), 0, zeros({1, 1}, {.dtype = int64}), 0); },
                           "index_fill: needs a vector of indices, got int64 [1, 1] for x float32 [2]")
        .error<ValueError>([] { index_fill(sized({2}, uint8), 0, at({1}), 300); },
                           "index_fill: uint8 cannot hold 300; choose another value or dtype")
        .check();

[[maybe_unused]] const bool masked_scatter_cases =
    placing(OpCases("masked_scatter"))
        .on([](In in) { return masked_scatter(in[0], in[1], in[2]); },
            [](Lists in) {
              Doubles y = in[0];
              const Doubles mask = broadcast_to(in[1], y.shape);
              std::size_t next = 0;
              for (std::size_t i = 0; i < y.values.size(); ++i)
                if (mask.values[i] != 0) y.values[i] = in[2].values[next++];
              return y;
            })
        .pytorch("torch.masked_scatter")
        .inputs(normal({3, 4}), given({4}, {1, 0, 0, 1}).as(boolean), normal({3, 4}))
        .inputs(normal({3, 4}), given({3, 1}, {1, 0, 1}).as(boolean), normal({12}))
        .inputs(normal({0, 4}), given({4}, {1, 0, 0, 1}).as(boolean), normal({0}))
        .error<DTypeError>([] { masked_scatter(sized({2}), sized({2}), sized({2})); },
                           "masked_scatter: mask must be bool, got float32 [2]; use a comparison, such as x > 0")
        .error<DTypeError>(
            [] { masked_scatter(sized({2}), zeros({2}, {.dtype = boolean}), sized({2}, float64)); },
            "masked_scatter: the source must have the dtype of x float32 [2], got float64 [2]; convert it with to()")
        .error<ShapeError>([] { masked_scatter(sized({2}), zeros({2, 2}, {.dtype = boolean}), sized({2})); },
                           "masked_scatter: the mask must broadcast to the shape of x float32 [2], got bool [2, 2]")
        .error<ShapeError>([] { masked_scatter(sized({2}), ones({2}, {.dtype = boolean}), sized({1})); },
                           "masked_scatter: the mask selects 2 elements, but the source has only 1")
        .check();

/// All elements that meet at a target, x's first unless it is left out.
template <class F>
auto reduced(bool include_self, const F& f) {
  return [=](Lists in) {
    Doubles y = in[0];
    std::map<std::vector<std::int64_t>, Line> lists;
    each_index(in[1].shape, [&](const Shape& at) {
      Shape to = at;
      to[1] = static_cast<std::int64_t>(in[1][at]);
      lists[{to.begin(), to.end()}].push_back(in[2][at]);
    });
    for (auto& [to, list] : lists) {
      double& target = y[Shape(to.data(), static_cast<int>(to.size()))];
      if (include_self) list.push_back(target);
      target = f(list);
    }
    return y;
  };
}
double sum_of(const Line& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}
double product_of(const Line& x) {
  double product = 1;
  for (const double value : x) product *= value;
  return product;
}
double mean_of(const Line& x) { return sum_of(x) / static_cast<double>(x.size()); }
double largest(const Line& x) { return *std::max_element(x.begin(), x.end()); }
double smallest(const Line& x) { return *std::min_element(x.begin(), x.end()); }

OpCases scattering(OpCases cases, ScatterMode mode, double (*f)(const Line&), const std::string& name) {
  for (const bool include_self : {true, false})
    cases
        .on([=](In in) { return scatter_reduce(in[0], 1, in[1], in[2], mode, include_self); }, reduced(include_self, f),
            include_self ? "with x" : "without x")
        .pytorch("lambda x, i, s: x.scatter_reduce(1, i, s, '" + name +
                 "', include_self=" + (include_self ? "True" : "False") + ")")
        .inputs(whole({3, 4}, -6, 7), places({2, 3}, {0, 3, 0, 1, 1, 1}), distinct({2, 3}))
        .inputs(whole({3, 4}, -6, 7), places({0, 3}, {}), distinct({0, 3}));
  return cases.error<DTypeError>(
      [] { scatter_reduce(sized({2}, boolean), 0, at({0}), sized({1}, boolean), ScatterMode::sum); },
      "scatter_reduce: bool is not supported, got bool [2]; convert it with to()");
}

[[maybe_unused]] const bool scatter_sum_cases =
    scattering(composed(OpCases("scatter_reduce")).dtypes(numeric_dtypes()), ScatterMode::sum, sum_of, "sum")
        .huge([](auto n) { scatter_reduce(ones({2}), n, at({0}), ones({1}), ScatterMode::sum); })
        .huge([](auto n) { scatter_reduce(ones({2}), 0, at({n}), ones({1}), ScatterMode::amax); })
        .error<IndexError>([] { scatter_reduce(sized({2}), 1, at({0}), sized({1}), ScatterMode::sum); },
                           "scatter_reduce: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { scatter_reduce(sized({2}), 0, at({2}), sized({1}), ScatterMode::amax); },
                           "scatter_reduce: index[0] is 2, but dimension 0 has size 2")
        .error<ShapeError>([] { scatter_reduce(sized({2}), 0, at({0}), sized({2}), ScatterMode::sum); },
                           "scatter_reduce: the source [2] and the index [1] must have the same shape and the rank of "
                           "x [2], and must not be larger except in dimension 0")
        .error<DTypeError>([] { scatter_reduce(sized({2}, int64), 0, at({0}), sized({1}, int64), ScatterMode::mean); },
                           "scatter_reduce: the mean needs a floating tensor, got int64 [2]; convert it with to()")
        .check();
[[maybe_unused]] const bool scatter_mean_cases =
    scattering(composed(OpCases("scatter_reduce mean")), ScatterMode::mean, mean_of, "mean").check();
[[maybe_unused]] const bool scatter_amax_cases =
    scattering(composed(OpCases("scatter_reduce amax")).dtypes(numeric_dtypes()), ScatterMode::amax, largest, "amax")
        .check();
[[maybe_unused]] const bool scatter_amin_cases =
    scattering(composed(OpCases("scatter_reduce amin")).dtypes(numeric_dtypes()), ScatterMode::amin, smallest, "amin")
        .check();
[[maybe_unused]] const bool scatter_prod_cases =
    scattering(composed(OpCases("scatter_reduce prod")).dtypes(numeric_dtypes()), ScatterMode::prod, product_of, "prod")
        .inputs(given({2, 2}, {0, 2, 3, 0}), places({2, 5}, {1, 1, 1, 0, 1, 0, 0, 1, 0, 0}),
                given({2, 5}, {2, 0, 3, 0, 1, 0, 0, 2, 3, -1}))
        .check();

TEST(Place, CountsAScalarAsAVectorOfOneElement) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Device device = test_device();
  const TensorOptions whole{.dtype = int64, .device = device};
  const Tensor scalar = scalar_tensor(3.0, {.device = device}), vector = tensor<float>({1, 2}).to(device);
  const Tensor new_value = scalar_tensor(7.0, {.device = device});
  for (const Tensor& index : {zeros({}, whole), zeros({1}, whole)}) {
    EXPECT_EQ(index_fill(scalar, 0, index, 5).shape(), Shape({}));
    EXPECT_EQ(index_fill(scalar, 0, index, 5).item<float>(), 5);
    EXPECT_EQ(index_fill(vector, 0, index, 5).to_vector<float>(), (std::vector<float>{5, 2}));
    EXPECT_EQ(index_copy(scalar, 0, index, new_value).item<float>(), 7);
    EXPECT_EQ(index_copy(vector, 0, index, new_value).to_vector<float>(), (std::vector<float>{7, 2}));
    EXPECT_EQ(index_copy(vector, 0, index, reshape(new_value, {1})).to_vector<float>(), (std::vector<float>{7, 2}));
    EXPECT_EQ(index_add(scalar, 0, index, new_value).item<float>(), 10);
    EXPECT_EQ(index_add(scalar, 0, index, new_value).shape(), Shape({}));
    EXPECT_EQ(index_add(vector, 0, index, new_value).to_vector<float>(), (std::vector<float>{8, 2}));
    EXPECT_EQ(scatter(scalar, 0, index, reshape(new_value, index.shape())).item<float>(), 7);
    EXPECT_EQ(scatter_reduce(scalar, 0, index, reshape(new_value, index.shape()), ScatterMode::prod).item<float>(), 21);
  }
  const Tensor matrix = zeros({2, 2}, {.device = device});
  EXPECT_EQ(index_fill(matrix, 1, zeros({}, whole), 5).to_vector<float>(), (std::vector<float>{5, 0, 5, 0}));
  EXPECT_THROW(index_fill(scalar, 0, zeros({1, 1}, whole), 5), ShapeError);
}

}  // namespace
}  // namespace minima::place_test
