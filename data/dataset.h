#pragma once

#include <minima/data/batches/batch.h>
#include <minima/data/sampling/random.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>
#include <span>

// A dataset is any type with `std::int64_t size() const` and one of
//
//     Batch fetch(std::span<const std::int64_t> indices) const;    // a whole batch at once: the primitive
//     Sample get(std::int64_t index) const;                        // sample by sample; collate.h makes batches
//
// where Batch is whatever the training loop wants: a struct, a tuple, an array of tensors. A dataset in memory gathers
// the rows of a batch with a few copies instead of being asked sample by sample. Both are called from several threads
// at once. One that draws random numbers (augmentation) takes a second argument, `const FetchContext&`, and draws them
// from `context.random(index)`; then they do not depend on threads, batches or order. One that can use memory again has
//
//     void fetch_into(std::span<const std::int64_t> indices, const FetchContext&, Batch& batch) const;
//
// as well, which gets the batch of an earlier call (or an empty one) and calls reuse_or_allocate for its tensors.
//
// A dataset that is read from front to back instead (tar shards, logs) has
//
//     Stream open(const FetchContext&) const;                      // an epoch, in an order that the context decides
//
// where Stream names its `Record` and has `bool next(Record&)`, false at the end; `void skip(std::int64_t records)`
// makes resuming cheaper. Records are read one after the other, by whichever worker is free; a dataset may turn them
// into samples with
//
//     Sample decode(Record&, RandomStream) const;                  // several at once
//
// An optional `std::string describe(std::int64_t index) const` names a sample's file in error messages, and an optional
// `Priorities priorities() const` (sampler.h) makes samples of higher priority leave first.

namespace minima::data {

/// What a fetch may depend on besides its indices.
struct FetchContext {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  bool pinned = false;  ///< tensors of the batch are best allocated by reuse_or_allocate, pinned

  /// The stream of this sample in this epoch.
  RandomStream random(std::int64_t index) const {
    return RandomStream(derived_key(derived_key(seed, epoch, 1), static_cast<std::uint64_t>(index), 0));
  }
};

/// The rows of `x` (its first dimension) at these indices, as a new tensor on the CPU. Throws IndexError.
MINIMA_API Tensor gather_rows(const Tensor& x, std::span<const std::int64_t> indices);
/// The same into memory that is used again if it can be (see reuse_or_allocate).
MINIMA_API void gather_rows_into(const Tensor& x, std::span<const std::int64_t> indices, Tensor& rows,
                                 bool pinned = false);

namespace detail {

/// Gives whole batches, not samples.
template <class Dataset>
concept FetchesBatches = requires(const Dataset& d, std::span<const std::int64_t> indices) {
  d.fetch(indices);
} || requires(const Dataset& d, std::span<const std::int64_t> indices, const FetchContext& c) { d.fetch(indices, c); };

/// Gets with the context where the dataset takes one.
template <class Dataset>
auto get_sample(const Dataset& dataset, std::int64_t index, const FetchContext& context) {
  if constexpr (requires { dataset.get(index, context); }) return dataset.get(index, context);
  else return dataset.get(index);
}

/// Fetches with the context where the dataset takes one.
template <class Dataset>
auto fetch(const Dataset& dataset, std::span<const std::int64_t> indices, const FetchContext& context) {
  if constexpr (requires { dataset.fetch(indices, context); }) return dataset.fetch(indices, context);
  else return dataset.fetch(indices);
}
template <class Dataset>
using BatchOf = decltype(fetch(std::declval<const Dataset&>(), {}, {}));
/// Into a batch of an earlier call where the dataset can do that.
template <class Dataset>
void fetch_into(const Dataset& dataset, std::span<const std::int64_t> indices, const FetchContext& context,
                BatchOf<Dataset>& batch) {
  if constexpr (requires { dataset.fetch_into(indices, context, batch); }) dataset.fetch_into(indices, context, batch);
  else batch = fetch(dataset, indices, context);
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
    fetch_into(indices, {}, batch);
    return batch;
  }
  void fetch_into(std::span<const std::int64_t> indices, const FetchContext& context,
                  std::array<Tensor, N>& batch) const {
    for (std::size_t i = 0; i < N; ++i) gather_rows_into(tensors_[i], indices, batch[i], context.pinned);
  }

 private:
  std::array<Tensor, N> tensors_;
  std::int64_t size_;
};

template <class... Tensors>
TensorDataset(const Tensors&...) -> TensorDataset<sizeof...(Tensors)>;

}  // namespace minima::data
