#include <minima/ops/index/select.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/index/places.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace minima::select_test {
namespace {

using namespace test;
using namespace test::places_of_elements;
using Lists = const std::vector<Doubles>&;

Doubles gathered(const Doubles& x, int dim, const Doubles& index) {
  Doubles y(index.shape);
  each_index(index.shape, [&](const Shape& at) {
    Shape from = at;
    from[dim] = static_cast<std::int64_t>(index[at]);
    y[at] = x[from];
  });
  return y;
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
        .huge([](auto v) { gather(ones({4}), v, tensor<std::int64_t>({0, 1})); })
        .huge([](auto v) { gather(ones({4}), 0, tensor<std::int64_t>({v})); })
        .recorded("gather", "lambda x, i: torch.gather(x, 1, i)", [](In in) { return gather(in[0], 1, in[1]); })
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

[[maybe_unused]] const bool index_select_cases =
    OpCases("index_select")
        .dtypes(all_dtypes())
        .without("hidden", "it is made of other operators")
        .on([](In in) { return index_select(in[0], 1, in[1]); },
            [](const std::vector<Doubles>& in) {
              Shape shape = in[0].shape;
              shape[1] = in[1].shape[0];
              return gather(in[0], shape, [&](Shape at) {
                at[1] = static_cast<std::int64_t>(in[1].values[static_cast<std::size_t>(at[1])]);
                return at;
              });
            })
        .pytorch("lambda x, i: torch.index_select(x, 1, i)")
        .inputs(normal({3, 4}), given({5}, {0, 3, 1, 1, 2}).as(DType::int64))
        .inputs(normal({2, 3, 2}), given({2}, {2, 0}).as(DType::int64))
        .inputs(normal({2, 3}), given({0}, {}).as(DType::int64))
        .inputs(normal({300, 200}), whole({150}, 0, 200).as(DType::int64))
        .huge([](auto v) { index_select(ones({2, 3, 4}), v, tensor<std::int64_t>({0, 1})); })
        .huge([](auto v) { index_select(ones({2, 3, 4}), 0, tensor<std::int64_t>({v})); })
        .error<DTypeError>([] { index_select(empty({2, 3}), 0, empty({2})); },
                           "index_select: index must be an int64 vector, got float32 [2]; convert it with to()")
        .error<IndexError>([] { index_select(empty({2, 3}), 2, zeros({1}, {.dtype = DType::int64})); },
                           "index_select: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { index_select(empty({2, 3}), 0, from_vector<std::int64_t>({2}, {1})); },
                           "index_select: index[0] is 2, but dimension 0 has size 2")
        .error<IndexError>([] { index_select(empty({2, 3}), 0, from_vector<std::int64_t>({-1}, {1})); },
                           "index_select: index[0] is -1, but dimension 0 has size 2")
        .error<ShapeError>([] { index_select(empty({2, 3}), 0, zeros({1, 1}, {.dtype = DType::int64})); },
                           "index_select: index must be a vector, with one element if x is a scalar, got int64 "
                           "[1, 1] for x float32 [2, 3]")
        .error<ShapeError>([] { index_select(empty(Shape{}), 0, zeros({2}, {.dtype = DType::int64})); },
                           "index_select: index must be a vector, with one element if x is a scalar, got int64 "
                           "[2] for x float32 []")
        .check();

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
}  // namespace minima::select_test
