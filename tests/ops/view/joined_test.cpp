#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>
#include <minima/ops/view/parts.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/device/observer.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace minima::joined_test {
namespace {

using Tensors = std::vector<Tensor>;

TEST(Joined, FindsTheTensorThatWasSplit) {
  const Tensor x = randn({2, 9, 4});
  const Tensors parts = split_with_sizes(x, {2, 3, 4}, 1);
  const auto whole = detail::joined(parts, 1);
  ASSERT_TRUE(whole);
  EXPECT_EQ(*whole, x.layout());
  const auto last = detail::joined(std::span(parts).subspan(1), 1);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->shape, (Shape{2, 7, 4}));
  EXPECT_EQ(last->offset, 8);
}

TEST(Joined, RefusesGapsOtherOrdersAndOtherMemory) {
  const Tensor x = randn({2, 9, 4}), y = randn({2, 9, 4});
  const Tensors parts = split(x, 3, 1), others = split(y, 3, 1);
  EXPECT_FALSE(detail::joined(Tensors{parts[1], parts[0]}, 1));
  EXPECT_FALSE(detail::joined(Tensors{parts[0], parts[2]}, 1));
  EXPECT_FALSE(detail::joined(Tensors{parts[0], others[1]}, 1));
  EXPECT_FALSE(detail::joined(Tensors{parts[0], parts[1]}, 0));
  EXPECT_FALSE(detail::joined(Tensors{parts[0], contiguous(parts[1])}, 1));
  EXPECT_FALSE(detail::joined(Tensors{parts[0], slice(parts[1], 2, 0, 2)}, 1));
}

/// Counts the calls of an operator.
class Calls final : public Observer {
 public:
  explicit Calls(std::string op) : op_(std::move(op)), outer_(set_observer(this)) {}
  ~Calls() { set_observer(outer_); }
  void begin(const char* op, Cost) override { count_ += op_ == op; }
  void end() noexcept override {}
  int count() const { return count_; }

 private:
  std::string op_;
  Observer* outer_;
  int count_ = 0;
};

/// The gradient of packed queries, keys and values [N, T, 3, H, E] → that of x, and how often pieces were copied.
struct Packed {
  Tensor gradient;
  int copies = 0;
};

Packed packed_gradient(const Tensor& values, int dim, const std::vector<std::int64_t>& heads, bool clones) {
  const Tensor x = values.detach().requires_grad(true);
  Tensors part = split_with_sizes(x, heads, dim);
  if (clones)
    for (Tensor& p : part) p = clone(p);
  const Calls calls("split_gradient");
  RandomGenerator numbers(5);
  const Tensor y = scaled_dot_product_attention(part[0], part[1], part[2], {.causal = true, .grouped = true});
  y.backward(randn(y.shape(), {}, &numbers).to(y.dtype()));
  return {x.grad(), calls.count()};
}

TEST(PackedAttention, WritesTheGradientOfThePackedTensor) {
  const Tensor rows = randn({2, 5, 9, 4}, {.dtype = float64});
  const Tensor x = transpose(rows, 1, 2);  // [N, 3H, T, E]
  for (const auto& heads : std::vector<std::vector<std::int64_t>>{{3, 3, 3}, {7, 1, 1}}) {
    const Packed direct = packed_gradient(x, 1, heads, false), copied = packed_gradient(x, 1, heads, true);
    EXPECT_EQ(direct.copies, 0);
    EXPECT_EQ(copied.copies, 1);
    const Closeness close = allclose(direct.gradient, copied.gradient);
    EXPECT_TRUE(close) << close.message;
  }
}

TEST(PackedAttention, LeavesOutPartsWithoutAGradient) {
  const Tensor x = randn({1, 6, 5, 4}, {.dtype = float64}).requires_grad(true);
  const auto gradient_of = [&](bool apart) {
    Tensors part = split(x, 2, 1);
    if (apart)
      for (Tensor& p : part) p = clone(p);
    return grad({sum(scaled_dot_product_attention(part[0].detach(), part[1], part[2]))}, {x})[0];
  };
  const Closeness close = allclose(gradient_of(false), gradient_of(true));
  EXPECT_TRUE(close) << close.message;
}

TEST(PackedAttention, GradientsOfThePiecesAreKeptApartFromTheirSum) {
  const Tensor x = randn({1, 6, 5, 4}, {.dtype = float64}).requires_grad(true);
  const Tensors part = split(x, 2, 1);
  const Tensor y = scaled_dot_product_attention(part[0], part[1], part[2]);
  const Tensors of_parts = grad({sum(y)}, {part[0], part[1], part[2]}, {}, {.retain_graph = true});
  const Tensor before = cat(of_parts, 1);
  (sum(y) + sum(x)).backward();
  EXPECT_TRUE(allclose(cat(of_parts, 1), before));
  EXPECT_TRUE(allclose(x.grad(), before + 1.0));
}

}  // namespace
}  // namespace minima::joined_test
