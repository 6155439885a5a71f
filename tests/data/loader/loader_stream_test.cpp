#include <minima/data/loader/loader.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <atomic>
#include <memory>
#include <thread>

namespace minima::data::loader_stream_test {
namespace {

using minima::test::message_of;
using Indices = std::vector<std::int64_t>;

/// Counts up to a number; its samples are drawn with their own randomness.
struct Counting {
  std::int64_t count = 0;
  std::int64_t broken = -1;
  std::shared_ptr<std::atomic<std::int64_t>> reads = std::make_shared<std::atomic<std::int64_t>>(0);
  struct Stream {
    using Record = std::int64_t;
    std::int64_t at, end;
    std::shared_ptr<std::atomic<std::int64_t>> reads;
    bool next(Record& record) {
      if (at >= end) return false;
      ++*reads;
      record = at++;
      return true;
    }
    void skip(std::int64_t records) { at += records; }
  };
  Stream open(const FetchContext& context) const {
    const auto shift = static_cast<std::int64_t>(context.epoch) * 100;
    return {shift, shift + count, reads};
  }
  std::int64_t decode(std::int64_t& record, RandomStream random) const {
    if (record == broken) throw FormatError("shard.tar: byte 512: bad record");
    if (record % 3 == 0) std::this_thread::yield();
    return record * 1000 + random.below(1000);
  }
};

template <class Loader>
std::vector<Indices> batches_of(Loader& loader) {
  std::vector<Indices> batches;
  for (auto& batch : loader) batches.push_back(batch.template to_vector<std::int64_t>());
  return batches;
}

TEST(StreamLoader, OrderDependsNeitherOnWorkersNorOnWorldSize) {
  DataLoader plain(Counting{40}, {.batch_size = 8, .seed = 3});
  const auto expected = batches_of(plain), second = batches_of(plain);
  ASSERT_EQ(expected.size(), 5u);
  EXPECT_EQ(expected[4][7] / 1000, 39);
  EXPECT_EQ(second[0][0] / 1000, 100);
  for (const int workers : {1, 2, 4})
    for (const int world : {1, 2, 4}) {
      std::vector<Indices> global(5);
      for (int rank = 0; rank < world; ++rank) {
        DataLoader loader(Counting{40},
                          {.batch_size = 8 / world, .workers = workers, .seed = 3, .rank = rank, .world_size = world});
        const auto mine = batches_of(loader);
        ASSERT_EQ(mine.size(), 5u);
        for (std::size_t i = 0; i < 5; ++i) global[i].insert(global[i].end(), mine[i].begin(), mine[i].end());
      }
      EXPECT_EQ(global, expected) << workers << " workers, " << world << " processes";
    }
}

TEST(StreamLoader, EndsWithAShortBatch) {
  for (const int workers : {0, 3}) {
    DataLoader loader(Counting{10}, {.batch_size = 4, .workers = workers});
    EXPECT_EQ(batches_of(loader).back().size(), 2u);
    EXPECT_EQ(loader.epoch(), 1u);
    DataLoader drops(Counting{10}, {.batch_size = 4, .workers = workers, .drop_last = true});
    EXPECT_EQ(batches_of(drops).size(), 2u);
    DataLoader none(Counting{0}, {.batch_size = 4, .workers = workers});
    EXPECT_TRUE(batches_of(none).empty());
    DataLoader padded(Counting{11}, {.batch_size = 4, .workers = workers, .rank = 1, .world_size = 2});
    EXPECT_EQ(batches_of(padded).back().size(), 2u) << "3 left for 2 processes: one comes twice";
    DataLoader dropped(Counting{11},
                       {.batch_size = 4, .workers = workers, .rank = 1, .world_size = 2, .uneven = Uneven::drop});
    EXPECT_EQ(batches_of(dropped).back().size(), 1u);
  }
}

TEST(StreamLoader, ResumesWithTheVeryNextRecord) {
  DataLoader straight(Counting{30}, {.batch_size = 4, .seed = 9});
  std::vector<Indices> expected;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& batch : batches_of(straight)) expected.push_back(batch);
  for (const int workers : {0, 1, 4})
    for (std::size_t stop = 1; stop < 9; ++stop) {
      std::vector<Indices> seen;
      State state;
      {
        DataLoader loader(Counting{30}, {.batch_size = 4, .workers = workers, .seed = 9});
        while (seen.size() < stop)
          for (auto& batch : loader) {
            seen.push_back(batch.to_vector<std::int64_t>());
            if (seen.size() == stop) {
              state = loader.state_dict();
              break;
            }
          }
      }
      DataLoader loader(Counting{30}, {.batch_size = 4, .workers = (workers + 2) % 3});
      loader.load_state_dict(state);
      while (loader.epoch() < 2)
        for (auto& batch : batches_of(loader)) seen.push_back(batch);
      EXPECT_EQ(seen, expected) << workers << " workers, stopped after " << stop;
    }
}

TEST(StreamLoader, ReadsNoFurtherThanItsSlots) {
  DataLoader loader(Counting{1000}, {.batch_size = 2, .workers = 2, .prefetch = 2});
  const auto reads = loader.dataset().reads;
  auto batch = loader.begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LE(*reads, 2 * (1 + 2 * 2));
}

TEST(StreamLoader, FaultsNameThePositionAndCanBeSkipped) {
  for (const int workers : {0, 2}) {
    DataLoader loader(Counting{20, 6}, {.batch_size = 4, .workers = workers});
    const std::string message = message_of<FormatError>([&] { batches_of(loader); });
    EXPECT_CONTAINS(message, "record 6 of the stream");
    EXPECT_CONTAINS(message, "batch 1 of epoch 0");
    DataLoader skipping(Counting{20, 6}, {.batch_size = 4, .workers = workers, .on_error = OnError::skip});
    const auto batches = batches_of(skipping);
    ASSERT_EQ(batches.size(), 5u);
    EXPECT_EQ(batches[1].size(), 3u);
    EXPECT_EQ(skipping.stats().skipped, 1);
  }
}

TEST(StreamLoader, RefusesWhatNeedsIndices) {
  EXPECT_CONTAINS(message_of<ValueError>([] { DataLoader(Counting{3}, {.shuffle = true}); }), "is a stream");
  EXPECT_THROW(DataLoader(Counting{3}, {.in_order = false}), ValueError);
  DataLoader loader(Counting{3}, {});
  EXPECT_THROW(loader.batches(), ValueError);
}

}  // namespace
}  // namespace minima::data::loader_stream_test
