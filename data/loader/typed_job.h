#pragma once

#include <minima/data/collate/collate.h>
#include <minima/data/loader/loader_job.h>
#include <minima/data/loader/loader_options.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/device/background_stage.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

// The part of a loader that depends on the types of dataset, samples and batches; dataset.h and collate.h document
// them.

namespace minima::data::detail {

template <class Dataset>
concept IsStream = requires(const Dataset& d) { d.open(FetchContext{}); };
template <class Dataset>
std::int64_t size_of_dataset(const Dataset& dataset) {
  if constexpr (IsStream<Dataset>) return -1;
  else if constexpr (requires { dataset.size(); }) return dataset.size();
  else return 0;  // DataLoader's static_assert reports it
}

/// Uses the dataset's priorities unless the options set others.
template <class Dataset>
LoaderOptions prepared(LoaderOptions options, const Dataset& dataset) {
  if constexpr (requires { dataset.priorities(); }) {
    if (!options.priorities) options.priorities = dataset.priorities();
  }
  return options;
}

template <class Dataset, class Record>
auto decode_record(const Dataset& dataset, Record& record, RandomStream random) {
  if constexpr (requires { dataset.decode(record, random); }) return dataset.decode(record, random);
  else return Record(record);
}

struct NoRecord {};

/// The types of a dataset's records and samples.
template <class Dataset>
struct KindOf {
  using Record = NoRecord;
  using Stream = NoRecord;
  using Sample = decltype(get_sample(std::declval<const Dataset&>(), 0, {}));
};
template <FetchesBatches Dataset>
struct KindOf<Dataset> {
  using Record = NoRecord;
  using Stream = NoRecord;
  using Sample = NoRecord;
};
template <IsStream Dataset>
struct KindOf<Dataset> {
  using Stream = decltype(std::declval<const Dataset&>().open(FetchContext{}));
  using Record = typename Stream::Record;
  using Sample = decltype(decode_record(std::declval<const Dataset&>(), std::declval<Record&>(), RandomStream(0)));
};

template <class Dataset>
struct OpenedBy {
  using type = decltype(std::declval<const Dataset&>().open(FetchContext{}));
};

template <class Collation, class Sample>
concept ReturnsBatch = requires(const Collation& c, std::span<Sample> s) { c(s); };

template <class Dataset, class Collation>
auto batch_type() {
  using Sample = typename KindOf<Dataset>::Sample;
  if constexpr (FetchesBatches<Dataset>) return std::optional<BatchOf<Dataset>>();
  else if constexpr (ReturnsBatch<Collation, Sample>)
    return std::optional<std::invoke_result_t<const Collation&, std::span<Sample>>>();
  else return std::optional<Collated<Sample>>();
}

/// The dataset, shared by all jobs of one loader.
template <class Dataset>
struct SharedDataset : Counted {
  explicit SharedDataset(Dataset d) : dataset(std::move(d)) {}
  const Dataset dataset;
};

template <class Dataset, class Collation>
class TypedJob final : public LoaderJob {
  using Kind = KindOf<Dataset>;
  using Record = typename Kind::Record;
  using Sample = typename Kind::Sample;

 public:
  using Batch = typename decltype(batch_type<Dataset, Collation>())::value_type;

  TypedJob(Dataset dataset, Collation collate, int slots, int device_slots, bool pinned)
      : TypedJob(Ref<SharedDataset<Dataset>>(new SharedDataset<Dataset>(std::move(dataset))), std::move(collate), slots,
                 device_slots, pinned) {}

  const Dataset& dataset() const { return shared_->dataset; }
  Batch& batch(int slot) { return on_device_.empty() ? *slots_[at(slot)].batch : *on_device_[at(slot)]; }

  Ref<LoaderJob> renewed() const override {
    return Ref<LoaderJob>(
        new TypedJob(shared_, collate_, static_cast<int>(slots_.size()), static_cast<int>(on_device_.size()), pinned_));
  }

  void open(const FetchContext& context, std::int64_t skip) override {
    if constexpr (IsStream<Dataset>) {
      stream_.reset();
      stream_.emplace(dataset().open(context));
      position_ = skip;
      if constexpr (requires { stream_->skip(skip); }) {
        stream_->skip(skip);
      } else {
        Record record{};
        for (std::int64_t i = 0; i < skip && stream_->next(record); ++i) {}
      }
    } else {
      static_cast<void>(context), static_cast<void>(skip);
    }
  }

  /// Reads a global batch. All its records are stored, since this process's share depends on their number.
  Read read(int slot, const Share& share) override {
    if constexpr (IsStream<Dataset>) {
      Buffers& s = slots_[at(slot)];
      const std::int64_t global = share.global();
      s.records.resize(static_cast<std::size_t>(global));
      std::int64_t count = 0;
      while (count < global && stream_->next(s.records[at(count)])) ++count;
      s.first = position_;
      position_ += count;
      if (share.drop_last && count < global) return {};
      const std::int64_t kept = share.of_last(count);
      s.number.resize(at(kept));
      for (std::int64_t i = 0; i < kept; ++i) s.number[at(i)] = (share.rank * kept + i) % count;
      return {count, kept};
    } else {
      static_cast<void>(slot), static_cast<void>(share);
      return {};
    }
  }

  void fetch(int slot, std::span<const std::int64_t> indices, const FetchContext& outer) override {
    Buffers& s = slots_[at(slot)];
    FetchContext context = outer;
    context.pinned = pinned_;
    if constexpr (FetchesBatches<Dataset>) {
      if constexpr (std::is_default_constructible_v<Batch>) {
        if (!s.batch) s.batch.emplace();
        detail::fetch_into(dataset(), indices, context, *s.batch);
      } else {
        s.batch.emplace(detail::fetch(dataset(), indices, context));
      }
    } else {
      s.samples.resize(indices.size());
      {
        const minima::detail::BackgroundStage stage("decode");
        for (std::size_t i = 0; i < indices.size(); ++i) s.samples[i] = sample_of(s, indices[i], context);
      }
      const minima::detail::BackgroundStage stage("collate");
      const std::span<Sample> samples(s.samples);
      if constexpr (ReturnsBatch<Collation, Sample>) {
        s.batch.reset();
        s.batch.emplace(collate_(samples));
      } else {
        if (!s.batch) s.batch.emplace();
        collate_(samples, *s.batch, pinned_);
      }
      s.samples.clear();
    }
  }

  std::string describe(std::int64_t index) const override {
    if constexpr (requires { dataset().describe(index); }) return in_brackets(dataset().describe(index));
    else return static_cast<void>(index), std::string();
  }

  void upload(int slot, int device_slot, Transfer& transfer) override {
    std::optional<Batch>& target = on_device_[at(device_slot)];
    if constexpr (std::is_default_constructible_v<Batch>) {
      if (!target) target.emplace();
      copy_batch(*slots_[at(slot)].batch, *target, [&](const Tensor& from, Tensor& to) {
        if (!from.defined()) return void(to = Tensor());
        if (!is_room_for(from, to)) to = transfer.allocate(from.shape(), from.dtype());
        else if (to.shape() != from.shape() || to.dtype() != from.dtype())
          to = Tensor(new TensorImpl(to.impl()->storage, Layout::contiguous(from.shape()), from.dtype()));
        transfer.copy(from, to);
      });
    } else {
      static_cast<void>(transfer);
      target = std::move(slots_[at(slot)].batch);
    }
  }

 private:
  /// The memory of one slot.
  struct Buffers {
    std::optional<Batch> batch;
    std::vector<Sample> samples;
    std::vector<Record> records;
    std::vector<std::int64_t> number;  ///< indices into `records` of this process's share
    std::int64_t first = 0;            ///< position of the first record in the stream
  };

  TypedJob(Ref<SharedDataset<Dataset>> shared, Collation collate, int slots, int device_slots, bool pinned)
      : shared_(std::move(shared)),
        collate_(std::move(collate)),
        pinned_(pinned),
        slots_(static_cast<std::size_t>(slots)),
        on_device_(static_cast<std::size_t>(device_slots)) {}

  template <class Number>
  static std::size_t at(Number slot) {
    return static_cast<std::size_t>(slot);
  }

  /// Whether `to`, from an earlier batch, has no other owner and the memory for `from`.
  static bool is_room_for(const Tensor& from, const Tensor& to) {
    return to.defined() && to.impl()->references.is_one() && to.impl()->storage->unique() && !to.impl()->history &&
           to.impl()->storage->bytes() >= static_cast<std::size_t>(from.numel()) * from.itemsize();
  }

  Sample sample_of(Buffers& s, std::int64_t index, const FetchContext& context) {
    if constexpr (IsStream<Dataset>) {
      const std::int64_t number = s.number[at(index)];
      Record& record = s.records[at(number)];
      try {
        return decode_record(dataset(), record, context.random(s.first + number));
      } catch (Error& error) {
        error.add_note("record " + std::to_string(s.first + number) + " of the stream");
        throw;
      }
    } else {
      try {
        return get_sample(dataset(), index, context);
      } catch (Error& error) {
        error.add_note("sample " + std::to_string(index) + describe(index));
        throw;
      }
    }
  }

  const Ref<SharedDataset<Dataset>> shared_;
  const Collation collate_;
  const bool pinned_;
  std::vector<Buffers> slots_;
  std::vector<std::optional<Batch>> on_device_;
  std::optional<typename Kind::Stream> stream_;
  std::int64_t position_ = 0;
};

/// The first mistake in a dataset or its collation; DataLoader reports it by static_assert.
enum class DatasetMistake : std::uint8_t { none, no_size, no_get, not_const, stream, collation };

// The members of a dataset, const or not.
template <class Dataset>
concept HasSize = requires(Dataset& d) { static_cast<std::int64_t>(d.size()); };
template <class Dataset>
concept HasOpen = requires(Dataset& d) { d.open(FetchContext{}); };
template <class Dataset>
concept HasFetch = requires(Dataset& d, std::span<const std::int64_t> indices) {
  d.fetch(indices);
} || requires(Dataset& d, std::span<const std::int64_t> indices, const FetchContext& c) { d.fetch(indices, c); };
template <class Dataset>
concept HasGet = requires(Dataset& d) { d.get(std::int64_t{}); } ||
                 requires(Dataset& d, const FetchContext& c) { d.get(std::int64_t{}, c); };
template <class Stream>
concept ReadsRecords =
    requires(Stream& stream, typename Stream::Record& record) { static_cast<bool>(stream.next(record)); };

template <class Dataset, class Collation>
constexpr DatasetMistake mistake_in_collation() {
  using Sample = typename KindOf<Dataset>::Sample;
  constexpr bool fits =
      FetchesBatches<Dataset> || ReturnsBatch<Collation, Sample> ||
      requires(const Collation& c, std::span<Sample> s, Collated<Sample>& batch) { c(s, batch, false); };
  return fits ? DatasetMistake::none : DatasetMistake::collation;
}

template <class Dataset, class Collation>
constexpr DatasetMistake find_mistake() {
  if constexpr (HasOpen<Dataset> && !IsStream<Dataset>) {
    return DatasetMistake::not_const;
  } else if constexpr (IsStream<Dataset>) {
    if constexpr (!ReadsRecords<typename OpenedBy<Dataset>::type>) return DatasetMistake::stream;
    else return mistake_in_collation<Dataset, Collation>();
  } else if constexpr (!HasSize<Dataset>) {
    return DatasetMistake::no_size;
  } else if constexpr (!HasSize<const Dataset> || (HasFetch<Dataset> && !HasFetch<const Dataset>) ||
                       (HasGet<Dataset> && !HasGet<const Dataset>)) {
    return DatasetMistake::not_const;
  } else if constexpr (!HasFetch<Dataset> && !HasGet<Dataset>) {
    return DatasetMistake::no_get;
  } else {
    return mistake_in_collation<Dataset, Collation>();
  }
}

/// Replaces an invalid dataset, so that DataLoader's static_assert is the only compiler error.
struct NoDataset {
  NoDataset(const auto&) {}
  std::int64_t size() const { return 0; }
  Tensor get(std::int64_t) const { return {}; }
};
struct NoCollation {
  NoCollation(const auto&) {}
  Tensor operator()(std::span<Tensor>) const { return {}; }
};
template <bool is_sound, class Dataset, class Collation>
using JobOf = typename std::conditional_t<is_sound, std::type_identity<TypedJob<Dataset, Collation>>,
                                          std::type_identity<TypedJob<NoDataset, NoCollation>>>::type;

}  // namespace minima::data::detail
