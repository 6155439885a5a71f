#pragma once

#include <torch/data/dataloader/base.h>

namespace torch::data {

/// A sampler says what to load. Each worker has a copy of the dataset.
template <typename Dataset, typename Sampler>
class StatelessDataLoader
    : public DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType> {
 public:
  using super = DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType>;
  using typename super::BatchRequestType;

  StatelessDataLoader(Dataset dataset, Sampler sampler, DataLoaderOptions options)
      : super(options), sampler_(std::move(sampler)) {
    for (size_t i = 0; i < this->options_.workers; ++i)
      this->workers_.start([this, copy = std::make_shared<Dataset>(dataset)] { this->worker_thread(*copy); });
    if (this->options_.workers == 0) this->main_thread_dataset_ = std::make_unique<Dataset>(std::move(dataset));
  }

 private:
  void reset() override {
    sampler_.reset(std::nullopt);
    super::reset();
  }
  std::optional<BatchRequestType> get_batch_request() override {
    std::optional<BatchRequestType> request = sampler_.next(this->options_.batch_size);
    if (request && this->options_.drop_last && request->size() < this->options_.batch_size) return std::nullopt;
    return request;
  }

  Sampler sampler_;
};

}  // namespace torch::data
