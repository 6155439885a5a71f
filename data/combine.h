#pragma once

#include <minima/data/dataset.h>
#include <minima/data/sampler.h>

#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Datasets made of datasets. Each passes the FetchContext on, so that random numbers of a sample stay its own wherever
// it appears.

namespace minima::data {

namespace detail {

/// Checks that every index is inside a dataset; throws IndexError naming `what`.
MINIMA_API void check_indices(std::span<const std::int64_t> indices, std::int64_t size, const char* what);
/// Throws ShapeError unless two zipped datasets have one size.
MINIMA_API void check_same_size(std::int64_t first, std::int64_t other);
/// Cuts a permutation of 0 … count - 1 into parts of these shares, which must add up to 1.
MINIMA_API std::vector<std::vector<std::int64_t>> split_indices(std::int64_t count, const std::vector<double>& shares, std::uint64_t seed);

/// Where a row of a joined batch comes from.
struct Place {
  std::size_t part;
  std::int64_t row;
};
/// Joins rows of several tensors into one, in the order of `places`. Throws ShapeError or DTypeError if they differ.
MINIMA_API Tensor join(std::span<const Tensor> parts, std::span<const Place> places);
/// The same for arrays of tensors, element by element.
template <std::size_t N>
std::array<Tensor, N> join(std::span<const std::array<Tensor, N>> parts, std::span<const Place> places) {
  std::array<Tensor, N> joined;
  std::vector<Tensor> column(parts.size());
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t p = 0; p < parts.size(); ++p) column[p] = parts[p][i];
    joined[i] = join(std::span<const Tensor>(column), places);
  }
  return joined;
}

}  // namespace detail

/// Some samples of a dataset, in the order given; an index may occur several times.
template <class Dataset>
class Subset {
 public:
  Subset(Dataset dataset, std::vector<std::int64_t> indices) : dataset_(std::move(dataset)), indices_(std::move(indices)) {
    detail::check_indices(indices_, dataset_.size(), "Subset");
  }

  std::int64_t size() const { return static_cast<std::int64_t>(indices_.size()); }
  const std::vector<std::int64_t>& indices() const { return indices_; }
  auto fetch(std::span<const std::int64_t> indices, const FetchContext& context) const {
    detail::check_indices(indices, size(), "Subset");
    std::vector<std::int64_t> inner;
    inner.reserve(indices.size());
    for (const std::int64_t index : indices) inner.push_back(indices_[static_cast<std::size_t>(index)]);
    return detail::fetch(dataset_, inner, context);
  }

 private:
  Dataset dataset_;
  std::vector<std::int64_t> indices_;
};

/// Random parts without overlap that cover the dataset: `auto parts = random_split(all, {0.9, 0.1}, seed)`. The parts
/// share the dataset if copying it does. Throws ValueError unless the shares are positive and add up to 1.
template <class Dataset>
std::vector<Subset<Dataset>> random_split(const Dataset& dataset, const std::vector<double>& shares, std::uint64_t seed = 0) {
  std::vector<Subset<Dataset>> parts;
  for (auto& indices : detail::split_indices(dataset.size(), shares, seed)) parts.emplace_back(dataset, std::move(indices));
  return parts;
}

/// The samples for which `keep(index)` holds.
template <class Dataset, class Predicate>
Subset<Dataset> filter(Dataset dataset, Predicate keep) {
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < dataset.size(); ++i)
    if (keep(i)) kept.push_back(i);
  return Subset<Dataset>(std::move(dataset), std::move(kept));
}

/// Datasets of one type one after the other. Batches must be tensors or arrays of tensors, such as TensorDataset's.
template <class Dataset>
class Concatenated {
 public:
  explicit Concatenated(std::vector<Dataset> datasets) : datasets_(std::move(datasets)) {
    for (const Dataset& dataset : datasets_) ends_.push_back(size() + dataset.size());
  }

  std::int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  auto fetch(std::span<const std::int64_t> indices, const FetchContext& context) const {
    detail::check_indices(indices, size(), "Concatenated");
    std::vector<std::vector<std::int64_t>> wanted(datasets_.size());
    std::vector<detail::Place> places;
    for (const std::int64_t index : indices) {
      std::size_t part = 0;
      while (index >= ends_[part]) ++part;
      places.push_back({part, static_cast<std::int64_t>(wanted[part].size())});
      wanted[part].push_back(index - (part == 0 ? 0 : ends_[part - 1]));
    }
    using Batch = decltype(detail::fetch(datasets_[0], indices, context));
    std::vector<Batch> batches;
    // Each part draws its random numbers from a seed of its own: sample 3 of one is not sample 3 of another.
    for (std::size_t part = 0; part < datasets_.size(); ++part)
      batches.push_back(detail::fetch(datasets_[part], wanted[part],
                                      FetchContext{derived_key(context.seed, part, 2), context.epoch}));
    return detail::join(std::span<const Batch>(batches), places);
  }

 private:
  std::vector<Dataset> datasets_;
  std::vector<std::int64_t> ends_;
};

/// What `change` makes of the batches of a dataset. It is called as change(batch, indices, context) or change(batch), by
/// several workers at once.
template <class Dataset, class F>
class Mapped {
 public:
  Mapped(Dataset dataset, F change) : dataset_(std::move(dataset)), change_(std::move(change)) {}

  std::int64_t size() const { return dataset_.size(); }
  auto fetch(std::span<const std::int64_t> indices, const FetchContext& context) const {
    auto batch = detail::fetch(dataset_, indices, context);
    if constexpr (std::is_invocable_v<const F&, decltype(batch)&&, std::span<const std::int64_t>, const FetchContext&>)
      return change_(std::move(batch), indices, context);
    else return change_(std::move(batch));
  }

 private:
  Dataset dataset_;
  F change_;
};

/// Several datasets of one size side by side; a batch is a tuple of theirs.
template <class... Datasets>
class Zipped {
 public:
  explicit Zipped(Datasets... datasets) : datasets_(std::move(datasets)...) {
    std::apply([](const auto& first, const auto&... others) { (detail::check_same_size(first.size(), others.size()), ...); }, datasets_);
  }

  std::int64_t size() const { return std::get<0>(datasets_).size(); }
  auto fetch(std::span<const std::int64_t> indices, const FetchContext& context) const {
    return std::apply([&](const auto&... part) { return std::make_tuple(detail::fetch(part, indices, context)...); }, datasets_);
  }

 private:
  std::tuple<Datasets...> datasets_;
};

}  // namespace minima::data
