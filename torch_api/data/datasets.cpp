#include <minima/data/datasets/idx.h>
#include <minima/minima.h>
#include <torch/data.h>

#include <filesystem>

namespace torch::data {

Example<> transforms::Stack<Example<>>::apply_batch(std::vector<Example<>> examples) {
  std::vector<Tensor> data, targets;
  data.reserve(examples.size());
  targets.reserve(examples.size());
  for (Example<>& example : examples) {
    data.push_back(std::move(example.data));
    targets.push_back(std::move(example.target));
  }
  return {torch::stack(data), torch::stack(targets)};
}

TensorExample transforms::Stack<TensorExample>::apply_batch(std::vector<TensorExample> examples) {
  std::vector<Tensor> data;
  data.reserve(examples.size());
  for (TensorExample& example : examples) data.push_back(std::move(example.data));
  return torch::stack(data);
}

Tensor transforms::detail::per_channel(ArrayRef<double> numbers) {
  const std::vector<float> values(numbers.begin(), numbers.end());
  return minima::from_vector(values, {static_cast<int64_t>(values.size()), 1, 1});
}
Tensor transforms::detail::normalized(const Tensor& input, const Tensor& mean, const Tensor& stddev) {
  return (input - mean) / stddev;
}

namespace datasets {

TensorDataset::TensorDataset(const std::vector<Tensor>& tensors) : TensorDataset(torch::stack(tensors)) {}
TensorExample TensorDataset::get(size_t index) { return tensor[static_cast<int64_t>(index)]; }
std::optional<size_t> TensorDataset::size() const { return static_cast<size_t>(tensor.size(0)); }

ChunkDatasetOptions::ChunkDatasetOptions(size_t preloader_count, size_t batch_size, size_t cache_size,
                                         size_t cross_chunk_shuffle_count)
    : preloader_count_(preloader_count),
      batch_size_(batch_size),
      cache_size_(cache_size),
      cross_chunk_shuffle_count_(cross_chunk_shuffle_count) {
  TORCH_CHECK(preloader_count > 0, "Preloader count is 0. At least one preloader needs to be specified.");
  TORCH_CHECK(batch_size > 0, "Batch size is 0. A positive batch size needs to be specified.");
  TORCH_CHECK(cache_size > 0, "Cache size is 0. A positive cache size needs to be specified.");
  TORCH_CHECK(cache_size >= batch_size,
              "Cache size is less than batch size. Cache needs to be large enough to hold at least one batch.");
  TORCH_CHECK(cross_chunk_shuffle_count > 0, "cross_chunk_shuffle_count needs to be greater than 0.");
}

namespace {

minima::Tensor read(const std::string& root, const char* kind, const std::string& name) {
  const std::string path = (std::filesystem::path(root) / name).string();
  for (const char* end : {"", ".gz"})
    if (std::filesystem::exists(path + end)) return minima::data::read_idx(path + end);
  TORCH_CHECK(false, "Error opening ", kind, " file at ", path);
  return {};
}

}  // namespace

MNIST::MNIST(const std::string& root, Mode mode) : is_train_(mode == Mode::kTrain) {
  const std::string prefix = is_train_ ? "train" : "t10k";
  const minima::Tensor images = read(root, "images", prefix + "-images-idx3-ubyte");
  const minima::Tensor targets = read(root, "targets", prefix + "-labels-idx1-ubyte");
  TORCH_CHECK(images.rank() == 3 && targets.rank() == 1 && images.size(0) == targets.size(0), "MNIST: the images of ",
              root, " have shape ", Tensor(images).sizes(), ", the targets ", Tensor(targets).sizes());
  images_ = minima::unsqueeze(images, 1).to(minima::float32) / 255;
  targets_ = targets.to(minima::int64);
}

Example<> MNIST::get(size_t index) {
  const auto i = static_cast<int64_t>(index);
  return {images_[i], targets_[i]};
}
std::optional<size_t> MNIST::size() const { return static_cast<size_t>(images_.size(0)); }

}  // namespace datasets

}  // namespace torch::data
