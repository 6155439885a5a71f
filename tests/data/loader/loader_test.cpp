#include <minima/data/loader/loader.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/threads/parallel.h>

#include "tests/support/temporary_folder.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace minima::data::loader_test {
namespace {

using minima::test::message_of;
using Indices = std::vector<std::int64_t>;
using std::chrono::milliseconds;

/// Returns the requested indices and counts calls.
struct Counters {
  std::atomic<int> fetches{0}, running{0}, most_running{0};
};
struct Echo {
  std::int64_t count = 100;
  milliseconds delay{0};
  std::shared_ptr<Counters> counters = std::make_shared<Counters>();

  std::int64_t size() const { return count; }
  Indices fetch(std::span<const std::int64_t> indices) const {
    const int running = ++counters->running;
    for (int most = counters->most_running;
         most < running && !counters->most_running.compare_exchange_weak(most, running);) {}
    ++counters->fetches;
    if (delay.count()) std::this_thread::sleep_for(delay);
    --counters->running;
    return {indices.begin(), indices.end()};
  }
};

template <class Loader>
Indices collect(Loader& loader) {
  Indices all;
  for (auto& batch : loader) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

TEST(DataLoader, DeliversEverySampleInOrder) {
  for (const int workers : {0, 1, 3}) {
    DataLoader loader(Echo{.count = 10}, {.batch_size = 4, .workers = workers});
    std::vector<Indices> batches;
    for (auto& batch : loader) batches.push_back(batch);
    EXPECT_EQ(batches, (std::vector<Indices>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}})) << workers;
    EXPECT_EQ(loader.batches(), 3);
  }
}

TEST(DataLoader, DropsAnIncompleteBatch) {
  DataLoader loader(Echo{.count = 10}, {.batch_size = 4, .drop_last = true});
  EXPECT_EQ(collect(loader).size(), 8u);
  EXPECT_EQ(loader.batches(), 2);
}

TEST(DataLoader, TakesEmptyAndTinyDatasets) {
  for (const int workers : {0, 2}) {
    DataLoader none(Echo{.count = 0}, {.batch_size = 4, .workers = workers});
    EXPECT_TRUE(collect(none).empty());
    EXPECT_EQ(none.epoch(), 1u);
    DataLoader tiny(Echo{.count = 1}, {.batch_size = 4, .workers = workers});
    EXPECT_EQ(collect(tiny), (Indices{0}));
  }
}

TEST(DataLoader, OrderDependsOnSeedAndEpochAlone) {
  for (const int workers : {0, 1, 4}) {
    DataLoader loader(Echo{}, {.batch_size = 7, .shuffle = true, .workers = workers, .seed = 5});
    EXPECT_EQ(collect(loader), permutation(100, 5, 0)) << workers;
    EXPECT_EQ(collect(loader), permutation(100, 5, 1)) << workers;
    loader.set_epoch(9);
    EXPECT_EQ(collect(loader), permutation(100, 5, 9)) << workers;
    EXPECT_EQ(loader.epoch(), 10u);
  }
}

TEST(DataLoader, UsesASamplerAndChecksIt) {
  DataLoader loader(Echo{}, {.batch_size = 2, .sampler = [](std::uint64_t epoch) {
                               return Indices{1, 1, static_cast<std::int64_t>(epoch) * 60};
                             }});
  EXPECT_EQ(loader.batches(), 2);
  EXPECT_EQ(collect(loader), (Indices{1, 1, 0}));
  EXPECT_EQ(collect(loader), (Indices{1, 1, 60}));
  EXPECT_CONTAINS(message_of<IndexError>([&] { collect(loader); }), "index 120, but the dataset has 100");
}

TEST(DataLoader, FetchesAheadButNotWithoutBound) {
  DataLoader loader(Echo{}, {.batch_size = 1, .workers = 2, .prefetch = 3});
  const auto counters = loader.dataset().counters;
  const auto expect_settled_at = [&](int fetches) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (counters->fetches < fetches && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(counters->fetches, fetches);
  };
  auto batch = loader.begin();
  expect_settled_at(1 + 2 * 3);  // the delivered batch and six ahead
  ++batch;
  expect_settled_at(2 + 2 * 3);
}

TEST(DataLoader, WorkersOverlapAndRunOneThreadEach) {
  struct Threads {
    std::int64_t size() const { return 4; }
    int fetch(std::span<const std::int64_t>) const { return num_threads(); }
  };
  DataLoader threads(Threads{}, {.workers = 2});
  for (auto& count : threads) EXPECT_EQ(count, 1);

  DataLoader loader(Echo{.count = 12, .delay = milliseconds(20)}, {.batch_size = 1, .workers = 4});
  collect(loader);
  EXPECT_GE(loader.dataset().counters->most_running, 2);
  EXPECT_LE(loader.dataset().counters->most_running, 4);
}

TEST(DataLoader, LeavingTheLoopEarlyEndsTheWorkersWork) {
  DataLoader loader(Echo{.delay = milliseconds(5)}, {.batch_size = 1, .shuffle = true, .workers = 2, .seed = 1});
  const auto counters = loader.dataset().counters;
  for (auto& batch : loader) {
    EXPECT_EQ(batch[0], permutation(100, 1, 0)[0]);
    break;
  }
  EXPECT_EQ(counters->running, 0);
  const int fetches = counters->fetches;
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(counters->fetches, fetches);
  EXPECT_EQ(collect(loader), permutation(100, 1, 1)) << "the next loop is the next epoch";
}

TEST(DataLoader, IsDestroyedInTheMiddleOfAnEpoch) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    DataLoader loader(Echo{.count = 100'000, .delay = milliseconds(1)}, {.batch_size = 1, .workers = 3});
    for (auto& batch : loader)
      if (batch[0] == i % 4) break;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

/// Throws for one sample.
struct Faulty {
  bool foreign = false;
  std::int64_t size() const { return 40; }
  Indices fetch(std::span<const std::int64_t> indices) const {
    for (const std::int64_t index : indices) {
      if (index == 13 && foreign) throw std::runtime_error("disk on fire");
      if (index == 13) throw FormatError("image.png: byte 7: bad chunk");
    }
    return {indices.begin(), indices.end()};
  }
};

TEST(DataLoader, ExceptionsReachTheLoopWithTheirSamplesWhenTheirTurnComes) {
  for (const int workers : {0, 1, 4}) {
    DataLoader loader(Faulty{}, {.batch_size = 4, .workers = workers});
    for (int attempt = 0; attempt < 3; ++attempt) {
      int delivered = 0;
      const std::string message = message_of<FormatError>([&] {
        for (auto& batch : loader) delivered += static_cast<int>(batch.size());
      });
      EXPECT_EQ(delivered, 12) << "everything before the failed batch arrives";
      EXPECT_CONTAINS(message, "image.png: byte 7: bad chunk");
      EXPECT_CONTAINS(message, "batch 3 of epoch " + std::to_string(attempt) + ", samples [12, 13, 14, 15]");
      EXPECT_EQ(loader.state_dict().integer("delivered"), 12);
    }
  }
}

TEST(DataLoader, ForeignExceptionsArriveNested) {
  DataLoader loader(Faulty{.foreign = true}, {.batch_size = 20, .workers = 2});
  try {
    collect(loader);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_CONTAINS(error.what(), "disk on fire");
    EXPECT_CONTAINS(error.what(), "samples [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, … 4 more]");
    EXPECT_THROW(std::rethrow_if_nested(error), std::runtime_error);
  }
}

TEST(DataLoader, ResumesWithTheVeryNextSampleAtAnyPoint) {
  constexpr std::int64_t sample_count = 23;
  Indices straight;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch)
    for (const std::int64_t index : permutation(sample_count, 3, epoch)) straight.push_back(index);
  const LoaderOptions options{.batch_size = 4, .shuffle = true, .seed = 3};

  for (const int workers : {0, 1, 4})
    for (std::size_t stop = 1; stop <= 17; ++stop) {
      LoaderOptions first = options, second = options;
      first.workers = workers;
      second.workers = (workers + 1) % 3;
      second.seed = 77;  // overwritten by the state
      Indices seen;
      State state;
      {
        DataLoader loader(Echo{.count = sample_count}, first);
        for (std::size_t batches = 0; batches < stop;)
          for (auto& batch : loader) {
            seen.insert(seen.end(), batch.begin(), batch.end());
            if (++batches == stop) {
              state = loader.state_dict();
              break;
            }
          }
      }
      DataLoader loader(Echo{.count = sample_count}, second);
      loader.load_state_dict(state);
      while (loader.epoch() < 3)
        for (auto& batch : loader) seen.insert(seen.end(), batch.begin(), batch.end());
      EXPECT_EQ(seen, straight) << "workers " << workers << ", after " << stop << " batches";
    }
}

TEST(DataLoader, ResumesWithAnotherBatchSize) {
  DataLoader a(Echo{.count = 10}, {.batch_size = 4});
  State state;
  for (auto& batch : a) {
    EXPECT_EQ(batch.size(), 4u);
    state = a.state_dict();
    break;
  }
  DataLoader b(Echo{.count = 10}, {.batch_size = 5});
  b.load_state_dict(state);
  std::vector<Indices> batches;
  for (auto& batch : b) batches.push_back(batch);
  EXPECT_EQ(batches, (std::vector<Indices>{{4, 5, 6, 7, 8}, {9}}));
}

TEST(DataLoader, RefusesAForeignState) {
  DataLoader loader(Echo{.count = 10}, {.shuffle = true});
  DataLoader other_size(Echo{.count = 11}, {.shuffle = true});
  DataLoader other_order(Echo{.count = 10});
  EXPECT_CONTAINS(message_of<ValueError>([&] { loader.load_state_dict(other_size.state_dict()); }),
                  "for a dataset of 11 samples, but this one has 10");
  EXPECT_CONTAINS(message_of<ValueError>([&] { loader.load_state_dict(other_order.state_dict()); }), "\"sequential\"");
  EXPECT_THROW(loader.load_state_dict(State()), ValueError);
}

/// Augments: a sample depends only on its own random stream.
struct Augmented {
  std::int64_t size() const { return 30; }
  std::vector<std::uint32_t> fetch(std::span<const std::int64_t> indices, const FetchContext& context) const {
    std::vector<std::uint32_t> words;
    for (const std::int64_t index : indices) words.push_back(context.random(index).word());
    return words;
  }
};

TEST(DataLoader, AugmentationDependsOnSeedEpochAndSampleAlone) {
  std::vector<std::vector<std::uint32_t>> runs;
  for (const int workers : {0, 1, 4})
    for (const int batch_size : {1, 7}) {
      DataLoader loader(Augmented{}, {.batch_size = batch_size, .workers = workers, .seed = 2});
      std::vector<std::uint32_t> words;
      for (int epoch = 0; epoch < 2; ++epoch)
        for (auto& batch : loader) words.insert(words.end(), batch.begin(), batch.end());
      runs.push_back(words);
    }
  for (const auto& run : runs) EXPECT_EQ(run, runs[0]);
  EXPECT_NE(std::vector(runs[0].begin(), runs[0].begin() + 30), std::vector(runs[0].begin() + 30, runs[0].end()));
}

TEST(DataLoader, BatchesMayBeMoveOnly) {
  struct Boxes {
    std::int64_t size() const { return 5; }
    std::unique_ptr<int> fetch(std::span<const std::int64_t> i) const {
      return std::make_unique<int>(static_cast<int>(i[0]));
    }
  };
  DataLoader loader(Boxes{}, {.workers = 1});
  int sum = 0;
  for (auto& box : loader) sum += *box;
  EXPECT_EQ(sum, 10);
}

TEST(DataLoader, RefusesNonsense) {
  EXPECT_CONTAINS(message_of<ValueError>([] { DataLoader(Echo{}, {.batch_size = 0}); }),
                  "batch_size must be at least 1, got 0");
  EXPECT_THROW(DataLoader(Echo{}, {.workers = -1}), ValueError);
  EXPECT_THROW(DataLoader(Echo{}, {.prefetch = 0}), ValueError);
  EXPECT_THROW(DataLoader(Echo{}, {.shuffle = true, .sampler = sequential_sampler(3)}), ValueError);
  DataLoader loader(Echo{}, {});
  for (auto& batch : loader) {
    (void)batch;
    EXPECT_THROW(loader.begin(), ValueError);
    EXPECT_THROW(loader.set_epoch(1), ValueError);
    EXPECT_THROW(loader.load_state_dict(State()), ValueError);
    break;
  }
}

TEST(DataLoader, ManyEpochsOfATinyDatasetUnderLoad) {
  DataLoader loader(Echo{.count = 6}, {.batch_size = 2, .shuffle = true, .workers = 3});
  std::int64_t batches = 0;
  for (int epoch = 0; epoch < 2000; ++epoch)
    for (auto& batch : loader) batches += static_cast<std::int64_t>(batch.size()) / 2;
  EXPECT_EQ(batches, 6000);
}

TEST(TensorDataset, GathersRowsOfAllTensors) {
  std::vector<float> values(12);
  for (int i = 0; i < 12; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i);
  const Tensor x = from_vector(values, {4, 3});
  const Tensor y = tensor<std::int64_t>({10, 11, 12, 13});
  DataLoader loader(TensorDataset(x, y), {.batch_size = 3, .workers = 1});
  auto it = loader.begin();
  auto& [bx, by] = *it;
  EXPECT_EQ(bx.shape(), (Shape{3, 3}));
  EXPECT_EQ(bx.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(by.to_vector<int>(), (std::vector<int>{10, 11, 12}));
}

TEST(TensorDataset, TakesStridedTensorsAndEmptyRows) {
  std::vector<float> values{0, 1, 2, 3, 4, 5};
  const Tensor transposed = from_blob(values.data(), Layout::contiguous({2, 3}).transposed(0, 1));
  const std::int64_t indices[] = {2, 0};
  EXPECT_EQ(TensorDataset(transposed).fetch(indices)[0].to_vector<float>(), (std::vector<float>{2, 5, 0, 3}));
  EXPECT_EQ(gather_rows(empty({3, 0}), indices).shape(), (Shape{2, 0}));
}

TEST(TensorDataset, RefusesWhatDoesNotFit) {
  const Tensor x = empty({4, 3}), y = empty({5});
  EXPECT_CONTAINS(message_of<ShapeError>([&] { TensorDataset(x, y); }), "float32 [4, 3] and float32 [5]");
  EXPECT_THROW(TensorDataset(scalar_tensor(1)), ShapeError);
  const std::int64_t indices[] = {4};
  EXPECT_CONTAINS(message_of<IndexError>([&] { gather_rows(x, indices); }), "index 4 into 4 rows");
}

}  // namespace
}  // namespace minima::data::loader_test
