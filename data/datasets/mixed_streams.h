#pragma once

#include <minima/data/dataset.h>
#include <minima/data/datasets/combine.h>
#include <minima/data/loader/typed_job.h>
#include <minima/data/sampling/sampler.h>
#include <minima/tensor/base/error.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace minima::data {

/// Interleaves streams of one type by weight, `count` records per epoch: every run of records holds each stream's exact
/// share, up to rounding. A stream that ends is reopened as its next epoch. For datasets with indices, use
/// mixture_sampler. Throws ValueError for weights that are negative or all zero, and, while reading, for an empty
/// stream with a positive weight.
template <class Dataset>
class MixedStreams {
  using Inner = decltype(std::declval<const Dataset&>().open(FetchContext{}));

 public:
  MixedStreams(std::vector<Dataset> datasets, std::vector<double> weights, std::int64_t count)
      : datasets_(std::move(datasets)), weights_(std::move(weights), "MixedStreams"), count_(count) {
    if (weights_.size() != datasets_.size()) throw ValueError("MixedStreams: needs one weight per stream");
  }

  struct Record {
    std::size_t part = 0;
    typename Inner::Record record;
  };
  class Stream {
   public:
    using Record = MixedStreams::Record;
    Stream(const MixedStreams* all, const FetchContext& context)
        : all_(all),
          context_(context),
          weights_(all->weights_),
          rounds_(all->datasets_.size(), 0),
          streams_(all->datasets_.size()),
          left_(all->count_) {}

    bool next(Record& record) {
      if (left_ == 0) return false;
      --left_;
      record.part = weights_.next();
      std::optional<Inner>& stream = streams_[record.part];
      if (stream && stream->next(record.record)) return true;
      FetchContext context = detail::context_of_part(context_, record.part);
      context.epoch = derived_key(context_.epoch, rounds_[record.part]++, 0);
      stream.reset();
      stream.emplace(all_->datasets_[record.part].open(context));
      if (!stream->next(record.record))
        throw ValueError("MixedStreams: stream " + std::to_string(record.part) + " has no records");
      return true;
    }

   private:
    const MixedStreams* all_;
    FetchContext context_;
    detail::MixingWeights weights_;
    std::vector<std::uint64_t> rounds_;
    std::vector<std::optional<Inner>> streams_;
    std::int64_t left_;
  };

  /// The stream must not outlive this object.
  Stream open(const FetchContext& context) const { return Stream(this, context); }
  auto decode(Record& record, RandomStream random) const {
    return detail::decode_record(datasets_[record.part], record.record, random);
  }

 private:
  std::vector<Dataset> datasets_;
  detail::MixingWeights weights_;
  std::int64_t count_;
};

}  // namespace minima::data
