#include <minima/ops/loss/margin.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/loss/loss.h>
#include <minima/ops/loss/triplet_distance.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace minima::margin_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

OpCases losses(OpCases cases) { return composed(std::move(cases)).autocast("float32").tolerance(2); }
Tensor whole_zeros(const Shape& shape) { return zeros(shape, {.dtype = int64}); }

Doubles reduced(const Doubles& losses, Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  double sum = 0;
  for (const double value : losses.values) sum += value;
  return Doubles(Shape{}, {reduction == Reduction::sum ? sum : sum / static_cast<double>(losses.numel())});
}
/// The reference of a loss by elements, with a reduction.
template <class F>
auto with(Reduction reduction, const F& elements) {
  return [=](Lists in) { return reduced(elements(in), reduction); };
}
/// The losses of the rows of in[0] [N, C] (or [C]): f(row number) of each.
template <class F>
auto rows(const F& f) {
  return [=](Lists in) {
    Shape shape = in[0].shape;
    shape.erase(shape.rank() - 1);
    Doubles y(shape);
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = f(in, i);
    return y;
  };
}
Line row(const Doubles& x, std::size_t i) {
  const auto size = x.shape.back();
  const auto start = x.values.begin() + static_cast<std::int64_t>(i) * size;
  return {start, start + size};
}

const Draw signs = given({3, 4}, {1, -1, -1, 1, 1, 1, -1, 1, -1, -1, 1, 1}).constant();

Doubles ranking(Lists in) {
  const Shape shape = broadcast(in[0].shape, in[1].shape, "reference");
  Doubles y = broadcast_to(in[0], shape);
  const Doubles other = broadcast_to(in[1], shape), t = broadcast_to(in[2], shape);
  for (std::size_t i = 0; i < y.values.size(); ++i)
    y.values[i] = std::fmax(0, -t.values[i] * (y.values[i] - other.values[i]) + 0.5);
  return y;
}

[[maybe_unused]] const bool margin_ranking_cases =
    losses(OpCases("margin_ranking_loss"))
        .on([](In in) { return margin_ranking_loss(in[0], in[1], in[2], 0.5); }, with(Reduction::mean, ranking), "mean")
        .pytorch("lambda a, b, t: F.margin_ranking_loss(a, b, t, 0.5)")
        .inputs(normal({3, 4}), normal({3, 4}), signs)
        .on([](In in) { return margin_ranking_loss(in[0], in[1], in[2], 0.5, Reduction::none); },
            with(Reduction::none, ranking), "none")
        .pytorch("lambda a, b, t: F.margin_ranking_loss(a, b, t, 0.5, reduction='none')")
        .inputs(normal({3, 4}), normal({3, 4}), signs)
        .inputs(normal({0}), normal({0}), normal({0}).constant())
        .error<ShapeError>(
            [] { margin_ranking_loss(sized({2}), sized({3}), sized({3})); },
            "margin_ranking_loss: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { margin_ranking_loss(sized({2}, int64), sized({2}), sized({2})); },
                           "margin_ranking_loss: x must be floating, got int64 [2]; convert it with to()")
        .check();

Doubles hinge(Lists in) {
  Doubles y = in[0];
  for (std::size_t i = 0; i < y.values.size(); ++i)
    if (in[1].values[i] == -1) y.values[i] = std::fmax(0, 1.5 - y.values[i]);
  return y;
}

[[maybe_unused]] const bool hinge_embedding_cases =
    losses(OpCases("hinge_embedding_loss"))
        .on([](In in) { return hinge_embedding_loss(in[0], in[1], 1.5); }, with(Reduction::mean, hinge), "mean")
        .pytorch("lambda x, t: F.hinge_embedding_loss(x, t, 1.5)")
        .inputs(normal({3, 4}), signs)
        .on([](In in) { return hinge_embedding_loss(in[0], in[1], 1.5, Reduction::none); },
            with(Reduction::none, hinge), "none")
        .pytorch("lambda x, t: F.hinge_embedding_loss(x, t, 1.5, reduction='none')")
        .inputs(normal({3, 4}), signs)
        .inputs(normal({0}), given({0}, {}).constant())
        .error<ShapeError>(
            [] { hinge_embedding_loss(sized({2}), sized({3})); },
            "hinge_embedding_loss: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither "
            "is 1")
        .error<DTypeError>([] { hinge_embedding_loss(sized({2}, int64), sized({2})); },
                           "hinge_embedding_loss: x must be floating, got int64 [2]; convert it with to()")
        .check();

Doubles soft(Lists in) {
  Doubles y = in[0];
  for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = std::log1p(std::exp(-y.values[i] * in[1].values[i]));
  return y;
}

[[maybe_unused]] const bool soft_margin_cases =
    losses(OpCases("soft_margin_loss"))
        .on([](In in) { return soft_margin_loss(in[0], in[1]); }, with(Reduction::mean, soft), "mean")
        .pytorch("lambda x, t: F.soft_margin_loss(x, t.detach())")
        .inputs(normal({3, 4}), signs)
        .on([](In in) { return soft_margin_loss(in[0], in[1], Reduction::none); }, with(Reduction::none, soft), "none")
        .pytorch("lambda x, t: F.soft_margin_loss(x, t.detach(), reduction='none')")
        .inputs(normal({3, 4}), signs)
        .inputs(normal({0}), given({0}, {}).constant())
        .error<ShapeError>([] { soft_margin_loss(sized({2}), sized({3})); },
                           "soft_margin_loss: x and target must have the same shape, got float32 [2] and float32 [3]; "
                           "expand() the smaller one to broadcast it")
        .error<DTypeError>([] { soft_margin_loss(sized({2}, int64), sized({2})); },
                           "soft_margin_loss: x must be floating, got int64 [2]; convert it with to()")
        .check();

auto multi(double p, double margin) {
  return rows([=](Lists in, std::size_t i) {
    const Line x = row(in[0], i);
    const auto t = static_cast<std::size_t>(in[1].values[i]);
    double sum = 0;
    for (std::size_t c = 0; c < x.size(); ++c)
      if (c != t) sum += std::pow(std::fmax(0, margin - x[t] + x[c]), p);
    return sum * (in.size() > 2 ? in[2].values[t] : 1) / static_cast<double>(x.size());
  });
}
const Draw labels = given({3}, {2, 0, 3}).as(int64), weights = given({4}, {1, 0.5, 2, 1.5}).constant();

[[maybe_unused]] const bool multi_margin_cases =
    losses(OpCases("multi_margin_loss"))
        .on([](In in) { return multi_margin_loss(in[0], in[1]); }, with(Reduction::mean, multi(1, 1)), "mean")
        .pytorch("F.multi_margin_loss")
        .inputs(normal({3, 4}), labels)
        .inputs(normal({4}), given({}, {1}).as(int64))
        .on(
            [](In in) {
              return multi_margin_loss(in[0], in[1],
                                       {.p = 2, .margin = 0.5, .weight = in[2], .reduction = Reduction::none});
            },
            with(Reduction::none, multi(2, 0.5)), "squares")
        .pytorch("lambda x, t, w: F.multi_margin_loss(x, t, 2, 0.5, w.detach(), reduction='none')")
        .inputs(normal({3, 4}), labels, weights)
        .inputs(normal({0, 4}), given({0}, {}).as(int64), weights)
        .error<ShapeError>(
            [] { multi_margin_loss(sized({2, 3}), whole_zeros({3})); },
            "multi_margin_loss: needs scores [N, C] and classes [N], or [C] and [], got float32 [2, 3] and int64 [3]")
        .error<ShapeError>(
            [] { multi_margin_loss(sized({2, 3}), whole_zeros({2}), {.weight = sized({2})}); },
            "multi_margin_loss: weight must have one element for each class of x float32 [2, 3], got float32 [2]")
        .error<IndexError>([] { multi_margin_loss(sized({2, 3}), full({2}, 3, {.dtype = int64})); },
                           "multi_margin_loss: index[0] is 3, but dimension 1 has size 3")
        .error<ValueError>([] { multi_margin_loss(sized({2, 3}), whole_zeros({2}), {.p = 3}); },
                           "multi_margin_loss: p must be 1 or 2, got 3")
        .error<DTypeError>([] { multi_margin_loss(sized({2, 3}, int64), whole_zeros({2})); },
                           "multi_margin_loss: x must be floating, got int64 [2, 3]; convert it with to()")
        .error<DTypeError>([] { multi_margin_loss(sized({2, 3}), sized({2})); },
                           "multi_margin_loss: target must be int64, got float32 [2]; convert it with to()")
        .optional_input(2)
        .check();

double multilabel(Lists in, std::size_t i) {
  const Line x = row(in[0], i), t = row(in[1], i);
  std::vector<std::size_t> targets;
  for (const double c : t) {
    if (c < 0) break;
    targets.push_back(static_cast<std::size_t>(c));
  }
  const std::set<std::size_t> all(targets.begin(), targets.end());
  double sum = 0;
  for (const std::size_t target : targets)
    for (std::size_t c = 0; c < x.size(); ++c)
      if (!all.contains(c)) sum += std::fmax(0, 1 - (x[target] - x[c]));
  return sum / static_cast<double>(x.size());
}

[[maybe_unused]] const bool multilabel_margin_cases =
    losses(OpCases("multilabel_margin_loss"))
        .on([](In in) { return multilabel_margin_loss(in[0], in[1]); }, with(Reduction::mean, rows(multilabel)), "mean")
        .pytorch("F.multilabel_margin_loss")
        .inputs(normal({2, 4}), given({2, 4}, {3, 0, -1, 1, 2, -1, 0, 0}).as(int64))
        .on([](In in) { return multilabel_margin_loss(in[0], in[1], Reduction::none); },
            with(Reduction::none, rows(multilabel)), "none")
        .pytorch("lambda x, t: F.multilabel_margin_loss(x, t, reduction='none')")
        .inputs(normal({2, 4}), given({2, 4}, {3, 0, -1, 1, -1, -1, 0, 0}).as(int64))
        .inputs(normal({4}), given({4}, {3, 0, 1, -1}).as(int64))
        .inputs(normal({0, 4}), given({0, 4}, {}).as(int64))
        .error<ShapeError>([] { multilabel_margin_loss(sized({2, 3}), whole_zeros({2, 2})); },
                           "multilabel_margin_loss: x and target must have the same shape, got float32 [2, 3] and "
                           "int64 [2, 2]; expand() the smaller one to broadcast it")
        .error<IndexError>([] { multilabel_margin_loss(sized({3}), full({3}, 3, {.dtype = int64})); },
                           "multilabel_margin_loss: index[0] is 3, but dimension 0 has size 3")
        .error<DTypeError>([] { multilabel_margin_loss(sized({3}, int64), whole_zeros({3})); },
                           "multilabel_margin_loss: x must be floating, got int64 [3]; convert it with to()")
        .error<DTypeError>([] { multilabel_margin_loss(sized({3}), sized({3})); },
                           "multilabel_margin_loss: target must be int64, got float32 [3]; convert it with to()")
        .check();

double multilabel_soft(Lists in, std::size_t i) {
  const Line x = row(in[0], i), t = row(in[1], i);
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c)
    sum += (in.size() > 2 ? in[2].values[c] : 1) *
           (t[c] * std::log1p(std::exp(-x[c])) + (1 - t[c]) * std::log1p(std::exp(x[c])));
  return sum / static_cast<double>(x.size());
}
const Draw bits = given({3, 4}, {1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1}).constant();

[[maybe_unused]] const bool multilabel_soft_margin_cases =
    composed(OpCases("multilabel_soft_margin_loss"))
        .tolerance(2)
        .on([](In in) { return multilabel_soft_margin_loss(in[0], in[1]); },
            with(Reduction::mean, rows(multilabel_soft)), "mean")
        .pytorch("F.multilabel_soft_margin_loss")
        .inputs(normal({3, 4}), bits)
        .on(
            [](In in) {
              return multilabel_soft_margin_loss(in[0], in[1], {.weight = in[2], .reduction = Reduction::none});
            },
            with(Reduction::none, rows(multilabel_soft)), "weighted")
        .pytorch("lambda x, t, w: F.multilabel_soft_margin_loss(x, t, w, reduction='none')")
        .inputs(normal({3, 4}), bits, weights)
        .inputs(normal({0, 4}), given({0, 4}, {}).constant(), weights)
        .error<ShapeError>([] { multilabel_soft_margin_loss(sized({2, 3}), sized({2})); },
                           "multilabel_soft_margin_loss: x and target must have the same shape, got float32 [2, 3] and "
                           "float32 [2]; expand() the smaller one to broadcast it")
        .error<ShapeError>([] { multilabel_soft_margin_loss(sized({}), sized({})); },
                           "multilabel_soft_margin_loss: x must have a dimension of classes, got float32 []")
        .error<DTypeError>([] { multilabel_soft_margin_loss(sized({3}, int64), sized({3})); },
                           "multilabel_soft_margin_loss: x must be floating, got int64 [3]; convert it with to()")
        .optional_input(2)
        .check();

double dot(const Line& a, const Line& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
double cosine(const Line& a, const Line& b) { return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)); }
double cosine_embedding(Lists in, std::size_t i) {
  const double similarity = cosine(row(in[0], i), row(in[1], i));
  return in[2].values[i] == 1 ? 1 - similarity : std::fmax(0, similarity - 0.1);
}

[[maybe_unused]] const bool cosine_embedding_cases =
    losses(OpCases("cosine_embedding_loss"))
        .gradient_cancels()
        .on([](In in) { return cosine_embedding_loss(in[0], in[1], in[2], 0.1); },
            with(Reduction::mean, rows(cosine_embedding)), "mean")
        .pytorch("lambda a, b, t: F.cosine_embedding_loss(a, b, t, 0.1)")
        .inputs(normal({4, 3}), normal({4, 3}), given({4}, {1, -1, -1, 1}).constant())
        .on([](In in) { return cosine_embedding_loss(in[0], in[1], in[2], 0.1, Reduction::none); },
            with(Reduction::none, rows(cosine_embedding)), "none")
        .pytorch("lambda a, b, t: F.cosine_embedding_loss(a, b, t, 0.1, reduction='none')")
        .inputs(normal({3}), normal({3}), given({}, {1}).constant())
        .inputs(normal({0, 3}), normal({0, 3}), given({0}, {}).constant())
        .error<ShapeError>([] { cosine_embedding_loss(sized({2, 3}), sized({2, 3}), sized({3})); },
                           "cosine_embedding_loss: needs a and b [N, D] with target [N], or [D] with [], got float32 "
                           "[2, 3], float32 [2, 3] and float32 [3]")
        .error<DTypeError>([] { cosine_embedding_loss(sized({3}, int64), sized({3}), sized({})); },
                           "cosine_embedding_loss: x must be floating, got int64 [3]; convert it with to()")
        .check();

auto triplet(double p, bool swap) {
  return rows([=](Lists in, std::size_t i) {
    const auto distance = [&](int a, int b) {
      double sum = 0;
      for (std::size_t c = 0; c < row(in[0], i).size(); ++c)
        sum += std::pow(
            std::fabs(row(in[static_cast<std::size_t>(a)], i)[c] - row(in[static_cast<std::size_t>(b)], i)[c] + 1e-6),
            p);
      return std::pow(sum, 1 / p);
    };
    const double apart = swap ? std::fmin(distance(0, 2), distance(1, 2)) : distance(0, 2);
    return std::fmax(0, distance(0, 1) - apart + 1);
  });
}

[[maybe_unused]] const bool triplet_margin_cases =
    losses(OpCases("triplet_margin_loss"))
        .gradient_cancels()
        .on([](In in) { return triplet_margin_loss(in[0], in[1], in[2]); }, with(Reduction::mean, triplet(2, false)),
            "mean")
        .pytorch("F.triplet_margin_loss")
        .inputs(normal({4, 3}), normal({4, 3}), normal({4, 3}))
        .on(
            [](In in) {
              return triplet_margin_loss(in[0], in[1], in[2], {.p = 3, .swap = true, .reduction = Reduction::none});
            },
            with(Reduction::none, triplet(3, true)), "swap")
        .pytorch("lambda a, p, n: F.triplet_margin_loss(a, p, n, p=3, swap=True, reduction='none')")
        .inputs(normal({4, 3}), normal({4, 3}), normal({4, 3}))
        .inputs(normal({0, 3}), normal({0, 3}), normal({0, 3}))
        .error<ShapeError>(
            [] { triplet_margin_loss(sized({3}), sized({3}), sized({2})); },
            "triplet_margin_loss: shapes [3] and [2] do not broadcast: sizes 3 and 2 differ and neither is 1")
        .error<ValueError>([] { triplet_margin_loss(sized({3}), sized({3}), sized({3}), {.margin = 0}); },
                           "triplet_margin_loss: the margin must be positive, got 0")
        .error<DTypeError>([] { triplet_margin_loss(sized({3}, int64), sized({3}), sized({3})); },
                           "triplet_margin_loss: x must be floating, got int64 [3]; convert it with to()")
        .check();

double contrast(Lists in, std::size_t i) {
  double all = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(in[1].shape[0]); ++j)
    all += std::exp(cosine(row(in[0], i), row(in[1], j)) / 0.5);
  return std::log(all) - cosine(row(in[0], i), row(in[1], i)) / 0.5;
}

[[maybe_unused]] const bool info_nce_cases =
    losses(OpCases("info_nce_loss"))
        .gradient_cancels()
        .on([](In in) { return info_nce_loss(in[0], in[1], 0.5); }, with(Reduction::mean, rows(contrast)), "mean")
        .pytorch("lambda q, k: F.cross_entropy(F.normalize(q) @ F.normalize(k).T / 0.5, torch.arange(len(q)))")
        .inputs(normal({4, 3}), normal({4, 3}))
        .on([](In in) { return info_nce_loss(in[0], in[1], 0.5, Reduction::none); },
            with(Reduction::none, rows(contrast)), "none")
        .inputs(normal({4, 3}), normal({4, 3}))
        .without("empty", "a batch has no negatives without elements")
        .error<ShapeError>([] { info_nce_loss(sized({2, 3}), sized({3, 3})); },
                           "info_nce_loss: needs queries and keys [N, D], got float32 [2, 3] and float32 [3, 3]")
        .error<ValueError>([] { info_nce_loss(sized({2, 3}), sized({2, 3}), 0); },
                           "info_nce_loss: the temperature must be positive, got 0")
        .error<DTypeError>([] { info_nce_loss(sized({2, 3}, int64), sized({2, 3})); },
                           "info_nce_loss: x must be floating, got int64 [2, 3]; convert it with to()")
        .check();

TEST(HingeEmbeddingLoss, Broadcasts) {
  const Tensor x = randn({2, 3}), t = tensor<float>({{1}, {-1}});
  EXPECT_TRUE(identical(hinge_embedding_loss(x, t), hinge_embedding_loss(x, contiguous(expand(t, {2, 3})))));
}

TEST(MultilabelSoftMarginLoss, TakesAWeightForEachElement) {
  const Tensor x = randn({2, 3}), t = rand({2, 3}), w = rand({2, 3});
  const Tensor losses = binary_cross_entropy_with_logits(x, t, {.weight = w, .reduction = Reduction::none});
  EXPECT_TRUE(allclose(multilabel_soft_margin_loss(x, t, {.weight = w}), mean(losses)));
  EXPECT_THROW(multilabel_soft_margin_loss(x, t, {.weight = ones({2})}), ShapeError);
}

[[maybe_unused]] const bool triplet_margin_with_distance_loss_calls =
    FunctionCases("triplet_margin_with_distance_loss")
        .undefined([](const Tensor& none) { triplet_margin_with_distance_loss(none, ones({2, 2}), ones({2, 2})); })
        .undefined([](const Tensor& none) { triplet_margin_with_distance_loss(ones({2, 2}), none, ones({2, 2})); })
        .undefined([](const Tensor& none) { triplet_margin_with_distance_loss(ones({2, 2}), ones({2, 2}), none); })
        .check();

}  // namespace
}  // namespace minima::margin_test
