#include <minima/data/datasets/combine.h>
#include <minima/data/loader/loader.h>
#include <minima/data/sampling/shared_seed.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

// The seed of loaders and splits that have none of their own.

namespace minima::data::loader_seed_test {
namespace {

using Indices = std::vector<std::int64_t>;

/// Batches are indices with a random number each, so that order and augmentation are compared at once.
struct Augmented {
  std::int64_t size() const { return 40; }
  Indices fetch(std::span<const std::int64_t> indices, const FetchContext& context) const {
    Indices result;
    for (const std::int64_t index : indices) result.push_back(index * 1000 + context.random(index).below(1000));
    return result;
  }
};

template <class Loader>
Indices epoch_of(Loader& loader) {
  Indices seen;
  for (auto& batch : loader) seen.insert(seen.end(), batch.begin(), batch.end());
  return seen;
}

Indices epoch_with(const LoaderOptions& options) {
  DataLoader loader(Augmented{}, options);
  return epoch_of(loader);
}

TEST(LoaderSeed, FollowsManualSeedUnlessTheLoaderHasOne) {
  const LoaderOptions without{.batch_size = 8, .shuffle = true}, with{.batch_size = 8, .shuffle = true, .seed = 5};
  manual_seed(1);
  const Indices first = epoch_with(without), own = epoch_with(with);
  manual_seed(2);
  EXPECT_NE(epoch_with(without), first);
  EXPECT_EQ(epoch_with(with), own);
  manual_seed(5);
  EXPECT_EQ(epoch_with(without), own) << "manual_seed(5) is as good as .seed = 5";
  manual_seed(1);
  EXPECT_EQ(epoch_with(without), first);
}

TEST(LoaderSeed, AugmentationFollowsManualSeedWithoutShuffling) {
  manual_seed(1);
  const Indices first = epoch_with({.batch_size = 8});
  manual_seed(2);
  EXPECT_NE(epoch_with({.batch_size = 8}), first);
}

TEST(LoaderSeed, IsChosenWhenTheFirstLoopBeginsAndKept) {
  manual_seed(1);
  DataLoader loader(Augmented{}, {.batch_size = 8, .shuffle = true});
  manual_seed(2);
  const Indices first = epoch_of(loader);
  EXPECT_EQ(first, epoch_with({.batch_size = 8, .shuffle = true, .seed = 2}));
  EXPECT_EQ(loader.state_dict().unsigned_integer("seed"), 2u);
  manual_seed(3);
  loader.set_epoch(0);
  EXPECT_EQ(epoch_of(loader), first);
}

TEST(LoaderSeed, DrawsNothingFromTheGenerator) {
  manual_seed(1);
  default_generator().reserve(3);
  epoch_with({.batch_size = 8, .shuffle = true});
  random_split(Augmented{}, {0.5, 0.5});
  EXPECT_EQ(default_generator().state().offset, 3u);
}

TEST(LoaderSeed, ResumesInTheMiddleOfAnEpochWithTheSeedThatWasUsed) {
  manual_seed(11);
  DataLoader whole(Augmented{}, {.batch_size = 8, .shuffle = true});
  Indices expected = epoch_of(whole);
  const Indices second = epoch_of(whole);
  expected.insert(expected.end(), second.begin(), second.end());

  DataLoader saved(Augmented{}, {.batch_size = 8, .shuffle = true});
  Indices seen;
  State state;
  for (auto& batch : saved) {
    seen.insert(seen.end(), batch.begin(), batch.end());
    if (seen.size() == 16) {
      state = saved.state_dict();
      break;
    }
  }
  manual_seed(99);  // another process
  DataLoader resumed(Augmented{}, {.batch_size = 8, .shuffle = true});
  resumed.load_state_dict(state);
  for (int epoch = 0; epoch < 2; ++epoch) {
    const Indices rest = epoch_of(resumed);
    seen.insert(seen.end(), rest.begin(), rest.end());
  }
  EXPECT_EQ(seen, expected);
}

TEST(LoaderSeed, RanksShareAnEpoch) {
  manual_seed(4);
  Indices whole = epoch_with({.batch_size = 8, .shuffle = true}), parts;
  for (int rank = 0; rank < 2; ++rank) {
    default_generator().reserve(1);  // ranks may have drawn other numbers before
    const Indices part = epoch_with({.batch_size = 4, .shuffle = true, .rank = rank, .world_size = 2});
    parts.insert(parts.end(), part.begin(), part.end());
  }
  std::sort(whole.begin(), whole.end());
  std::sort(parts.begin(), parts.end());
  EXPECT_EQ(parts, whole);
}

TEST(LoaderSeed, TheFirstRanksSeedIsSharedUntilManualSeed) {
  manual_seed(101);
  detail::share_seed(100);
  EXPECT_EQ(default_seed(), 100u);
  EXPECT_EQ(epoch_with({.shuffle = true}), epoch_with({.shuffle = true, .seed = 100}));
  EXPECT_EQ(random_split(Augmented{}, {0.5, 0.5})[0].indices(),
            random_split(Augmented{}, {0.5, 0.5}, 100)[0].indices());
  EXPECT_EQ(initial_seed(), 101u);
  manual_seed(7);
  EXPECT_EQ(default_seed(), 7u);
}

TEST(RandomSplit, FollowsManualSeedUnlessItHasASeed) {
  const auto split = [](std::optional<std::uint64_t> seed) {
    return random_split(Augmented{}, {0.8, 0.2}, seed)[1].indices();
  };
  manual_seed(1);
  const Indices first = split({}), own = split(6);
  manual_seed(2);
  EXPECT_NE(split({}), first);
  EXPECT_EQ(split(6), own);
  manual_seed(1);
  EXPECT_EQ(split({}), first);
}

}  // namespace
}  // namespace minima::data::loader_seed_test
