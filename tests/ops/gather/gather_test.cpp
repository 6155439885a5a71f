#include "tests/ops/checks/op_cases.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/gather/gather.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

namespace minima::gather_test {
namespace {

using namespace test;

Doubles gathered(const Doubles& x, int dim, const Doubles& index) {
  Doubles y(index.shape);
  each_index(index.shape, [&](const Shape& at) {
    Shape from = at;
    from[dim] = static_cast<std::int64_t>(index[at]);
    y[at] = x[from];
  });
  return y;
}

Doubles scattered(Doubles x, int dim, const Doubles& index, const Doubles& source) {
  each_index(index.shape, [&](const Shape& at) {
    Shape to = at;
    to[dim] = static_cast<std::int64_t>(index[at]);
    x[to] += source[at];
  });
  return x;
}

Draw indices(const Shape& shape, double below) { return whole(shape, 0, below).as(int64); }
const Tensor x34 = zeros({3, 4}), floats = zeros({2, 2});

[[maybe_unused]] const bool gather_cases =
    OpCases("gather")
        .dtypes(all_dtypes())
        .result_layout(ResultLayout::row_major)
        .on([](In in) { return gather(in[0], 0, in[1]); },
            [](const std::vector<Doubles>& in) { return gathered(in[0], 0, in[1]); }, "dim 0")
        .inputs(normal({5}), indices({9}, 5))
        .inputs(normal({3, 4}), indices({6, 2}, 3))
        .inputs(normal({3, 4}), indices({0, 4}, 3))
        .inputs(normal({300, 200}), indices({500, 150}, 300))
        .on([](In in) { return gather(in[0], -1, in[1]); },
            [](const std::vector<Doubles>& in) { return gathered(in[0], 2, in[1]); }, "dim -1")
        .inputs(normal({2, 3, 4}), indices({2, 3, 5}, 4))
        .inputs(normal({2, 3, 4}), indices({1, 2, 1}, 4))
        .error<IndexError>([] { gather(x34, 1, from_vector<std::int64_t>({0, 1, 4, 0}, {2, 2})); },
                           "gather: index[1, 0] is 4, but dimension 1 has size 4")
        .error<IndexError>([] { gather(x34, 0, from_vector<std::int64_t>({-1}, {1, 1})); },
                           "gather: index[0, 0] is -1, but dimension 0 has size 3")
        .error<DTypeError>([] { gather(x34, 0, floats); },
                           "gather: the index must be int64, got float32 [2, 2]; convert it with to()")
        .error<ShapeError>([] { gather(x34, 0, zeros({2, 5}, {.dtype = int64})); },
                           "gather: the index [2, 5] must have the rank of the tensor [3, 4] and must not be larger "
                           "except in dimension 0")
        .error<IndexError>([] { gather(empty({3, 4}), 2, zeros({1, 1}, {.dtype = DType::int64})); },
                           "gather: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { gather(empty({3, 4}), 0, zeros({1}, {.dtype = DType::int64})); },
                           "gather: the index [1] must have the rank of the tensor [3, 4] and must not be larger "
                           "except in dimension 0")
        .error<ShapeError>(
            [] { gather(empty(Shape{}), 0, zeros({2, 1}, {.dtype = DType::int64})); },
            "gather: the index [2, 1] must have the rank of the tensor [] and must not be larger except in dimension 0")
        .error<IndexError>([] { gather(empty(Shape{}), 0, full({}, 1, {.dtype = DType::int64})); },
                           "gather: index is 1, but dimension 0 has size 1")
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

TEST(Gather, CountsAScalarAsAVectorOfOneElement) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Device device = test_device();
  const Tensor scalar = scalar_tensor(3.0, {.device = device}), vector = tensor<float>({1, 2}).to(device);
  const Tensor none = zeros({}, {.dtype = int64, .device = device}),
               twice = zeros({2}, {.dtype = int64, .device = device});
  EXPECT_EQ(gather(scalar, 0, twice).to_vector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(gather(vector, 0, none).shape(), Shape({}));
  EXPECT_EQ(gather(vector, 0, none).item<float>(), 1);
  EXPECT_EQ(scatter_add(scalar, 0, twice, vector).item<float>(), 6);
  EXPECT_EQ(scatter_add(scalar, 0, twice, vector).shape(), Shape({}));
  EXPECT_EQ(scatter_add(vector, 0, none, scalar).to_vector<float>(), (std::vector<float>{4, 2}));
  const Tensor x = scalar.detach().requires_grad(true);
  sum(gather(x, 0, twice)).backward();
  EXPECT_EQ(x.grad().shape(), Shape({}));
  EXPECT_EQ(x.grad().item<float>(), 2);
}

}  // namespace
}  // namespace minima::gather_test
