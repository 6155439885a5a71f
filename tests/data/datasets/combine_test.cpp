#include <minima/data/datasets/combine.h>
#include <minima/data/loader/loader.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace minima::data::combine_test {
namespace {

using Indices = std::vector<std::int64_t>;
using minima::test::message_of;

struct Echo {
  std::int64_t count;
  std::int64_t size() const { return count; }
  Indices fetch(std::span<const std::int64_t> indices) const { return {indices.begin(), indices.end()}; }
};
struct Draws {
  std::int64_t size() const { return 10; }
  Indices fetch(std::span<const std::int64_t> indices, const FetchContext& context) const {
    Indices words;
    for (const std::int64_t index : indices) words.push_back(context.random(index).word());
    return words;
  }
};
const FetchContext context_length{.seed = 1, .epoch = 2};

TEST(Subset, MapsIndicesAndKeepsRandomStreams) {
  const Subset subset(Echo{10}, {7, 7, 2});
  EXPECT_EQ(subset.size(), 3);
  EXPECT_EQ(subset.fetch(Indices{2, 0, 1}, context_length), (Indices{2, 7, 7}));
  const Subset draws(Draws{}, {5});
  EXPECT_EQ(draws.fetch(Indices{0}, context_length)[0], context_length.random(5).word());
  EXPECT_CONTAINS(message_of<IndexError>([] { Subset(Echo{3}, {3}); }), "index 3 of 3 samples");
  EXPECT_THROW(subset.fetch(Indices{3}, context_length), IndexError);
}

/// Samples, not batches, some of which draw random numbers.
struct Words {
  std::int64_t count = 10, first = 0;
  std::int64_t size() const { return count; }
  std::pair<std::int64_t, std::int64_t> get(std::int64_t index, const FetchContext& context) const {
    return {first + index, context.random(index).word()};
  }
  std::string describe(std::int64_t index) const { return "word " + std::to_string(first + index); }
};

TEST(Combined, DatasetsOfSamplesCombineAsThoseOfBatches) {
  const auto part = random_split(Words{}, {0.5, 0.5}, 3)[0];
  EXPECT_EQ(part.get(2, context_length).first, part.indices()[2]);
  EXPECT_EQ(part.get(2, context_length).second, context_length.random(part.indices()[2]).word()) << "its own stream";
  EXPECT_EQ(part.describe(1), "word " + std::to_string(part.indices()[1]));
  EXPECT_THROW(part.get(5, context_length), IndexError);

  const Concatenated all(std::vector{Words{3, 0}, Words{0, 0}, Words{4, 100}});
  ASSERT_EQ(all.size(), 7);
  EXPECT_EQ(all.get(2, context_length).first, 2);
  EXPECT_EQ(all.get(3, context_length).first, 100);
  EXPECT_EQ(all.describe(6), "word 103");
  EXPECT_NE(all.get(0, context_length).second, all.get(3, context_length).second)
      << "sample 0 of one is not sample 0 of another";
  EXPECT_THROW(all.get(7, context_length), IndexError);

  const Mapped squares(Words{},
                       [](std::pair<std::int64_t, std::int64_t> sample) { return sample.first * sample.first; });
  EXPECT_EQ(squares.get(7, context_length), 49);
  EXPECT_EQ(squares.describe(7), "word 7");
  const Mapped random(Words{}, [](const std::pair<std::int64_t, std::int64_t>&, RandomStream stream) {
    return std::int64_t{stream.word()};
  });
  EXPECT_EQ(random.get(7, context_length), context_length.random(7).word());
  const Zipped both(Words{}, Words{10, 50});
  EXPECT_EQ(std::get<1>(both.get(4, context_length)).first, 54);

  DataLoader loader(filter(all, [](std::int64_t i) { return i % 2 == 0; }), {.batch_size = 4, .workers = 2, .seed = 1});
  for (auto& [number, word] : loader) EXPECT_EQ(number.to_vector<int>(), (std::vector<int>{0, 2, 101, 103}));
}

TEST(Subset, UsesTheMemoryOfBatchesAgain) {
  const Subset subset(TensorDataset(tensor<float>({0, 1, 2, 3})), {3, 1, 0});
  std::array<Tensor, 1> batch;
  subset.fetch_into(Indices{0, 1}, context_length, batch);
  const void* memory = batch[0].raw_data();
  subset.fetch_into(Indices{2, 0}, context_length, batch);
  EXPECT_EQ(batch[0].raw_data(), memory);
  EXPECT_EQ(batch[0].to_vector<float>(), (std::vector<float>{0, 3}));
}

TEST(RandomSplit, CoversWithoutOverlapAndDependsOnTheSeed) {
  const auto parts = random_split(Echo{103}, {0.7, 0.2, 0.1}, 5);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].size(), 72);
  std::set<std::int64_t> seen;
  for (const auto& part : parts) seen.insert(part.indices().begin(), part.indices().end());
  EXPECT_EQ(seen.size(), 103u);
  EXPECT_EQ(random_split(Echo{103}, {0.7, 0.3}, 5)[0].indices(), parts[0].indices());
  EXPECT_NE(random_split(Echo{103}, {0.7, 0.3}, 6)[0].indices(), parts[0].indices());
  EXPECT_CONTAINS(message_of<ValueError>([] { random_split(Echo{10}, {0.5, 0.4}); }), "add up to 0.9");
  EXPECT_THROW(random_split(Echo{10}, {1.5, -0.5}), ValueError);
  EXPECT_THROW(random_split(Echo{10}, {}), ValueError);
}

TEST(Filter, KeepsWhatThePredicateHoldsFor) {
  EXPECT_EQ(filter(Echo{10}, [](std::int64_t i) { return i % 3 == 0; }).indices(), (Indices{0, 3, 6, 9}));
}

TEST(Mapped, ChangesBatches) {
  const Mapped twice(Echo{5}, [](Indices batch) {
    for (auto& value : batch) value *= 2;
    return batch;
  });
  EXPECT_EQ(twice.fetch(Indices{1, 4}, context_length), (Indices{2, 8}));
  const Mapped random(Echo{5}, [](Indices batch, std::span<const std::int64_t> indices, const FetchContext& context) {
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i] = context.random(indices[i]).word();
    return batch;
  });
  DataLoader loader(random, {.batch_size = 2, .workers = 2, .seed = 1});
  loader.set_epoch(2);
  Indices all;
  for (auto& batch : loader) all.insert(all.end(), batch.begin(), batch.end());
  ASSERT_EQ(all.size(), 5u);
  for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], context_length.random(i).word());
}

TEST(Zipped, GivesTuples) {
  const Zipped both(Echo{4}, Draws{}.size() == 10 ? Echo{4} : Echo{0});
  const auto [a, b] = both.fetch(Indices{3, 1}, context_length);
  EXPECT_EQ(a, (Indices{3, 1}));
  EXPECT_EQ(b, a);
  EXPECT_CONTAINS(message_of<ShapeError>([] { Zipped(Echo{4}, Echo{5}); }), "4 and 5");
}

TEST(Concatenated, JoinsRowsInTheOrderAskedFor) {
  const TensorDataset first(tensor<float>({0, 1, 2}), tensor<std::int64_t>({0, 10, 20}));
  const TensorDataset second(tensor<float>({3, 4}), tensor<std::int64_t>({30, 40}));
  const Concatenated all(std::vector{first, second});
  ASSERT_EQ(all.size(), 5);
  const auto [x, y] = all.fetch(Indices{4, 0, 3, 2}, context_length);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{4, 0, 3, 2}));
  EXPECT_EQ(y.to_vector<int>(), (std::vector<int>{40, 0, 30, 20}));
  EXPECT_THROW(all.fetch(Indices{5}, context_length), IndexError);
  const Concatenated mixed(std::vector{TensorDataset(tensor<float>({1})), TensorDataset(tensor<double>({1}))});
  EXPECT_THROW(mixed.fetch(Indices{0, 1}, context_length), DTypeError);
  const Concatenated ragged(std::vector{TensorDataset(empty({2, 3})), TensorDataset(empty({2, 4}))});
  EXPECT_THROW(ragged.fetch(Indices{0, 3}, context_length), ShapeError);
}

TEST(WeightedSampler, DrawsInProportion) {
  const Sampler sampler = weighted_sampler({1, 0, 2, 5, 0}, 80'000, 3);
  std::vector<double> counts(5);
  for (const std::int64_t index : sampler.order(0)) counts.at(static_cast<std::size_t>(index)) += 1;
  EXPECT_EQ(counts[1] + counts[4], 0);
  double chi2 = 0;
  for (const auto& [index, expected] : {std::pair{0, 1e4}, {2, 2e4}, {3, 5e4}})
    chi2 += (counts[static_cast<std::size_t>(index)] - expected) *
            (counts[static_cast<std::size_t>(index)] - expected) / expected;
  EXPECT_LT(chi2, 13.82) << "chi-squared with 2 degrees of freedom, p = 0.001";
  EXPECT_EQ(sampler.order(4), weighted_sampler({1, 0, 2, 5, 0}, 80'000, 3).order(4));
  EXPECT_NE(sampler.order(4), sampler.order(5));
}

TEST(WeightedSampler, WithoutReplacementTakesEachOnce) {
  const Sampler sampler = weighted_sampler({1, 0, 2, 5, 3}, 4, 3, false);
  int heaviest_first = 0;
  for (std::uint64_t epoch = 0; epoch < 2000; ++epoch) {
    Indices order = sampler.order(epoch);
    heaviest_first += order[0] == 3;
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (Indices{0, 2, 3, 4}));
  }
  EXPECT_NEAR(heaviest_first / 2000.0, 5.0 / 11, 0.04);
}

TEST(WeightedSampler, RefusesNonsense) {
  EXPECT_THROW(weighted_sampler({1, -1}, 1, 0), ValueError);
  EXPECT_THROW(weighted_sampler({1, std::nan("")}, 1, 0), ValueError);
  EXPECT_THROW(weighted_sampler({0, 0}, 1, 0), ValueError);
  EXPECT_THROW(weighted_sampler({}, 1, 0), ValueError);
  EXPECT_THROW(weighted_sampler({1, 0}, 2, 0, false), ValueError);
  EXPECT_THROW(weighted_sampler({1}, -1, 0), ValueError);
}

}  // namespace
}  // namespace minima::data::combine_test
