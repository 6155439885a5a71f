#include <minima/ops/product/distance.h>

#include "tests/ops/checks/composed.h"

#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::distance_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

double length(const Line& x, double p) {
  double sum = 0, most = 0;
  for (const double value : x) {
    sum += std::pow(std::fabs(value), p);
    most = std::fmax(most, std::fabs(value));
  }
  return std::isinf(p) ? most : std::pow(sum, 1 / p);
}

Doubles difference(Lists in, double added = 0) {
  const Shape shape = broadcast(in[0].shape, in[1].shape, "reference");
  Doubles a = broadcast_to(in[0], shape);
  const Doubles b = broadcast_to(in[1], shape);
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] += added - b.values[i];
  return a;
}

[[maybe_unused]] const bool dist_cases =
    composed(OpCases("dist"))
        .autocast("float32")
        .gradient_cancels()
        .on([](In in) { return dist(in[0], in[1], 3); },
            [](Lists in) { return Doubles(Shape{}, {length(difference(in).values, 3)}); })
        .pytorch("lambda a, b: torch.dist(a, b, 3)")
        .inputs(normal({3, 4}), normal({3, 4}))
        .inputs(normal({3, 4}), normal({4}))
        .inputs(normal({0}), normal({0}))
        .error<ShapeError>([] { dist(sized({2}), sized({3})); },
                           "dist: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { dist(sized({2}, int64), sized({2}, int64)); },
                           "dist: needs floating tensors, got int64 [2] and int64 [2]; convert them with to()")
        .check();

[[maybe_unused]] const bool pairwise_distance_cases =
    composed(OpCases("pairwise_distance"))
        .gradient_cancels()
        .on([](In in) { return pairwise_distance(in[0], in[1]); },
            [](Lists in) {
              return over_lines(-1, false, [](const std::vector<Line>& x, std::vector<Line>& y) {
                y = {{length(x[0], 2)}};
              })({difference(in, 1e-6)})[0];
            })
        .pytorch("F.pairwise_distance")
        .inputs(normal({3, 4}), normal({3, 4}))
        .inputs(normal({4}), normal({3, 4}))
        .inputs(normal({2, 0}), normal({2, 0}))
        .error<ShapeError>(
            [] { pairwise_distance(sized({2}), sized({3})); },
            "pairwise_distance: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<ShapeError>([] { pairwise_distance(sized({}), sized({})); },
                           "pairwise_distance: needs vectors along the last dimension, got float32 [] and float32 []")
        .error<DTypeError>(
            [] { pairwise_distance(sized({2}, int64), sized({2}, int64)); },
            "pairwise_distance: needs floating tensors, got int64 [2] and int64 [2]; convert them with to()")
        .check();

auto all_distances(double p) {
  return [=](Lists in) {
    Shape batch_a = in[0].shape, batch_b = in[1].shape;
    const std::int64_t rows = batch_a[batch_a.rank() - 2], columns = batch_b[batch_b.rank() - 2], size = batch_a.back();
    batch_a.resize(batch_a.rank() - 2);
    batch_b.resize(batch_b.rank() - 2);
    const Shape batch = broadcast(batch_a, batch_b, "reference");
    const auto with = [&](std::int64_t n, std::int64_t m) {
      Shape shape = batch;
      shape.push_back(n), shape.push_back(m);
      return shape;
    };
    const Doubles a = broadcast_to(in[0], with(rows, size)), b = broadcast_to(in[1], with(columns, size));
    Doubles y(with(rows, columns));
    each_index(y.shape, [&](const Shape& at) {
      Line gap;
      Shape left = at, right = at;
      right[at.rank() - 2] = at.back();
      for (std::int64_t i = 0; i < size; ++i) {
        left[at.rank() - 1] = right[at.rank() - 1] = i;
        gap.push_back(a[left] - b[right]);
      }
      y[at] = length(gap, p);
    });
    return y;
  };
}

[[maybe_unused]] const bool cdist_cases =
    composed(OpCases("cdist"))
        .autocast("float32")
        .gradient_cancels()
        .tolerance(4)
        .on([](In in) { return cdist(in[0], in[1]); }, all_distances(2), "2")
        .pytorch("torch.cdist")
        .inputs(normal({3, 4}), normal({2, 4}))
        .inputs(normal({2, 1, 3, 2}), normal({3, 2, 2}))
        .inputs(normal({0, 4}), normal({2, 4}))
        .inputs(uniform({30, 2}, 0, 1), uniform({2, 2}, 4, 5))
        .on([](In in) { return cdist(in[0], in[1], 1); }, all_distances(1), "1")
        .pytorch("lambda a, b: torch.cdist(a, b, 1)")
        .inputs(normal({3, 4}), normal({2, 4}))
        .on([](In in) { return cdist(in[0], in[1], INFINITY); }, all_distances(INFINITY), "infinite")
        .pytorch("lambda a, b: torch.cdist(a, b, inf)")
        .inputs(normal({3, 4}), normal({2, 4}))
        .error<ShapeError>([] { cdist(sized({2, 3}), sized({2, 4})); },
                           "cdist: needs a [..., P, D] and b [..., R, D], got float32 [2, 3] and float32 [2, 4]")
        .error<ShapeError>([] { cdist(sized({3}), sized({2, 3})); },
                           "cdist: needs a [..., P, D] and b [..., R, D], got float32 [3] and float32 [2, 3]")
        .error<ValueError>([] { cdist(sized({2, 3}), sized({2, 3}), -1); }, "cdist: p must not be negative, got -1")
        .error<DTypeError>([] { cdist(sized({2, 3}, int64), sized({2, 3}, int64)); },
                           "cdist: needs floating tensors, got int64 [2, 3] and int64 [2, 3]; convert them with to()")
        .check();

TEST(Cdist, OfManyRowsKeepsNaNAndKnowsEqualRows) {
  const Tensor x = full({40, 2}, 2.0).requires_grad(true);
  const Tensor y = cdist(x, x);
  EXPECT_TRUE(all(y == 0).item<bool>());
  sum(y).backward();
  EXPECT_TRUE(all(x.grad() == 0).item<bool>());

  const Tensor holed = full({40, 2}, 2.0);
  fill_(holed[3], NAN);
  const Tensor distances = cdist(holed, zeros({2, 2}));
  EXPECT_TRUE(all(isnan(distances[3])).item<bool>());
  EXPECT_FALSE(any(isnan(distances[4])).item<bool>());
  EXPECT_TRUE(all(cdist(ones({30, 0}), ones({2, 0})) == 0).item<bool>());
}

auto distances_of_pairs(double p) {
  return [=](Lists in) {
    const Doubles& x = in[0];
    const std::int64_t rows = x.shape[0], size = x.shape[1];
    Doubles y(Shape(rows * (rows - 1) / 2));
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = i + 1; j < rows; ++j) {
        Line gap;
        for (std::int64_t k = 0; k < size; ++k) gap.push_back(x[{i, k}] - x[{j, k}]);
        y[Shape(next++)] = length(gap, p);
      }
    return y;
  };
}

[[maybe_unused]] const bool pdist_cases =
    composed(OpCases("pdist"))
        .autocast("float32")
        .gradient_cancels()
        .tolerance(4)
        .on([](In in) { return pdist(in[0]); }, distances_of_pairs(2), "2")
        .inputs(normal({4, 3}))
        .inputs(normal({1, 3}))
        .inputs(normal({0, 3}))
        .on([](In in) { return pdist(in[0], 1); }, distances_of_pairs(1), "1")
        .inputs(normal({4, 3}))
        .on([](In in) { return pdist(in[0], INFINITY); }, distances_of_pairs(INFINITY), "infinite")
        .inputs(normal({4, 3}))
        .error<ShapeError>([] { pdist(sized({3})); }, "pdist: needs x [P, D], got float32 [3]")
        .error<ValueError>([] { pdist(sized({2, 3}), -1); }, "pdist: p must not be negative, got -1")
        .error<DTypeError>([] { pdist(sized({2, 3}, int64)); },
                           "pdist: needs a floating tensor, got int64 [2, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool cosine_similarity_cases =
    composed(OpCases("cosine_similarity"))
        .autocast("float32")
        .gradient_cancels()
        .on([](In in) { return cosine_similarity(in[0], in[1], -1); },
            [](Lists in) {
              const Shape shape = broadcast(in[0].shape, in[1].shape, "reference");
              return over_lines(-1, false, [](const std::vector<Line>& x, std::vector<Line>& y) {
                double product = 0;
                for (std::size_t i = 0; i < x[0].size(); ++i) product += x[0][i] * x[1][i];
                y = {{product / (std::fmax(length(x[0], 2), 1e-8) * std::fmax(length(x[1], 2), 1e-8))}};
              })({broadcast_to(in[0], shape), broadcast_to(in[1], shape)})[0];
            })
        .pytorch("lambda a, b: F.cosine_similarity(a, b, -1)")
        .inputs(normal({3, 4}), normal({3, 4}))
        .inputs(normal({2, 1, 4}), normal({3, 4}))
        .inputs(normal({0, 4}), normal({4}))
        .huge([](auto n) { cosine_similarity(ones({2, 3}), ones({2, 3}), n); })
        .error<IndexError>([] { cosine_similarity(sized({2}), sized({2})); },
                           "cosine_similarity: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>(
            [] { cosine_similarity(sized({2, 3}), sized({2, 2})); },
            "cosine_similarity: shapes [2, 3] and [2, 2] do not broadcast: sizes 3 and 2 differ and neither is 1")
        .error<DTypeError>(
            [] { cosine_similarity(sized({2, 3}, int64), sized({2, 3}, int64)); },
            "cosine_similarity: needs floating tensors, got int64 [2, 3] and int64 [2, 3]; convert them with to()")
        .check();

[[maybe_unused]] const bool normalize_cases =
    composed(OpCases("normalize"))
        .gradient_cancels()
        .on([](In in) { return normalize(in[0]); }, over_lines(1, true,
                                                               [](const std::vector<Line>& x, std::vector<Line>& y) {
                                                                 Line line = x[0];
                                                                 const double by = std::fmax(length(line, 2), 1e-12);
                                                                 for (double& value : line) value /= by;
                                                                 y = {line};
                                                               }))
        .pytorch("F.normalize")
        .inputs(normal({3, 4}))
        .inputs(normal({2, 3, 2}))
        .inputs(normal({0, 3}))
        .inputs(given({2, 2}, {0, 0, 3, 4}).constant())
        .huge([](auto n) { normalize(ones({2, 3}), 2, n); })
        .error<IndexError>([] { normalize(sized({2})); },
                           "normalize: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { normalize(sized({2, 3}, int64)); },
                           "normalize: needs a floating tensor, got int64 [2, 3]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::distance_test
