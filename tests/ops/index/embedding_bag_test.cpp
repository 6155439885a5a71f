#include <minima/ops/index/embedding_bag.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/index/embedding.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace minima::embedding_bag_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

Tensor whole_zeros(const Shape& shape) { return zeros(shape, {.dtype = int64}); }

/// The rows of each bag, combined; `bags` are the positions at which they start, and the end.
Doubles combined(const Doubles& weight, const Doubles& index, const std::vector<std::size_t>& bags, BagMode mode,
                 double skipped, const Doubles* factors = nullptr) {
  const std::int64_t count = static_cast<std::int64_t>(bags.size()) - 1, width = weight.shape[1];
  Doubles y({count, width});
  each_index(y.shape, [&](const Shape& at) {
    Line values;
    const auto bag = static_cast<std::size_t>(at[0]);
    for (std::size_t i = bags[bag]; i < bags[bag + 1]; ++i)
      if (index.values[i] != skipped)
        values.push_back(weight[{static_cast<std::int64_t>(index.values[i]), at[1]}] *
                         (factors ? factors->values[i] : 1));
    if (values.empty()) return;
    for (const double value : values) y[at] += value;
    if (mode == BagMode::mean) y[at] /= static_cast<double>(values.size());
    if (mode == BagMode::max) y[at] = *std::max_element(values.begin(), values.end());
  });
  return y;
}

const Draw index = given({6}, {2, 0, 2, 1, 3, 0}).as(int64), offsets = given({4}, {0, 2, 2, 5}).as(int64);
/// Where the bags start, and the end.
std::vector<std::size_t> bags(Lists in, bool with_end) {
  std::vector<std::size_t> all(in[2].values.begin(), in[2].values.end());
  if (!with_end) all.push_back(in[1].values.size());
  return all;
}

OpCases with_modes(OpCases cases) {
  const std::pair<BagMode, std::string> modes[] = {
      {BagMode::mean, "mean"}, {BagMode::sum, "sum"}, {BagMode::max, "max"}};
  for (const auto& [chosen, name] : modes)
    cases
        .on([mode = chosen](In in) { return embedding_bag(in[0], in[1], in[2], {.mode = mode, .padding_index = 3}); },
            [mode = chosen](Lists in) { return combined(in[0], in[1], bags(in, false), mode, 3); }, name)
        .pytorch("lambda w, i, o: F.embedding_bag(i, w, o, mode='" + name + "', padding_idx=3)")
        .inputs(distinct({4, 3}), index, offsets);
  return cases;
}

[[maybe_unused]] const bool embedding_bag_cases =
    with_modes(composed(OpCases("embedding_bag")))
        .on([](In in) { return embedding_bag(in[0], in[1]); },
            [](Lists in) {
              std::vector<std::size_t> starts{0};
              for (std::int64_t i = 0; i < in[1].shape[0]; ++i)
                starts.push_back(starts.back() + static_cast<std::size_t>(in[1].shape[1]));
              return combined(in[0], in[1], starts, BagMode::mean, -1);
            },
            "rows")
        .pytorch("lambda w, i: F.embedding_bag(i, w)")
        .inputs(normal({4, 3}), given({2, 3}, {0, 3, 3, 1, 2, 0}).as(int64))
        .inputs(normal({4, 3}), given({0, 3}, {}).as(int64))
        .on(
            [](In in) {
              return embedding_bag(in[0], in[1], in[2],
                                   {.mode = BagMode::sum, .sample_weights = in[3], .include_last_offset = true});
            },
            [](Lists in) { return combined(in[0], in[1], bags(in, true), BagMode::sum, -1, &in[3]); }, "weighted")
        .pytorch(
            "lambda w, i, o, s: F.embedding_bag(i, w, o, mode='sum', per_sample_weights=s, include_last_offset=True)")
        .inputs(normal({4, 3}), given({5}, {2, 0, 2, 1, 3}).as(int64), given({4}, {0, 2, 2, 5}).as(int64), normal({5}))
        .huge([](auto n) { embedding_bag(ones({2, 1}), full({1, 1}, n, {.dtype = int64})); })
        .error<DTypeError>([] { embedding_bag(sized({2, 2}, int64), whole_zeros({1, 1})); },
                           "embedding_bag: weight must be floating, got int64 [2, 2]; convert it with to()")
        .error<DTypeError>(
            [] { embedding_bag(sized({2, 2}), sized({1, 1})); },
            "embedding_bag: index and offsets must be int64, got float32 [1, 1] and undefined; convert them with to()")
        .error<ShapeError>([] { embedding_bag(sized({2, 2}), whole_zeros({2})); },
                           "embedding_bag: needs weight [V, D] and an index [B, N], or [N] with offsets [B], got "
                           "float32 [2, 2], int64 [2] and undefined")
        .error<ShapeError>(
            [] {
              embedding_bag(sized({2, 2}), whole_zeros({1, 1}), {},
                            {.mode = BagMode::sum, .sample_weights = sized({2})});
            },
            "embedding_bag: sample_weights need the shape of the index int64 [1, 1] and the dtype of the weight, got "
            "float32 [2]")
        .error<IndexError>([] { embedding_bag(sized({2, 2}), full({1, 1}, 2, {.dtype = int64})); },
                           "embedding_bag: index[0, 0] is 2, but dimension 0 has size 2")
        .error<ValueError>(
            [] { embedding_bag(sized({2, 2}), whole_zeros({1, 1}), {}, {.sample_weights = sized({1, 1})}); },
            "embedding_bag: sample_weights need the mode sum")
        .error<ValueError>([] { embedding_bag(sized({2, 2}), whole_zeros({3}), full({1}, 1, {.dtype = int64})); },
                           "embedding_bag: offsets must start at 0 and not decrease, got int64 [1]")
        .error<ValueError>([] { embedding_bag(sized({2, 2}), whole_zeros({3}), tensor({0, 4})); },
                           "embedding_bag: the last offset must be at most the number of indices, 3, got 4")
        .optional_input(2)
        .optional_input(3)
        .check();

/// Bags of many rows, of more columns than are summed together, with and without padding among them.
TEST(EmbeddingBag, OfManyRowsIsTheirSum) {
  const Tensor weight = randn({40, 700}, {.dtype = float64}), index = randint(0, 40, {3, 13});
  const Tensor rows = embedding(weight, index), kept = unsqueeze(index != 7, -1).to(float64);
  const EmbeddingBagOptions sum_of{.mode = BagMode::sum}, mean_of{.padding_index = 7};
  EXPECT_TRUE(allclose(embedding_bag(weight, index, {}, sum_of), sum(rows, {1})).ok);
  EXPECT_TRUE(allclose(embedding_bag(weight, index, {}, mean_of), sum(rows * kept, {1}) / sum(kept, {1})).ok);
}

}  // namespace
}  // namespace minima::embedding_bag_test
