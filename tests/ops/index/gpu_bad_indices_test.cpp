#include "tests/support/gpu_test.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/embedding.h>
#include <minima/ops/index/index.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/index/select.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/device/stream.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>

// An invalid index in device memory is reported by the next call that synchronises.

namespace minima::gpu_bad_indices_test {
namespace {

class GpuBadIndices : public test::GpuTest {};

constexpr TensorOptions on_gpu{.device = Device::cuda()};

/// The error that the next synchronisation throws.
std::string told_after(const std::function<void()>& f) {
  try {
    f();
    synchronize(Device::cuda());
  } catch (const IndexError& error) {
    return error.what();
  }
  return "";
}

Tensor indices(const std::vector<std::int64_t>& values) {
  return from_vector<std::int64_t>(values, {static_cast<std::int64_t>(values.size())}).to(Device::cuda());
}

TEST_F(GpuBadIndices, AreToldOnceWithTheirNumbers) {
  const Tensor x = ones({5, 3}, on_gpu);
  EXPECT_EQ(told_after([&] { embedding(x, indices({4, 7})); }), "embedding: an index is 7, but the weight has 5 rows");
  EXPECT_EQ(told_after([&] { gather(ones({4}, on_gpu), 0, indices({0, -1})); }),
            "gather: an index is -1, but the dimension has size 4");
  EXPECT_EQ(told_after([&] { scatter_add(zeros({4}, on_gpu), 0, indices({9}), ones({1}, on_gpu)); }),
            "scatter_add: an index is 9, but the dimension has size 4");
  EXPECT_EQ(told_after([&] { cross_entropy(ones({2, 3}, on_gpu), indices({3, 0})); }),
            "cross_entropy: a target is 3, but there are 3 classes");
  const std::string by_index = told_after([&] { index(x, {indices({0, 5})}); });
  EXPECT_NE(by_index.find("index"), std::string::npos) << by_index;
  EXPECT_NE(by_index.find("is 5"), std::string::npos) << by_index;
  EXPECT_EQ(told_after([] {}), "");
}

TEST_F(GpuBadIndices, LeaveTheOtherElementsAlone) {
  const Tensor x = from_vector<float>({10, 20, 30}, {3}).to(Device::cuda());
  Tensor y;
  EXPECT_NE(told_after([&] { y = gather(x, 0, indices({2, 5, 0})); }), "");
  EXPECT_EQ(y.to_vector<float>()[0], 30);
  EXPECT_EQ(y.to_vector<float>()[2], 10);
  EXPECT_NE(told_after([&] { y = scatter_add(x, 0, indices({1, -4}), ones({2}, on_gpu)); }), "");
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{10, 21, 30}));
}

TEST_F(GpuBadIndices, BackwardPassesWriteNothingOutside) {
  Tensor weight = ones({3, 2}, on_gpu).requires_grad(true), logits = ones({2, 3}, on_gpu).requires_grad(true);
  EXPECT_EQ(told_after([&] { sum(embedding(weight, indices({1, 1 << 20, -5, 2}))).backward(); }).substr(0, 9),
            "embedding");
  EXPECT_EQ(weight.grad().to_vector<float>(), (std::vector<float>{0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(told_after([&] { cross_entropy(logits, indices({1, 77})).backward(); }).substr(0, 13), "cross_entropy");
  EXPECT_EQ(logits.grad().to_vector<float>()[3], 0);
  EXPECT_EQ(told_after([] {}), "");
}

}  // namespace
}  // namespace minima::gpu_bad_indices_test
