#include <minima/data/loader/epoch_order.h>
#include <minima/data/loader/loader.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

namespace minima::data::loader_shard_test {
namespace {

using minima::test::message_of;
using Indices = std::vector<std::int64_t>;

/// Batches are indices with a random number each, so that order and augmentation are compared at once.
struct Augmented {
  std::int64_t count;
  std::int64_t size() const { return count; }
  Indices fetch(std::span<const std::int64_t> indices, const FetchContext& context) const {
    Indices result;
    for (const std::int64_t index : indices) result.push_back(index * 1000 + context.random(index).below(1000));
    return result;
  }
};

/// The global batches of an epoch, as `world` processes see them.
std::vector<Indices> global_batches(std::int64_t count, int world, int workers, Uneven uneven = Uneven::pad,
                                    std::int64_t global = 8) {
  std::vector<Indices> batches;
  for (int rank = 0; rank < world; ++rank) {
    DataLoader loader(Augmented{count}, {.batch_size = global / world,
                                         .shuffle = true,
                                         .workers = workers,
                                         .seed = 4,
                                         .rank = rank,
                                         .world_size = world,
                                         .uneven = uneven});
    std::size_t number = 0;
    for (auto& batch : loader) {
      if (number == batches.size()) batches.emplace_back();
      batches[number].insert(batches[number].end(), batch.begin(), batch.end());
      ++number;
    }
    EXPECT_EQ(static_cast<std::int64_t>(number), loader.batches());
  }
  return batches;
}

TEST(Sharding, OrderDependsNeitherOnWorkersNorOnWorldSize) {
  const std::vector<Indices> expected = global_batches(64, 1, 0);
  ASSERT_EQ(expected.size(), 8u);
  for (const int workers : {0, 1, 4})
    for (const int world : {1, 2, 4})
      EXPECT_EQ(global_batches(64, world, workers), expected) << workers << " workers, " << world << " processes";
}

TEST(Sharding, PadsOrDropsAnUnevenEnd) {
  // 21 samples: 2 global batches of 8, 5 left.
  for (const int world : {2, 4}) {
    const auto whole = global_batches(21, 1, 0);
    const auto padded = global_batches(21, world, 1);
    const auto dropped = global_batches(21, world, 1, Uneven::drop);
    ASSERT_EQ(padded.size(), 3u);
    ASSERT_EQ(dropped.size(), 3u);
    EXPECT_EQ(padded[1], whole[1]);
    EXPECT_EQ(padded[2].size(), world == 2 ? 6u : 8u);
    EXPECT_EQ(Indices(padded[2].begin(), padded[2].begin() + 5), whole[2]);
    EXPECT_EQ(padded[2][5], whole[0][0]) << "the order's first samples once more";
    EXPECT_EQ(dropped[2], Indices(whole[2].begin(), whole[2].begin() + 4));
  }
}

TEST(Sharding, ResumesWithAnotherNumberOfProcesses) {
  constexpr std::int64_t sample_count = 64;
  const auto expected = global_batches(sample_count, 1, 0);
  State state;
  {
    DataLoader one(Augmented{sample_count}, {.batch_size = 8, .shuffle = true, .seed = 4});
    int batches = 0;
    for (auto& batch : one)
      if (!batch.empty() && ++batches == 3) {
        state = one.state_dict();
        break;
      }
  }
  std::vector<Indices> rest(5);
  for (int rank = 0; rank < 4; ++rank) {
    DataLoader loader(Augmented{sample_count},
                      {.batch_size = 2, .shuffle = true, .workers = rank, .rank = rank, .world_size = 4});
    loader.load_state_dict(state);
    std::size_t number = 0;
    for (auto& batch : loader) {
      rest.at(number).insert(rest[number].end(), batch.begin(), batch.end());
      ++number;
    }
  }
  EXPECT_EQ(rest, std::vector<Indices>(expected.begin() + 3, expected.end()));
}

TEST(Sharding, RefusesAPlaceOutsideTheWorld) {
  EXPECT_CONTAINS(message_of<ValueError>([] { DataLoader(Augmented{4}, {.rank = 2, .world_size = 2}); }),
                  "rank must be from 0 to 1, got 2");
  EXPECT_THROW(DataLoader(Augmented{4}, {.world_size = 0}), ValueError);
}

TEST(OutOfOrder, DeliversEverySampleOnceAcrossAResume) {
  for (int stop = 1; stop <= 9; stop += 2) {
    const LoaderOptions options{
        .batch_size = 3, .shuffle = true, .workers = 3, .prefetch = 2, .seed = 1, .in_order = false};
    Indices seen;
    State state;
    {
      DataLoader loader(Augmented{30}, options);
      int batches = 0;
      for (auto& batch : loader) {
        seen.insert(seen.end(), batch.begin(), batch.end());
        if (++batches == stop) {
          state = loader.state_dict();
          break;
        }
      }
    }
    DataLoader loader(Augmented{30}, options);
    loader.load_state_dict(state);
    for (auto& batch : loader) seen.insert(seen.end(), batch.begin(), batch.end());
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), 30u);
    for (std::int64_t i = 0; i < 30; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)] / 1000, i);
  }
}

TEST(OutOfOrder, AResumeFillsTheGapsThatAStateHas) {
  DataLoader loader(Augmented{12}, {.batch_size = 2});
  State state = loader.state_dict();
  state.set_integer("delivered", 2);
  state.set_text("delivered_ranges", "0-2,4-6,9-10");
  loader.load_state_dict(state);
  Indices seen;
  int batches = 0;
  for (auto& batch : loader) {
    for (const std::int64_t value : batch) seen.push_back(value / 1000);
    if (++batches == 2) {
      EXPECT_EQ(loader.state_dict().text("delivered_ranges"), "0-8,9-10");
    }
  }
  EXPECT_EQ(seen, (Indices{2, 3, 6, 7, 8, 10, 11}));

  for (const char* bad : {"0-2,", "5", "0-2,a-b", "0-2;4-5", "2-0", "-1-3", "1-2"}) {
    state.set_text("delivered_ranges", bad);
    EXPECT_THROW(loader.load_state_dict(state), ValueError) << bad;
  }
}

TEST(PositionSet, MergesRanges) {
  detail::PositionSet set;
  set.add(4, 2);
  set.add(0, 2);
  EXPECT_EQ(set.text(), "0-2,4-6");
  EXPECT_EQ(set.prefix(), 2);
  set.add(6, 1);
  set.add(2, 2);
  EXPECT_EQ(set.text(), "0-7");
  set.add(9, 3);
  set.add(3, 20);
  EXPECT_EQ(set.text(), "0-23");
  EXPECT_TRUE(set.contains(22));
  EXPECT_FALSE(set.contains(23));
}

TEST(PriorityOrder, HighPrioritySamplesLeaveFirst) {
  for (const int workers : {0, 1, 4}) {
    Priorities hard(10);
    hard.set(7, 2.5);
    hard.set(3, 1);
    DataLoader loader(Augmented{10}, {.batch_size = 4, .priorities = hard, .workers = workers});
    const auto epoch = [&](const auto& during) {
      Indices order;
      for (auto& batch : loader) {
        for (const std::int64_t value : batch) order.push_back(value / 1000);
        during();
      }
      return order;
    };
    EXPECT_EQ(epoch([&] { hard.set(9, 100); }), (Indices{7, 3, 0, 1, 2, 4, 5, 6, 8, 9}))
        << "changes count from the next epoch on";
    EXPECT_EQ(epoch([&] { hard.set(9, -1); }), (Indices{9, 7, 3, 0, 1, 2, 4, 5, 6, 8}));
    EXPECT_EQ(epoch([] {}), (Indices{7, 3, 0, 1, 2, 4, 5, 6, 8, 9}));
  }
}

TEST(PriorityOrder, IsPartOfTheState) {
  const auto options = [](const Priorities& p) {
    return LoaderOptions{.batch_size = 2, .shuffle = true, .priorities = p, .seed = 6};
  };
  Priorities hard(9);
  hard.set(tensor<std::int64_t>({4, 2}), tensor<float>({3, 8}));
  DataLoader a(Augmented{9}, options(hard));
  Indices straight, resumed;
  State state;
  int batches = 0;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& batch : a) {
      straight.insert(straight.end(), batch.begin(), batch.end());
      hard.set(batches % 9, 10 + batches);
      if (++batches == 3) {
        state = a.state_dict();
        resumed = straight;
      }
    }
  Priorities other(9);
  DataLoader b(Augmented{9}, options(other));
  b.load_state_dict(state);
  batches = 3;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& batch : b) {
      resumed.insert(resumed.end(), batch.begin(), batch.end());
      other.set(batches % 9, 10 + batches);
      ++batches;
    }
  EXPECT_EQ(resumed, straight);
  EXPECT_EQ(straight[0] / 1000, 2);
  EXPECT_EQ(straight[1] / 1000, 4);
  EXPECT_THROW(DataLoader(Augmented{8}, options(other)), ValueError);
  EXPECT_THROW(hard.set(9, 1), IndexError);
  EXPECT_THROW(hard.set(0, __builtin_nan("")), ValueError);
}

TEST(PriorityOrder, ADatasetMayAskForIt) {
  struct Asking : Augmented {
    Priorities wanted{3};
    Priorities priorities() const { return wanted; }
  };
  Asking dataset{{3}, Priorities(3)};
  dataset.wanted.set(2, 1);
  DataLoader loader(dataset, {.batch_size = 3});
  for (auto& batch : loader) EXPECT_EQ(batch[0] / 1000, 2);
}

}  // namespace
}  // namespace minima::data::loader_shard_test
