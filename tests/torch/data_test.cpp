#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace minima::data_test {

using namespace torch::data;

struct Numbers : datasets::Dataset<Numbers, int> {
  explicit Numbers(size_t count) : count(count) {}
  int get(size_t index) override {
    if (index == 40) throw 40;
    return static_cast<int>(index);
  }
  std::optional<size_t> size() const override { return count; }
  size_t count;
};

TEST(Loader, WorkersVisitEverySampleOnceInOrder) {
  auto loader = make_data_loader<samplers::SequentialSampler>(Numbers(37), DataLoaderOptions(4).workers(3).max_jobs(5));
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<int> seen;
    for (const std::vector<int>& batch : *loader) seen.insert(seen.end(), batch.begin(), batch.end());
    std::vector<int> all(37);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
  }
}

TEST(Loader, WorkersExceptionsNeedNotBeStandardOnes) {
  auto loader = make_data_loader<samplers::SequentialSampler>(Numbers(48), DataLoaderOptions(8).workers(2));
  try {
    for (const auto& batch : *loader) EXPECT_NE(batch.at(0), 40);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const WorkerException& error) {
    EXPECT_THROW(std::rethrow_exception(error.original_exception), int);
  }
}

struct Chunks : datasets::ChunkDataReader<int> {
  using BatchType = std::vector<int>;
  BatchType read_chunk(size_t index) override { return BatchType(5, static_cast<int>(index)); }
  size_t chunk_count() override { return 3; }
  void reset() override {}
};

TEST(ChunkDataset, AfterALoadedEpochComesAWholeOne) {
  using Dataset = datasets::ChunkDataset<Chunks, samplers::SequentialSampler, samplers::SequentialSampler>;
  samplers::SequentialSampler sampler(3);
  sampler.next(2);
  std::stringstream saved;
  torch::save(sampler, saved);
  auto dataset = datasets::make_shared_dataset<Dataset>(
      Chunks(), samplers::SequentialSampler(3), samplers::SequentialSampler(0), datasets::ChunkDatasetOptions(1, 5, 5));
  torch::load(*dataset, saved);
  auto loader = make_data_loader(dataset, DataLoaderOptions(5));
  EXPECT_EQ(std::distance(loader->begin(), loader->end()), 1);
  EXPECT_EQ(std::distance(loader->begin(), loader->end()), 3);
}

void write_idx(const std::filesystem::path& path, const std::vector<int>& header, const std::string& values) {
  std::ofstream file(path, std::ios::binary);
  for (const int number : header)
    for (int shift = 24; shift >= 0; shift -= 8) file.put(static_cast<char>(number >> shift));
  file << values;
}

TEST(MNIST, ScalesImagesAndStacksBatches) {
  const test::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  write_idx(folder / "t10k-images-idx3-ubyte", {0x803, 2, 28, 28}, std::string(784, '\xff') + std::string(784, '\0'));
  write_idx(folder / "t10k-labels-idx1-ubyte", {0x801, 2}, "\x07\x02");
  auto dataset = datasets::MNIST(folder.string(), datasets::MNIST::Mode::kTest)
                     .map(transforms::Normalize<>(0.5, 0.25))
                     .map(transforms::Stack<>());
  auto loader = make_data_loader<samplers::SequentialSampler>(std::move(dataset), 2);
  const Example<> batch = *loader->begin();
  EXPECT_EQ(batch.data.sizes(), (std::vector<int64_t>{2, 1, 28, 28}));
  EXPECT_EQ(batch.data[0][0][3][4].item<float>(), 2);
  EXPECT_EQ(batch.data[1][0][3][4].item<float>(), -2);
  EXPECT_EQ(batch.target.dtype(), torch::kInt64);
  EXPECT_EQ(batch.target[0].item<int>(), 7);
  EXPECT_THROW(datasets::MNIST("/nowhere"), c10::Error);
}

}  // namespace minima::data_test
