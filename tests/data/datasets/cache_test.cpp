#include <minima/data/datasets/cache.h>
#include <minima/data/datasets/text.h>
#include <minima/data/datasets/tokens.h>
#include <minima/data/loader/loader.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/storage/allocator.h>

#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>

namespace minima::data::cache_test {
namespace {

using minima::test::TemporaryFolder;
using Indices = std::vector<std::int64_t>;

struct Expensive {
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
  std::int64_t size() const { return 12; }
  std::pair<Tensor, std::int64_t> get(std::int64_t index) const {
    ++*calls;
    return {tensor<float>({static_cast<float>(index), 1}), 10 * index};
  }
};

TEST(Cache, ComputesEverySampleOnce) {
  Expensive dataset;
  DataLoader loader(cached(dataset), {.batch_size = 4, .shuffle = true, .workers = 3});
  for (int epoch = 0; epoch < 3; ++epoch)
    for (auto& [x, y] : loader)
      for (int i = 0; i < 4; ++i) EXPECT_EQ(x.data<float>()[2 * i] * 10, y.data<std::int64_t>()[i]);
  EXPECT_EQ(*dataset.calls, 12);
}

TEST(Cache, PacksIntoAFile) {
  const TemporaryFolder folder;
  Expensive dataset;
  const std::string path = folder / "packed.safetensors";
  const auto first = packed(dataset, path);
  EXPECT_EQ(*dataset.calls, 12);
  const auto again = packed(dataset, path);
  EXPECT_EQ(*dataset.calls, 12) << "the file is there";
  DataLoader loader(again, {.batch_size = 12});
  for (auto& [x, y] : loader) {
    EXPECT_EQ(x.shape(), (Shape{12, 2}));
    EXPECT_EQ(y.to_vector<int>()[11], 110);
  }
  folder.file("packed.safetensors", test::content_of(path).substr(0, 60));
  EXPECT_THROW(packed(dataset, path), FormatError);
}

TEST(Cache, PackingKeepsNoMoreThanASampleInMemory) {
  const TemporaryFolder folder;
  struct Large {
    std::int64_t size() const { return 60; }
    std::pair<Tensor, std::int64_t> get(std::int64_t index) const {
      Tensor x = empty({1 << 20}, {.dtype = DType::uint8});
      std::fill_n(x.data<std::uint8_t>(), x.numel(), static_cast<std::uint8_t>(index));
      return {x, index};
    }
  };
  const std::int64_t before = memory_stats().allocated;
  reset_peak();
  const auto all = packed(Large{}, folder / "large.safetensors");
  EXPECT_LT(memory_stats().peak_allocated - before, std::int64_t{8} << 20) << "of 60 MiB";
  const auto [x, y] = all.fetch(Indices{59, 7});
  EXPECT_EQ(x.data<std::uint8_t>()[0], 59);
  EXPECT_EQ(x.data<std::uint8_t>()[x.numel() - 1], 7);
  EXPECT_EQ(y.to_vector<int>(), (std::vector<int>{59, 7}));
}

TEST(Cache, PackingRefusesSamplesThatDiffer) {
  const TemporaryFolder folder;
  struct Odd {
    std::int64_t size() const { return 4; }
    std::pair<Tensor, std::int64_t> get(std::int64_t index) const { return {empty({index == 2 ? 3 : 2}), index}; }
  };
  EXPECT_CONTAINS(minima::test::message_of<ShapeError>([&] { packed(Odd{}, folder / "odd"); }), "field 0 of sample 2");
  EXPECT_TRUE(folder.names().empty()) << "nothing half done stays";
}

TEST(BucketSampler, KeepsLengthsTogetherAndEverySampleOnce) {
  std::vector<std::int64_t> lengths;
  RandomStream random(1);
  for (int i = 0; i < 1003; ++i) lengths.push_back(random.below(500));
  const Sampler sampler = bucket_sampler(lengths, 10, 7);
  const Indices order = sampler.order(0);
  Indices sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t i = 0; i < 1003; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
  const auto padding = [&](const Indices& o) {
    std::int64_t total = 0;
    for (std::size_t first = 0; first + 10 <= o.size(); first += 10) {
      std::int64_t longest = 0, sum = 0;
      for (std::size_t i = first; i < first + 10; ++i) {
        longest = std::max(longest, lengths[static_cast<std::size_t>(o[i])]);
        sum += lengths[static_cast<std::size_t>(o[i])];
      }
      total += 10 * longest - sum;
    }
    return total;
  };
  EXPECT_LT(padding(order) * 10, padding(shuffling_sampler(1003, 7).order(0))) << "a tenth of the padding";
  EXPECT_EQ(sampler.order(0), order);
  EXPECT_NE(sampler.order(1), order);
  EXPECT_THROW(bucket_sampler(lengths, 0, 1), ValueError);
}

TEST(MixtureSampler, HasTheSharesAtEveryPoint) {
  const Sampler sampler = mixture_sampler({10, 1000, 5}, {3, 1, 0}, 400, 2);
  const Indices order = sampler.order(0);
  ASSERT_EQ(order.size(), 400u);
  int from_first = 0;
  std::map<std::int64_t, int> seen;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_LT(order[i], 1010);
    from_first += order[i] < 10;
    ++seen[order[i]];
    EXPECT_NEAR(from_first, 0.75 * static_cast<double>(i + 1), 1.01) << i;
  }
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(seen[i], 30) << "a small dataset comes again and again, evenly";
  for (const auto& [index, count] : seen)
    if (index >= 10) {
      EXPECT_EQ(count, 1);
    }
  EXPECT_EQ(sampler.order(0), order);
  EXPECT_NE(sampler.order(1), order);
  EXPECT_THROW(mixture_sampler({1}, {0}, 4, 0), ValueError);
  EXPECT_THROW(mixture_sampler({0, 1}, {1, 1}, 4, 0), ValueError);
  EXPECT_THROW(mixture_sampler({1}, {1, 1}, 4, 0), ValueError);
}

TEST(TextLines, GivesLinesWithoutTheirEnds) {
  const TemporaryFolder folder;
  const TextLines lines(folder.file("t.txt", "first\r\n\nthird without end"));
  ASSERT_EQ(lines.size(), 3);
  EXPECT_EQ(lines.get(0), "first");
  EXPECT_EQ(lines.get(1), "");
  EXPECT_EQ(lines.get(2), "third without end");
  EXPECT_EQ(lines.describe(2), folder / "t.txt:3");
  EXPECT_THROW(lines.get(3), IndexError);
  EXPECT_EQ(TextLines(folder.file("e.txt", "")).size(), 0);
  DataLoader loader(lines, {.batch_size = 2});
  for (auto& batch : loader) {
    EXPECT_EQ(batch, (std::vector<std::string>{"first", ""}));
    break;
  }
}

TEST(TokenFile, TakesAnyFileAsBytes) {
  const TemporaryFolder folder;
  const TokenDataset corpus(TokenFile::of_bytes(folder.file("t.txt", "abcde\xff")), 2);
  const std::int64_t indices[] = {1};
  const auto [x, y] = corpus.fetch(indices);
  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{'c', 'd'}));
  EXPECT_EQ(y.to_vector<int>(), (std::vector<int>{'d', 'e'}));
  const auto last = TokenDataset(TokenFile::of_bytes(folder / "t.txt"), 1).fetch(std::array<std::int64_t, 1>{4});
  EXPECT_EQ(last[1].item<int>(), 255);
}

}  // namespace
}  // namespace minima::data::cache_test
