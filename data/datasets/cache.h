#pragma once

#include <minima/data/collate/collate.h>
#include <minima/data/dataset.h>
#include <minima/data/loader/typed_job.h>
#include <minima/io/state.h>
#include <minima/tensor/base/counted.h>

#include <optional>
#include <utility>
#include <vector>

namespace minima::data {

namespace detail {
/// A fixed set of mutexes; the index chooses one.
class MINIMA_API Locks : public Counted {
 public:
  Locks();
  ~Locks() override;
  void lock(std::int64_t index);
  void unlock(std::int64_t index) noexcept;

 private:
  struct Mutexes;
  Mutexes* mutexes_;
};
MINIMA_API bool file_exists(const std::string& path);
/// Writes columns row by row to a safetensors file. The file appears on `commit`.
class MINIMA_API ColumnFile {
 public:
  /// `first` is the first row; the others must match its shapes and dtypes.
  ColumnFile(const std::string& path, std::span<const Tensor> first, std::int64_t rows);
  ~ColumnFile();
  /// Throws ShapeError or DTypeError for a row that differs.
  void add(std::span<const Tensor> row);
  void commit();

 private:
  struct Writing;
  Writing* writing_;
};
MINIMA_API std::vector<Tensor> load_columns(const std::string& path, std::size_t count);
}  // namespace detail

/// Caches the samples of a dataset with `get` in memory, each on first use. Wrap the dataset before any random
/// transforms, since a cached sample never changes. Samples share their tensors with the cache, so transforms must not
/// modify them in place.
template <class Dataset>
class Cached {
 public:
  using Sample = decltype(detail::get_sample(std::declval<const Dataset&>(), 0, {}));
  explicit Cached(Dataset dataset) : store_(new Store(std::move(dataset))) {}

  std::int64_t size() const { return store_->dataset.size(); }
  Sample get(std::int64_t index, const FetchContext& context) const {
    auto& sample = store_->samples.at(static_cast<std::size_t>(index));
    store_->locks.lock(index);
    try {
      if (!sample) sample.emplace(detail::get_sample(store_->dataset, index, context));
    } catch (...) {
      store_->locks.unlock(index);
      throw;
    }
    store_->locks.unlock(index);
    return *sample;
  }
  std::string describe(std::int64_t index) const {
    if constexpr (requires { store_->dataset.describe(index); }) return store_->dataset.describe(index);
    else return std::to_string(index);
  }

 private:
  struct Store : Counted {
    explicit Store(Dataset d) : dataset(std::move(d)), samples(static_cast<std::size_t>(dataset.size())) {}
    Dataset dataset;
    std::vector<std::optional<Sample>> samples;
    detail::Locks locks;
  };
  Ref<Store> store_;
};
/// Cached(dataset), as a function.
template <class Dataset>
Cached<Dataset> cached(Dataset dataset) {
  return Cached<Dataset>(std::move(dataset));
}

/// Packs a dataset with `get` into a safetensors file with one tensor per field, and returns that file as a
/// TensorDataset. Samples are structs of numbers and of tensors whose shapes agree between samples. An existing file is
/// used without checking it against the dataset. Samples are written one at a time, so the dataset may exceed memory;
/// the result is memory-mapped, and processes share its pages. Throws ShapeError or DTypeError for a sample that
/// differs from the first.
template <class Dataset>
auto packed(const Dataset& dataset, const std::string& path) {
  using Sample = decltype(detail::get_sample(dataset, 0, {}));
  using Batch = detail::Collated<Sample>;
  constexpr std::size_t count = detail::field_count<Batch>;
  if (!detail::file_exists(path)) {
    if (dataset.size() == 0) throw ValueError("packed: the dataset is empty");
    std::optional<detail::ColumnFile> file;
    Batch row{};
    std::vector<Tensor> columns;
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
      Sample sample = detail::get_sample(dataset, i, {});
      Collate<>{}(std::span<Sample>(&sample, 1), row, false);
      columns.clear();
      detail::for_each_tensor(row, [&](Tensor& column) { columns.push_back(column); });
      if (!file) file.emplace(path, columns, dataset.size());
      file->add(columns);
    }
    file->commit();
  }
  const std::vector<Tensor> columns = detail::load_columns(path, count);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return TensorDataset(columns[I]...);
  }(std::make_index_sequence<count>{});
}

}  // namespace minima::data
