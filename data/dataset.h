#pragma once

#include <minima/data/collate/batch.h>
#include <minima/data/sampling/random.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>
#include <span>

// A dataset is any type with `std::int64_t size() const` and one of
//
//     Batch fetch(std::span<const std::int64_t> indices) const;    // a whole batch
//     Sample get(std::int64_t index) const;                        // one sample; collate.h makes batches
//
// Batch is any type that suits the training loop: a struct, a tuple, an array of tensors. Datasets in memory implement
// `fetch`, which gathers the rows of a batch with a few copies. Several threads call both functions concurrently. A
// dataset that draws random numbers (augmentation) takes a second argument, `const FetchContext&`, and draws from
// `context.random(index)`: the numbers then do not depend on threads, batches or order. To reuse memory, also define
//
//     void fetch_into(std::span<const std::int64_t> indices, const FetchContext&, Batch& batch) const;
//
// `batch` is empty or from an earlier call; call reuse_or_allocate for its tensors.
//
// A dataset that can only be read sequentially (tar shards, logs) has
//
//     Stream open(const FetchContext&) const;                      // one epoch
//
// instead. Stream has a type `Record` and `bool next(Record&)`, false at the end; an optional
// `void skip(std::int64_t records)` speeds up resuming. One worker at a time reads a record. To turn records into
// samples on several workers at once, define
//
//     Sample decode(Record&, RandomStream) const;
//
// An optional `std::string describe(std::int64_t index) const` names a sample's file in error messages. An optional
// `Priorities priorities() const` (priorities.h) moves samples of higher priority to the front.

namespace minima::data {

/// Holds what a fetch may depend on in addition to the indices.
struct FetchContext {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  bool pinned = false;  ///< pass this to reuse_or_allocate: the batch will be copied to a GPU

  /// The random stream of a sample in this epoch.
  RandomStream random(std::int64_t index) const {
    return RandomStream(derived_key(derived_key(seed, epoch, 1), static_cast<std::uint64_t>(index), 0));
  }
};

/// The rows of `x` [N, …] at the indices, as a new CPU tensor [indices.size(), …]. Throws IndexError.
MINIMA_API Tensor gather_rows(const Tensor& x, std::span<const std::int64_t> indices);
/// The same into `rows`, whose memory is reused if possible (see reuse_or_allocate).
MINIMA_API void gather_rows_into(const Tensor& x, std::span<const std::int64_t> indices, Tensor& rows,
                                 bool pinned = false);

namespace detail {

/// Has `fetch`.
template <class Dataset>
concept FetchesBatches = requires(const Dataset& d, std::span<const std::int64_t> indices) {
  d.fetch(indices);
} || requires(const Dataset& d, std::span<const std::int64_t> indices, const FetchContext& c) { d.fetch(indices, c); };

/// dataset.get, with the context if it takes one.
template <class Dataset>
auto get_sample(const Dataset& dataset, std::int64_t index, const FetchContext& context) {
  if constexpr (requires { dataset.get(index, context); }) return dataset.get(index, context);
  else return dataset.get(index);
}

/// dataset.fetch, with the context if it takes one.
template <class Dataset>
auto fetch(const Dataset& dataset, std::span<const std::int64_t> indices, const FetchContext& context) {
  if constexpr (requires { dataset.fetch(indices, context); }) return dataset.fetch(indices, context);
  else return dataset.fetch(indices);
}
template <class Dataset>
using BatchOf = decltype(fetch(std::declval<const Dataset&>(), {}, {}));
/// dataset.fetch_into if there is one, else fetch.
template <class Dataset>
void fetch_into(const Dataset& dataset, std::span<const std::int64_t> indices, const FetchContext& context,
                BatchOf<Dataset>& batch) {
  if constexpr (requires { dataset.fetch_into(indices, context, batch); }) dataset.fetch_into(indices, context, batch);
  else batch = fetch(dataset, indices, context);
}

/// Checks the tensors of a TensorDataset and makes them contiguous. Returns the number of samples.
MINIMA_API std::int64_t prepare_columns(std::span<Tensor> tensors);

}  // namespace detail

/// N tensors in memory with one row per sample: `TensorDataset(images, labels)`. A batch is an array of N tensors:
/// `for (auto& [x, y] : loader)`. Throws ShapeError if the numbers of rows differ.
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
