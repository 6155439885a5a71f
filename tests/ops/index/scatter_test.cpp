#include <minima/ops/index/common.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/index/places.h"
#include "tests/support/device.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::scatter_test {
namespace {

using namespace test;
using namespace test::places_of_elements;
using Lists = const std::vector<Doubles>&;

Doubles scattered(Doubles x, int dim, const Doubles& index, const Doubles& source) {
  each_index(index.shape, [&](const Shape& at) {
    Shape to = at;
    to[dim] = static_cast<std::int64_t>(index[at]);
    x[to] += source[at];
  });
  return x;
}

Draw indices(const Shape& shape, double below) { return whole(shape, 0, below).as(int64); }
const Tensor x34 = zeros({3, 4});

[[maybe_unused]] const bool scatter_cases =
    OpCases("scatter")
        .dtypes(all_dtypes())
        .without("hidden", "it is made of other operators")
        .on([](In in) { return scatter(in[0], 1, in[1], in[2]); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              each_index(in[2].shape,
                         [&](const Shape& at) { y[{at[0], static_cast<std::int64_t>(in[1][at])}] = in[2][at]; });
              return y;
            })
        .pytorch("lambda x, i, v: x.scatter(1, i, v)")
        .inputs(normal({3, 4}), given({2, 3}, {3, 0, 3, 1, 2, 0}).as(int64), normal({2, 3}))
        .inputs(normal({3, 4}), indices({0, 4}, 4), normal({0, 4}))
        .without("large", "index_put, of which it is made, has one")
        .huge([](auto v) { scatter(ones({4}), v, tensor<std::int64_t>({0, 1}), ones({2})); })
        .huge([](auto v) { scatter(ones({4}), 0, tensor<std::int64_t>({v}), ones({1})); })
        .error<ShapeError>([] { scatter(x34, 1, zeros({1, 2}, {.dtype = int64}), zeros({2, 1})); },
                           "scatter: the source [2, 1] and the index [1, 2] must have the same shape and the rank of x "
                           "[3, 4], and must not be larger except in dimension 1")
        .error<IndexError>([] { scatter(empty({3, 4}), 2, zeros({1, 1}, {.dtype = DType::int64}), empty({1, 1})); },
                           "scatter: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { scatter(empty({3, 4}), 0, from_vector<std::int64_t>({3}, {1, 1}), empty({1, 1})); },
                           "scatter: index[0, 0] is 3, but dimension 0 has size 3")
        .error<IndexError>([] { scatter(empty({3, 4}), 0, from_vector<std::int64_t>({-1}, {1, 1}), empty({1, 1})); },
                           "scatter: index[0, 0] is -1, but dimension 0 has size 3")
        .error<DTypeError>([] { scatter(empty({3, 4}), 0, empty({1, 1}), empty({1, 1})); },
                           "scatter: the index must be int64, got float32 [1, 1]; convert it with to()")
        .error<DTypeError>([] { scatter(empty({3, 4}), 0, zeros({1, 1}, {.dtype = DType::boolean}), empty({1, 1})); },
                           "scatter: the index must be int64, got bool [1, 1]; convert it with to()")
        .error<ShapeError>([] { scatter(empty({3, 4}), 0, zeros({1, 5}, {.dtype = DType::int64}), empty({1, 5})); },
                           "scatter: the source [1, 5] and the index [1, 5] must have the same shape and the rank of x "
                           "[3, 4], and must not be larger except in dimension 0")
        .error<DTypeError>(
            [] {
              scatter(empty({3, 4}), 0, zeros({1, 1}, {.dtype = DType::int64}),
                      empty({1, 1}, {.dtype = DType::float64}));
            },
            "scatter: the source must have the dtype of x float32 [3, 4], got float64 [1, 1]; convert it "
            "with to()")
        .error<IndexError>([] { scatter(empty(Shape{}), 0, full({}, 5, {.dtype = DType::int64}), empty(Shape{})); },
                           "scatter: index is 5, but dimension 0 has size 1")
        .error<DTypeError>([] { scatter(empty(Shape{}), 0, empty(Shape{}), empty(Shape{})); },
                           "scatter: the index must be int64, got float32 []; convert it with to()")
        .check();

[[maybe_unused]] const bool scatter_add_cases =
    OpCases("scatter_add")
        .autocast("widest")
        .dtypes(numeric_dtypes())
        .on([](In in) { return scatter_add(in[0], 0, in[1], in[2]); },
            [](const std::vector<Doubles>& in) { return scattered(in[0], 0, in[1], in[2]); }, "dim 0")
        .inputs(normal({5}), indices({9}, 5), normal({9}))
        .inputs(normal({3, 4}), indices({6, 2}, 3), normal({6, 2}))
        .inputs(normal({3, 4}), indices({0, 4}, 3), normal({0, 4}))
        .inputs(normal({300, 200}), indices({100, 150}, 300), normal({100, 150}))
        .on([](In in) { return scatter_add(in[0], 1, in[1], in[2]); },
            [](const std::vector<Doubles>& in) { return scattered(in[0], 1, in[1], in[2]); }, "dim 1")
        .inputs(normal({2, 3, 4}), indices({2, 5, 3}, 3), normal({2, 5, 3}))
        .huge([](auto v) { scatter_add(ones({4}), v, tensor<std::int64_t>({0, 1}), ones({2})); })
        .huge([](auto v) { scatter_add(ones({4}), 0, tensor<std::int64_t>({v}), ones({1})); })
        .error<IndexError>([] { scatter_add(x34, 0, from_vector<std::int64_t>({3}, {1, 1}), zeros({1, 1})); },
                           "scatter_add: index[0, 0] is 3, but dimension 0 has size 3")
        .error<ShapeError>([] { scatter_add(x34, 0, zeros({1, 2}, {.dtype = int64}), zeros({2, 1})); },
                           "scatter_add: the source [2, 1] and the index [1, 2] must have the same shape")
        .error<DTypeError>(
            [] { scatter_add(x34, 0, zeros({1, 1}, {.dtype = int64}), zeros({1, 1}, {.dtype = float64})); },
            "scatter_add: the source must have the dtype of x float32 [3, 4], got float64 [1, 1]; convert it with to()")
        .error<IndexError>([] { scatter_add(empty({3, 4}), 2, zeros({1, 1}, {.dtype = DType::int64}), empty({1, 1})); },
                           "scatter_add: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<DTypeError>([] { scatter_add(empty({3, 4}), 0, empty({1, 1}), empty({1, 1})); },
                           "scatter_add: the index must be int64, got float32 [1, 1]; convert it with to()")
        .error<IndexError>(
            [] { scatter_add(empty({3, 4}), 0, from_vector<std::int64_t>({-1}, {1, 1}), empty({1, 1})); },
            "scatter_add: index[0, 0] is -1, but dimension 0 has size 3")
        .error<DTypeError>(
            [] {
              scatter_add(zeros({3, 4}, {.dtype = DType::boolean}), 0, zeros({1, 1}, {.dtype = DType::int64}),
                          zeros({1, 1}, {.dtype = DType::boolean}));
            },
            "scatter_add: bool is not supported, got bool [3, 4]; convert it with to()")
        .error<ShapeError>([] { scatter_add(empty({3, 4}), 0, zeros({1}, {.dtype = DType::int64}), empty({1})); },
                           "scatter_add: the index [1] must have the rank of the tensor [3, 4] and must not be larger "
                           "except in dimension 0")
        .check();

[[maybe_unused]] const bool index_add_cases =
    OpCases("index_add")
        .autocast("widest")  // made of scatter_add
        .dtypes(numeric_dtypes())
        .without("hidden", "it is made of other operators")
        .on([](In in) { return index_add(in[0], 1, in[1], in[2]); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              each_index(in[2].shape,
                         [&](const Shape& at) { y[{at[0], static_cast<std::int64_t>(in[1][{at[1]}])}] += in[2][at]; });
              return y;
            })
        .pytorch("lambda x, i, v: x.index_add(1, i, v)")
        .inputs(normal({3, 4}), given({3}, {3, 0, 3}).as(int64), normal({3, 3}))
        .inputs(normal({0, 4}), given({3}, {3, 0, 3}).as(int64), normal({0, 3}))
        .inputs(normal({300, 200}), indices({150}, 200), normal({300, 150}))
        .huge([](auto v) { index_add(ones({4}), v, tensor<std::int64_t>({0, 1}), ones({2})); })
        .huge([](auto v) { index_add(ones({4}), 0, tensor<std::int64_t>({v}), ones({1})); })
        .error<ShapeError>([] { index_add(x34, 1, arange(2), x34); },
                           "index_add: needs an index vector as long as the source's dimension 1 and a source with x's "
                           "sizes elsewhere, got int64 [2] for source [3, 4] and x [3, 4]")
        .error<IndexError>([] { index_add(empty({3, 4}), 2, zeros({1}, {.dtype = DType::int64}), empty({3, 1})); },
                           "index_add: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { index_add(empty({3, 4}), 0, from_vector<std::int64_t>({3}, {1}), empty({1, 4})); },
                           "index_add: index[0] is 3, but dimension 0 has size 3")
        .error<IndexError>([] { index_add(empty({3, 4}), 0, from_vector<std::int64_t>({-1}, {1}), empty({1, 4})); },
                           "index_add: index[0] is -1, but dimension 0 has size 3")
        .error<DTypeError>([] { index_add(empty({3, 4}), 0, empty({1}), empty({1, 4})); },
                           "index_add: the index must be int64, got float32 [1]; convert it with to()")
        .error<ShapeError>([] { index_add(empty({3, 4}), 0, zeros({1}, {.dtype = DType::int64}), empty({1, 5})); },
                           "index_add: needs an index vector as long as the source's dimension 0 and a source with x's "
                           "sizes elsewhere, got int64 [1] for source [1, 5] and x [3, 4]")
        .error<ShapeError>([] { index_add(empty({3, 4}), 0, zeros({1}, {.dtype = DType::int64}), empty({1, 3})); },
                           "index_add: needs an index vector as long as the source's dimension 0 and a source with x's "
                           "sizes elsewhere, got int64 [1] for source [1, 3] and x [3, 4]")
        .error<DTypeError>(
            [] {
              index_add(empty({3, 4}), 0, zeros({1}, {.dtype = DType::int64}),
                        empty({1, 4}, {.dtype = DType::float64}));
            },
            "index_add: the source must have the dtype of x float32 [3, 4], got float64 [1, 4]; convert it "
            "with to()")
        .error<DTypeError>(
            [] {
              index_add(zeros({3, 4}, {.dtype = DType::boolean}), 0, zeros({1}, {.dtype = DType::int64}),
                        zeros({1, 4}, {.dtype = DType::boolean}));
            },
            "index_add: bool is not supported, got bool [3, 4]; convert it with to()")
        .error<ShapeError>([] { index_add(empty(Shape{}), 0, zeros({2}, {.dtype = DType::int64}), empty(Shape{})); },
                           "index_add: needs an index vector as long as the source's dimension 0 and a source with x's "
                           "sizes elsewhere, got int64 [2] for source [1] and x [1]")
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
}  // namespace minima::scatter_test
