#pragma once

#include <torch/arg.h>

#include <chrono>
#include <cstddef>
#include <optional>

namespace torch::data {

struct DataLoaderOptions {
  DataLoaderOptions() = default;
  DataLoaderOptions(size_t batch_size) : batch_size_(batch_size) {}

  TORCH_ARG(size_t, batch_size) = 1;
  /// Threads that load batches; without any, the thread that asks for a batch loads it.
  TORCH_ARG(size_t, workers) = 0;
  /// Batches requested ahead of time; by default two for each worker.
  TORCH_ARG(std::optional<size_t>, max_jobs);
  /// How long to wait for a batch before an error is thrown.
  TORCH_ARG(std::optional<std::chrono::milliseconds>, timeout);
  /// Whether batches come in the sampler's order.
  TORCH_ARG(bool, enforce_ordering) = true;
  TORCH_ARG(bool, drop_last) = false;
};

/// The same with defaults filled in.
struct FullDataLoaderOptions {
  explicit FullDataLoaderOptions(DataLoaderOptions options)
      : batch_size(options.batch_size()),
        workers(options.workers()),
        max_jobs(options.max_jobs().value_or(2 * workers)),
        timeout(options.timeout()),
        enforce_ordering(options.enforce_ordering()),
        drop_last(options.drop_last()) {}

  size_t batch_size;
  size_t workers;
  size_t max_jobs;
  std::optional<std::chrono::milliseconds> timeout;
  bool enforce_ordering;
  bool drop_last;
};

}  // namespace torch::data
