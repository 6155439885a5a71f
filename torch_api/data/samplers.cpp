#include <torch/data/samplers.h>
#include <torch/serialize/archive.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace torch::data::samplers {

namespace {

void save_number(serialize::OutputArchive& archive, const char* name, size_t value) {
  archive.write(name, torch::tensor(static_cast<int64_t>(value)), /*is_buffer=*/true);
}
size_t load_number(serialize::InputArchive& archive, const char* name) {
  Tensor value;
  archive.read(name, value, /*is_buffer=*/true);
  return static_cast<size_t>(value.item<int64_t>());
}

std::vector<size_t> counting_from(size_t first, size_t count) {
  std::vector<size_t> indices(count);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

}  // namespace

RandomSampler::RandomSampler(int64_t size, Dtype index_dtype) : indices_(torch::randperm(size, index_dtype)) {}
RandomSampler::~RandomSampler() = default;

void RandomSampler::reset(std::optional<size_t> new_size) {
  const int64_t size = new_size ? static_cast<int64_t>(*new_size) : indices_.numel();
  indices_ = torch::randperm(size, indices_.options());
  index_ = 0;
}

std::optional<std::vector<size_t>> RandomSampler::next(size_t batch_size) {
  const int64_t end = std::min(index_ + static_cast<int64_t>(batch_size), indices_.numel());
  if (index_ == end) return std::nullopt;
  const std::vector<int64_t> batch = indices_.slice(0, index_, end).native().to_vector<int64_t>();
  index_ = end;
  return std::vector<size_t>(batch.begin(), batch.end());
}

void RandomSampler::save(serialize::OutputArchive& archive) const {
  save_number(archive, "index", index());
  archive.write("indices", indices_, /*is_buffer=*/true);
}
void RandomSampler::load(serialize::InputArchive& archive) {
  index_ = static_cast<int64_t>(load_number(archive, "index"));
  archive.read("indices", indices_, /*is_buffer=*/true);
}

void SequentialSampler::reset(std::optional<size_t> new_size) {
  size_ = new_size.value_or(size_);
  index_ = 0;
}

std::optional<std::vector<size_t>> SequentialSampler::next(size_t batch_size) {
  const size_t count = std::min(batch_size, size_ - std::min(index_, size_));  // a loaded index may be past the end
  if (count == 0) return std::nullopt;
  index_ += count;
  return counting_from(index_ - count, count);
}

void SequentialSampler::save(serialize::OutputArchive& archive) const { save_number(archive, "index", index_); }
void SequentialSampler::load(serialize::InputArchive& archive) { index_ = load_number(archive, "index"); }

void StreamSampler::reset(std::optional<size_t> new_size) {
  epoch_size_ = new_size.value_or(epoch_size_);
  examples_retrieved_so_far_ = 0;
}

std::optional<BatchSize> StreamSampler::next(size_t batch_size) {
  const size_t count = std::min(batch_size, epoch_size_ - examples_retrieved_so_far_);
  if (count == 0) return std::nullopt;
  examples_retrieved_so_far_ += count;
  return BatchSize(count);
}

void StreamSampler::save(serialize::OutputArchive& archive) const {
  save_number(archive, "examples_retrieved_so_far", examples_retrieved_so_far_);
}
void StreamSampler::load(serialize::InputArchive& archive) {
  examples_retrieved_so_far_ = load_number(archive, "examples_retrieved_so_far");
}

DistributedRandomSampler::DistributedRandomSampler(size_t size, size_t num_replicas, size_t rank, bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  DistributedRandomSampler::reset(size);
}

void DistributedRandomSampler::reset(std::optional<size_t> new_size) {
  size_ = new_size.value_or(size_);
  const size_t count = local_sample_count();
  all_indices_ = counting_from(0, num_replicas_ == 1 ? size_ : count * num_replicas_);
  for (size_t i = size_; i < all_indices_.size(); ++i) all_indices_[i] -= size_;
  std::mt19937 engine(static_cast<std::mt19937::result_type>(epoch_));
  std::shuffle(all_indices_.begin(), all_indices_.end(), engine);
  sample_index_ = rank_ * count;
  end_index_ = sample_index_ + count;
}

std::optional<std::vector<size_t>> DistributedRandomSampler::next(size_t batch_size) {
  const size_t count = std::min(batch_size, end_index_ - sample_index_);
  if (count == 0) return std::nullopt;
  const auto first = all_indices_.begin() + static_cast<std::ptrdiff_t>(sample_index_);
  sample_index_ += count;
  return std::vector<size_t>(first, first + static_cast<std::ptrdiff_t>(count));
}

void DistributedRandomSampler::save(serialize::OutputArchive& archive) const {
  save_number(archive, "sample_index_", sample_index_);
  save_number(archive, "epoch_", epoch_);
}
void DistributedRandomSampler::load(serialize::InputArchive& archive) {
  epoch_ = load_number(archive, "epoch_");
  reset(size_);
  sample_index_ = load_number(archive, "sample_index_");
}

DistributedSequentialSampler::DistributedSequentialSampler(size_t size, size_t num_replicas, size_t rank,
                                                           bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  DistributedSequentialSampler::reset(size);
}

void DistributedSequentialSampler::reset(std::optional<size_t> new_size) {
  size_ = new_size.value_or(size_);
  sample_index_ = rank_ * local_sample_count();
  end_index_ = sample_index_ + local_sample_count();
}

std::optional<std::vector<size_t>> DistributedSequentialSampler::next(size_t batch_size) {
  const size_t count = std::min(batch_size, end_index_ - sample_index_);
  if (count == 0) return std::nullopt;
  std::vector<size_t> indices = counting_from(sample_index_, count);
  for (size_t& index : indices) index %= size_;  // of duplicates
  sample_index_ += count;
  return indices;
}

void DistributedSequentialSampler::save(serialize::OutputArchive& archive) const {
  save_number(archive, "sample_index_", sample_index_);
}
void DistributedSequentialSampler::load(serialize::InputArchive& archive) {
  sample_index_ = load_number(archive, "sample_index_");
}

}  // namespace torch::data::samplers
