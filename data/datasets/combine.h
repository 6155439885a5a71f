#pragma once

#include <minima/data/dataset.h>
#include <minima/data/sampling/random.h>
#include <minima/data/sampling/sampler.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Datasets that wrap other datasets. Each forwards the FetchContext.

namespace minima::data {

namespace detail {

/// Throws IndexError, starting with `what`, for an index outside 0 … size - 1.
MINIMA_API void check_indices(std::span<const std::int64_t> indices, std::int64_t size, const char* what);
/// Throws ShapeError unless two zipped datasets have equal size.
MINIMA_API void check_same_size(std::int64_t first, std::int64_t other);
/// Splits a permutation of 0 … count - 1 into parts of these shares, which must add up to 1.
MINIMA_API std::vector<std::vector<std::int64_t>> split_indices(std::int64_t count, const std::vector<double>& shares,
                                                                std::uint64_t seed);

/// The source of a row in a joined batch.
struct RowSource {
  std::size_t part;
  std::int64_t row;
};
/// Gathers rows of several tensors into one. Throws ShapeError or DTypeError if the tensors do not match.
MINIMA_API Tensor join(std::span<const Tensor> parts, std::span<const RowSource> sources);
/// The same for arrays of tensors, element by element.
template <std::size_t N>
std::array<Tensor, N> join(std::span<const std::array<Tensor, N>> parts, std::span<const RowSource> sources) {
  std::array<Tensor, N> joined;
  std::vector<Tensor> column(parts.size());
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t p = 0; p < parts.size(); ++p) column[p] = parts[p][i];
    joined[i] = join(std::span<const Tensor>(column), sources);
  }
  return joined;
}

/// Has `describe`.
template <class Dataset>
concept DescribesSamples = requires(const Dataset& d, std::int64_t index) { d.describe(index); };
/// A sample of concatenated datasets: the dataset's number and the index in it.
struct PartIndex {
  std::size_t part;
  std::int64_t index;
};
inline PartIndex find_part(std::span<const std::int64_t> ends, std::int64_t index) {
  const auto part = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), index) - ends.begin());
  return {part, index - (part == 0 ? 0 : ends[part - 1])};
}
/// Gives each part its own seed, so that sample 3 of one part draws other numbers than sample 3 of another.
inline FetchContext context_of_part(const FetchContext& context, std::size_t part) {
  return {derived_key(context.seed, part, 2), context.epoch, context.pinned};
}
}  // namespace detail

/// The samples of a dataset at the given indices, which may repeat.
template <class Dataset>
class Subset {
 public:
  Subset(Dataset dataset, std::vector<std::int64_t> indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {
    detail::check_indices(indices_, dataset_.size(), "Subset");
  }

  std::int64_t size() const { return static_cast<std::int64_t>(indices_.size()); }
  const std::vector<std::int64_t>& indices() const { return indices_; }
  auto fetch(std::span<const std::int64_t> indices, const FetchContext& context) const
      requires detail::FetchesBatches<Dataset> {
    return detail::fetch(dataset_, inner(indices), context);
  }
  template <class Batch>
  requires requires(const Dataset& d, Batch& batch) {
    d.fetch_into(std::span<const std::int64_t>(), FetchContext{}, batch);
  } void fetch_into(std::span<const std::int64_t> indices, const FetchContext& context, Batch& batch) const {
    dataset_.fetch_into(inner(indices), context, batch);
  }
  auto get(std::int64_t index, const FetchContext& context) const requires(!detail::FetchesBatches<Dataset>) {
    return detail::get_sample(dataset_, inner(index), context);
  }
  /// As ImageFolder::get.
  template <class Make>
  requires requires(const Dataset& d, Make& make) { d.get(0, make); } auto get(std::int64_t index, Make&& make) const {
    return dataset_.get(inner(index), make);
  }
  std::string describe(std::int64_t index) const requires detail::DescribesSamples<Dataset> {
    return dataset_.describe(inner(index));
  }

 private:
  std::int64_t inner(std::int64_t index) const {
    detail::check_indices({&index, 1}, size(), "Subset");
    return indices_[static_cast<std::size_t>(index)];
  }
  /// The result is in thread-local memory.
  std::span<const std::int64_t> inner(std::span<const std::int64_t> indices) const {
    detail::check_indices(indices, size(), "Subset");
    thread_local std::vector<std::int64_t> found;
    found.clear();
    for (const std::int64_t index : indices) found.push_back(indices_[static_cast<std::size_t>(index)]);
    return found;
  }

  Dataset dataset_;
  std::vector<std::int64_t> indices_;
};

/// Splits a dataset into random, disjoint subsets: `auto parts = random_split(all, {0.9, 0.1}, seed)`. Each subset
/// holds a copy of the dataset, which is cheap where copies share their data. Without a seed it is `default_seed()`,
/// which follows `manual_seed`; a second split with it is the same, so repeated splits need a seed each. A resumed run
/// needs the seed of the first, or samples change parts. Throws ValueError unless the shares are positive and add up
/// to 1.
template <class Dataset>
std::vector<Subset<Dataset>> random_split(const Dataset& dataset, const std::vector<double>& shares,
                                          std::optional<std::uint64_t> seed = {}) {
  std::vector<Subset<Dataset>> parts;
  for (auto& indices : detail::split_indices(dataset.size(), shares, seed ? *seed : default_seed()))
    parts.emplace_back(dataset, std::move(indices));
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

/// The concatenation of datasets of one type. If they have `fetch`, their batches must be tensors or arrays of tensors.
template <class Dataset>
class Concatenated {
 public:
  explicit Concatenated(std::vector<Dataset> datasets) : datasets_(std::move(datasets)) {
    for (const Dataset& dataset : datasets_) ends_.push_back(size() + dataset.size());
  }

  std::int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  auto fetch(std::span<const std::int64_t> indices, const FetchContext& context) const
      requires detail::FetchesBatches<Dataset> {
    detail::check_indices(indices, size(), "Concatenated");
    std::vector<std::vector<std::int64_t>> wanted(datasets_.size());
    std::vector<detail::RowSource> sources;
    for (const std::int64_t index : indices) {
      const detail::PartIndex found = detail::find_part(ends_, index);
      sources.push_back({found.part, static_cast<std::int64_t>(wanted[found.part].size())});
      wanted[found.part].push_back(found.index);
    }
    using Batch = decltype(detail::fetch(datasets_[0], indices, context));
    std::vector<Batch> batches;
    for (std::size_t part = 0; part < datasets_.size(); ++part)
      batches.push_back(detail::fetch(datasets_[part], wanted[part], detail::context_of_part(context, part)));
    return detail::join(std::span<const Batch>(batches), sources);
  }
  auto get(std::int64_t index, const FetchContext& context) const requires(!detail::FetchesBatches<Dataset>) {
    const detail::PartIndex found = part_of(index);
    return detail::get_sample(datasets_[found.part], found.index, detail::context_of_part(context, found.part));
  }
  /// As ImageFolder::get.
  template <class Make>
  requires requires(const Dataset& d, Make& make) { d.get(0, make); } auto get(std::int64_t index, Make&& make) const {
    const detail::PartIndex found = part_of(index);
    return datasets_[found.part].get(found.index, make);
  }
  std::string describe(std::int64_t index) const requires detail::DescribesSamples<Dataset> {
    const detail::PartIndex found = part_of(index);
    return datasets_[found.part].describe(found.index);
  }

 private:
  detail::PartIndex part_of(std::int64_t index) const {
    detail::check_indices({&index, 1}, size(), "Concatenated");
    return detail::find_part(ends_, index);
  }

  std::vector<Dataset> datasets_;
  std::vector<std::int64_t> ends_;
};

/// Applies a function to a dataset. If the dataset has `fetch`, the function takes (batch, indices, context) or
/// (batch); else it takes (sample, random) or (sample), where `random` is the sample's random stream. Several workers
/// call it at once.
template <class Dataset, class F>
class Mapped {
 public:
  Mapped(Dataset dataset, F change) : dataset_(std::move(dataset)), change_(std::move(change)) {}

  std::int64_t size() const { return dataset_.size(); }
  auto fetch(std::span<const std::int64_t> indices, const FetchContext& context) const
      requires detail::FetchesBatches<Dataset> {
    auto batch = detail::fetch(dataset_, indices, context);
    if constexpr (std::is_invocable_v<const F&, decltype(batch)&&, std::span<const std::int64_t>, const FetchContext&>)
      return change_(std::move(batch), indices, context);
    else return change_(std::move(batch));
  }
  auto get(std::int64_t index, const FetchContext& context) const requires(!detail::FetchesBatches<Dataset>) {
    auto sample = detail::get_sample(dataset_, index, context);
    if constexpr (std::is_invocable_v<const F&, decltype(sample)&&, RandomStream>)
      return change_(std::move(sample), context.random(index));
    else return change_(std::move(sample));
  }
  std::string describe(std::int64_t index) const requires detail::DescribesSamples<Dataset> {
    return dataset_.describe(index);
  }

 private:
  Dataset dataset_;
  F change_;
};

/// Datasets of equal size, zipped: a batch or sample is a tuple of theirs. Either all have `fetch` or none.
template <class... Datasets>
class Zipped {
 public:
  explicit Zipped(Datasets... datasets) : datasets_(std::move(datasets)...) {
    std::apply(
        [](const auto& first, const auto&... others) { (detail::check_same_size(first.size(), others.size()), ...); },
        datasets_);
  }

  std::int64_t size() const { return std::get<0>(datasets_).size(); }
  auto fetch(std::span<const std::int64_t> indices, const FetchContext& context) const
      requires(detail::FetchesBatches<Datasets> && ...) {
    return std::apply([&](const auto&... part) { return std::make_tuple(detail::fetch(part, indices, context)...); },
                      datasets_);
  }
  auto get(std::int64_t index, const FetchContext& context) const requires(!detail::FetchesBatches<Datasets> && ...) {
    return std::apply([&](const auto&... part) { return std::make_tuple(detail::get_sample(part, index, context)...); },
                      datasets_);
  }

 private:
  std::tuple<Datasets...> datasets_;
};

}  // namespace minima::data
