#include "tests/support/compare.h"
#include "tests/support/draw.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

// Random graphs of operators, with shared inputs, views and in-place changes of views, checked by central differences.

namespace minima::random_graph_test {
namespace {

using namespace test;

using Tensors = std::vector<Tensor>;

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {}

  /// Adds `steps` nodes to the leaves and reduces all unused results to a number. The seed alone decides on the calls,
  /// not the values.
  Tensor build(const Tensors& leaves, int steps) {
    pool_ = leaves;
    for (int i = 0; i < steps; ++i) {
      if (below(4) == 0) change_in_place();
      else pool_.push_back(small(node()));
    }
    Tensor total = scalar_tensor(0, {.dtype = float64});
    for (std::size_t i = leaves.size(); i < pool_.size(); ++i)
      total = total + mean(pool_[i] * (0.3 + 0.1 * static_cast<double>(i)));
    return total;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  Tensor pick() { return pool_[static_cast<std::size_t>(below(static_cast<int>(pool_.size())))]; }
  int dim_of(const Tensor& x) { return x.rank() == 0 ? 0 : below(2 * x.rank()) - x.rank(); }

  /// A tensor that broadcasts with x.
  Tensor partner(const Tensor& x) {
    const Tensor y = pick();
    for (int i = 1; i <= std::min(x.rank(), y.rank()); ++i) {
      const std::int64_t a = x.shape()[x.rank() - i], b = y.shape()[y.rank() - i];
      if (a != b && a != 1 && b != 1) return mean(y);
    }
    return y;
  }
  static Tensor small(const Tensor& x) { return x.numel() > 24 ? mean(x, {0}) : x; }

  Tensor view(const Tensor& x) {
    if (x.rank() == 0) return below(2) ? unsqueeze(x, 0) : expand(x, {2});
    const int dim = dim_of(x);
    switch (below(9)) {
      case 0: return reshape(x, {-1});
      case 1: return transpose(x, 0, -1);
      case 2: return slice(x, dim, x.size(dim) > 1 ? below(2) : 0, INT64_MAX, 1 + below(2));
      case 3: return select(x, dim, -1);
      case 4: return unsqueeze(x, dim);
      case 5: return flatten(x);
      case 6: return squeeze(x);
      case 7: return narrow(x, dim, below(static_cast<int>(x.size(dim))), 1);
      default: return split(x, 2, dim).front();
    }
  }

  /// Keeps values moderate, so that finite differences are accurate.
  Tensor node() {
    const Tensor x = pick();
    switch (below(36)) {
      case 0: return (x + partner(x)) * 0.5;
      case 1: return (x - partner(x)) * 0.5;
      case 2: return x * tanh(partner(x));
      case 3: {
        const Tensor y = partner(x);
        return x / (y * y + 1.0);
      }
      case 4: return -x;
      case 5: return maximum(x, partner(x));
      case 6: return minimum(x, partner(x));
      case 7: return where(x > 0.1, x, partner(x));
      case 8: return clamp(x, -0.6, 0.7);
      case 9: return 1.0 / (x * x + 2.0);
      case 10: return 0.5 - x;
      case 11: return tanh(x);
      case 12: return sigmoid(x);
      case 13: return exp(clamp(x, -1.5, 0.4));
      case 14: return log(x * x + 1.0);
      case 15: return sqrt(x * x + 0.5);
      case 16: return gelu(x);
      case 17: return relu(x);
      case 18: return x.rank() == 0 ? x * 0.9 : softmax(x, dim_of(x));
      case 19: return x.rank() == 0 ? x * 1.1 : sum(x, {dim_of(x)}, below(2) == 0) * 0.3;
      case 20: return mean(x);
      case 21: return below(2) ? clone(x) : contiguous(x);
      case 22:
        return x.rank() < 3 ? expand(x, x.rank() == 2   ? Shape{2, -1, -1}
                                        : x.rank() == 1 ? Shape{2, -1}
                                                        : Shape{2})
                            : x * x * 0.4;
      default: return below(12) < 8 && x.rank() > 0 ? structured(x) : view(x);
    }
  }

  /// Operators along dimensions, on indices and on windows.
  Tensor structured(const Tensor& x) {
    const int dim = dim_of(x), size = static_cast<int>(x.size(dim));
    switch (below(16)) {
      case 0: return cumsum(x, dim) * 0.5;
      case 1: return cumprod(tanh(x) + 1.5, dim) * 0.2;
      case 2: return prod(tanh(x) + 1.2, {dim}) * 0.3;
      case 3: return sort(x, dim, below(2) == 0).values;
      case 4: return topk(x, 1 + below(size), dim).values;
      case 5: return index(x, {from_vector<std::int64_t>({below(static_cast<int>(x.size(0))), -1, 0}, {3})});
      case 6: return index_put(x, {-1}, mean(partner(x)) * 0.5, below(2) == 0);
      case 7: return index_select(x, dim, from_vector<std::int64_t>({below(size), below(size)}, {2}));
      case 8: return max(x, dim).values;
      case 9: return logsumexp(x, {dim}) * 0.5;
      case 10: return matmul(reshape(x, {1, -1}), reshape(tanh(x), {-1, 1})) * 0.2;
      case 11: return layer_norm(x, {x.size(-1)}) * 0.5;
      case 12: return conv1d(reshape(x, {1, 1, -1}), reshape(tanh(x), {1, 1, -1}), {}, {.padding = 1}) * 0.3;
      case 13: return interpolate(reshape(x, {1, 1, -1}), {.size = {5}, .mode = InterpolateMode::linear});
      case 14: return cat({x, x * 0.5}, dim);
      default: return adaptive_avg_pool1d(reshape(x, {1, 1, -1}), 2);
    }
  }

  /// Adds a new tensor and views of it, some of them changed in place.
  void change_in_place() {
    const Tensor source = pick();
    const Tensor base = below(2) ? clone(source) : source + 0.25;
    Tensors family{base, view(base)};
    family.push_back(view(family.back()));
    for (int i = 1 + below(3); i > 0; --i) {
      Tensor target = family[static_cast<std::size_t>(below(3))];
      if (target.layout().may_overlap()) continue;
      Tensor other = partner(target);
      if (other.rank() > target.rank() || broadcast(other.shape(), target.shape(), "test") != target.shape())
        other = mean(other);
      switch (below(5)) {
        case 0: target += other; break;
        case 1: target *= tanh(other); break;
        case 2: target -= mean(target); break;
        case 3: target *= 0.7; break;
        default: copy_(target, other); break;
      }
    }
    for (const Tensor& member : family) pool_.push_back(member);
  }

  std::mt19937_64 random_;
  Tensors pool_;
};

constexpr int steps = 12;

Tensor value(std::uint64_t seed, const Tensors& leaves) { return RandomGraph(seed).build(leaves, steps); }

Tensors random_leaves(std::uint64_t seed) {
  const Shape shapes[] = {{2, 3}, {3}, Shape{}, {2, 1, 3}, {4}};
  Tensors leaves;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Shape& shape = shapes[(seed + i * (1 + seed / 5 % 4)) % 5];
    const auto form = static_cast<Form>((seed / 7 + i) % 3);
    leaves.push_back(lay_out(draw(normal(shape), float64, 10 * seed + i), float64, form).requires_grad(true));
  }
  return leaves;
}

/// The central difference by the element at `offset` in a leaf's storage.
double difference(std::uint64_t seed, const Tensors& leaves, double& element) {
  constexpr double eps = 1e-6;
  NoGrad guard;
  const double kept = element;
  element = kept + eps;
  const double above = value(seed, leaves).item<double>();
  element = kept - eps;
  const double below = value(seed, leaves).item<double>();
  element = kept;
  return (above - below) / (2 * eps);
}

TEST(RandomGraph, GradientsMatchCentralDifferencesOnAThousandSeeds) {
  int failures = 0, without_gradient = 0;
  for (std::uint64_t seed = 0; seed < 1000 && failures < 5; ++seed) {
    const Tensors leaves = random_leaves(seed);
    const Tensor loss = value(seed, leaves);
    if (!loss.requires_grad()) {
      ++without_gradient;
      continue;
    }
    const Tensors composite = grad({value(seed, leaves)}, leaves, {}, {.create_graph = true, .allow_unused = true});
    loss.backward();
    for (std::size_t l = 0; l < leaves.size(); ++l) {
      const Tensor& leaf = leaves[l];
      const Tensor gradient = leaf.grad();
      Doubles expected(leaf.shape());
      std::size_t at = 0;
      each_index(leaf.shape(), [&](const Shape& index) {
        std::int64_t offset = 0;
        for (int d = 0; d < index.rank(); ++d) offset += index[d] * leaf.strides()[d];
        expected.values[at++] = difference(seed, leaves, leaf.data<double>()[offset]);
      });
      if (!gradient.defined()) {
        for (const double slope : expected.values) EXPECT_EQ(slope, 0) << "seed " << seed << " leaf " << l;
        continue;
      }
      const Comparison numeric = compare(gradient, expected, test::Tolerance{1e-5, 1e-7});
      EXPECT_TRUE(numeric) << "seed " << seed << " leaf " << l << " against differences: " << numeric.message;
      const Comparison formula = compare(gradient, composite[l], test::Tolerance{1e-10, 1e-12});
      EXPECT_TRUE(formula) << "seed " << seed << " leaf " << l << " against grad(create_graph): " << formula.message;
      failures += !numeric || !formula;
    }
  }
  EXPECT_LT(without_gradient, 20);
}

}  // namespace
}  // namespace minima::random_graph_test
