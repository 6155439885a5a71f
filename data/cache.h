#pragma once

#include <minima/data/collate.h>
#include <minima/data/counted.h>
#include <minima/data/dataset.h>
#include <minima/data/typed_job.h>
#include <minima/io/state.h>

#include <optional>
#include <utility>
#include <vector>

namespace minima::data {

namespace detail {
/// One of a set of locks, chosen by a number.
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
MINIMA_API void save_columns(const std::string& path, std::span<const Tensor> columns);
MINIMA_API std::vector<Tensor> load_columns(const std::string& path, std::size_t count);
}  // namespace detail

/// Keeps every sample of a dataset with `get` in memory once it has been asked for. Put it below random transforms, not
/// above them: a sample is computed once. Tensors are shared with the cache, so transforms must not change them in place.
template <class Dataset>
class Cached {
 public:
  using Sample = decltype(detail::get_sample(std::declval<const Dataset&>(), 0, {}));
  explicit Cached(Dataset dataset) : store_(new Store(std::move(dataset))) {}

  std::int64_t size() const { return store_->dataset.size(); }
  Sample get(std::int64_t index, const FetchContext& context) const {
    auto& place = store_->samples.at(static_cast<std::size_t>(index));
    store_->locks.lock(index);
    try {
      if (!place) place.emplace(detail::get_sample(store_->dataset, index, context));
    } catch (...) {
      store_->locks.unlock(index);
      throw;
    }
    store_->locks.unlock(index);
    return *place;
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
template <class Dataset>
Cached<Dataset> cached(Dataset dataset) {
  return Cached<Dataset>(std::move(dataset));
}

/// Packs a dataset with `get`, whose samples are structs of tensors of one size each and of numbers, into a safetensors
/// file with one tensor per field, once; an existing file is used as it is. What comes back lies in a mapping of the
/// file, so that it is read from the page cache and shared by processes. While packing, all of it is in memory.
template <class Dataset>
auto packed(const Dataset& dataset, const std::string& path) {
  using Sample = decltype(detail::get_sample(dataset, 0, {}));
  using Batch = detail::Collated<Sample>;
  constexpr std::size_t count = detail::field_count<Batch>;
  if (!detail::file_exists(path)) {
    std::vector<Sample> samples;
    for (std::int64_t i = 0; i < dataset.size(); ++i) samples.push_back(detail::get_sample(dataset, i, {}));
    Batch all{};
    Collate<>{}(std::span<Sample>(samples), all, false);
    std::vector<Tensor> columns;
    detail::for_each_tensor(all, [&](Tensor& column) { columns.push_back(column); });
    detail::save_columns(path, columns);
  }
  const std::vector<Tensor> columns = detail::load_columns(path, count);
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return TensorDataset(columns[I]...); }(std::make_index_sequence<count>{});
}

}  // namespace minima::data
