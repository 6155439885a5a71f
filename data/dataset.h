#pragma once

#include <minima/data/random.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>
#include <span>

// A dataset is any type with
//
//     std::int64_t size() const;
//     Batch fetch(std::span<const std::int64_t> indices) const;
//
// where Batch is whatever the training loop wants: a struct, a tuple, an array of tensors. Fetching a whole batch at
// once is the primitive: a dataset in memory gathers rows with a few copies instead of being asked sample by sample.
// `fetch` is called from several threads at once. One that draws random numbers (augmentation) takes a second argument,
// `const FetchContext&`, and draws them from `context.random(index)`; then they do not depend on threads, batches or
// order.

namespace minima::data {

/// What a fetch may depend on besides its indices.
struct FetchContext {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;

  /// The stream of this sample in this epoch.
  RandomStream random(std::int64_t index) const {
    return RandomStream(derived_key(derived_key(seed, epoch, 1), static_cast<std::uint64_t>(index), 0));
  }
};

/// The rows of `x` (its first dimension) at these indices, as a new tensor on the CPU. Throws IndexError.
MINIMA_API Tensor gather_rows(const Tensor& x, std::span<const std::int64_t> indices);

namespace detail {

/// Fetches with the context where the dataset takes one.
template <class Dataset>
auto fetch(const Dataset& dataset, std::span<const std::int64_t> indices, const FetchContext& context) {
  if constexpr (requires { dataset.fetch(indices, context); }) return dataset.fetch(indices, context);
  else return dataset.fetch(indices);
}

/// Checks the tensors of a TensorDataset and makes them row-major.
MINIMA_API std::int64_t prepare_columns(std::span<Tensor> tensors);

}  // namespace detail

/// Tensors in memory whose first dimension is the sample: `TensorDataset(images, labels)`. Its batches are arrays with
/// as many tensors: `for (auto& [x, y] : loader)`. Throws ShapeError if the first sizes differ.
template <std::size_t N>
class TensorDataset {
 public:
  template <class... Tensors>
    requires(sizeof...(Tensors) == N)
  explicit TensorDataset(const Tensors&... tensors) : tensors_{tensors...}, size_(detail::prepare_columns(tensors_)) {}

  std::int64_t size() const { return size_; }
  std::array<Tensor, N> fetch(std::span<const std::int64_t> indices) const {
    std::array<Tensor, N> batch;
    for (std::size_t i = 0; i < N; ++i) batch[i] = gather_rows(tensors_[i], indices);
    return batch;
  }

 private:
  std::array<Tensor, N> tensors_;
  std::int64_t size_;
};

template <class... Tensors>
TensorDataset(const Tensors&...) -> TensorDataset<sizeof...(Tensors)>;

}  // namespace minima::data
