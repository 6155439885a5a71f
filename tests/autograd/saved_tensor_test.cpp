#include <minima/autograd/saved_tensor.h>
#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

#include <string>

namespace minima::saved_tensor_test {
namespace {

Tensor leaf(double value) { return tensor<double>({value}).requires_grad(true); }

/// Keeps copies and counts what becomes of them.
class Copies final : public SavedTensorHooks {
 public:
  PackedTensor* pack(const Tensor& tensor, const char* op, bool is_leaf) override {
    EXPECT_FALSE(tensor.requires_grad()) << "a packed tensor has no history";
    ops += std::string(op) + (is_leaf ? "(leaf) " : " ");
    return keep ? new Copy(*this, clone(tensor)) : nullptr;
  }

  bool keep = true;
  std::string ops;
  int unpacked = 0, freed = 0;

 private:
  struct Copy final : PackedTensor {
    Copy(Copies& owner, Tensor kept) : owner_(owner), kept_(std::move(kept)) {}
    ~Copy() override { ++owner_.freed; }
    Tensor unpack() override {
      ++owner_.unpacked;
      return kept_;
    }
    Copies& owner_;
    Tensor kept_;
  };
};

TEST(SavedTensorHooks, KeepSomethingElseForEveryTensor) {
  Tensor x = leaf(2);
  Copies copies;
  const Tensor y = exp(x * x);
  EXPECT_EQ(copies.ops, "mul(leaf) mul(leaf) exp ");
  y.backward();
  EXPECT_DOUBLE_EQ(x.grad().item<double>(), 4 * std::exp(4.0));
  EXPECT_EQ(copies.unpacked, 3);
  EXPECT_EQ(copies.freed, 3);
}

TEST(SavedTensorHooks, KeepTheTensorItselfForNull) {
  Tensor x = leaf(2);
  Copies copies;
  copies.keep = false;
  (x * x).backward();
  EXPECT_EQ(x.grad().item<double>(), 4);
  EXPECT_EQ(copies.unpacked, 0);
}

TEST(SavedTensorHooks, UnpackOncePerBackward) {
  Tensor x = leaf(2);
  Copies copies;
  const Tensor y = exp(x);
  y.backward({}, true);
  EXPECT_EQ(copies.unpacked, 1);
  EXPECT_EQ(copies.freed, 0);
  y.backward();
  EXPECT_EQ(copies.unpacked, 2);
  EXPECT_EQ(copies.freed, 1);
}

TEST(SavedTensorHooks, SkipTheVersionCheck) {
  Tensor x = leaf(2);
  Tensor h = x * 1.0;
  Tensor y;
  {
    Copies copies;
    y = h * h;
    NoGrad guard;
    h += 100.0;
    EnableGrad on;
    y.backward();
  }
  EXPECT_EQ(x.grad().item<double>(), 4);
}

TEST(SavedTensorHooks, OnlyTheInnermostSeeATensor) {
  Tensor x = leaf(2);
  Copies outer;
  {
    Copies inner;
    inner.keep = false;
    exp(x);
    EXPECT_EQ(inner.ops, "exp ");
  }
  EXPECT_EQ(outer.ops, "");
  exp(x);
  EXPECT_EQ(outer.ops, "exp ");
}

}  // namespace
}  // namespace minima::saved_tensor_test
