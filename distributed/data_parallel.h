#pragma once

#include <minima/distributed/process_group.h>
#include <minima/nn/module/module_base.h>

namespace minima::optim {
class Accumulation;
}

namespace minima::distributed {

struct DataParallelOptions {
  std::int64_t first_bucket_bytes = 1 << 20;  ///< small, so the first all-reduce starts early; at least 1
  std::int64_t bucket_bytes = 25 << 20;
  bool find_unused = false;       ///< allow parameters without a gradient, different ones on each rank
  bool compress = false;          ///< all-reduce float32 gradients as bfloat16
  bool broadcast_buffers = true;  ///< broadcast rank 0's buffers in every forward in training mode
  bool sum = false;               ///< leave the sum of the ranks' gradients instead of their mean
  bool overlap = true;            ///< false starts all-reduces only after backward, to measure the gain of overlap
};

namespace detail {
class Reducer;
}

/// Data-parallel training: each rank trains a replica of the module on its share of the batch. After backward() all
/// ranks hold the mean of their gradients, bitwise identical. The module is used as before:
///
///     distributed::ProcessGroup group = distributed::init();
///     distributed::DistributedDataParallel parallel(net, group);
///     …
///     loss_of(net(x)).backward();   // overlaps with all-reduces
///     optimizer.step();
///
/// The constructor broadcasts rank 0's parameters and buffers. From then on each `.grad` is a slice of a bucket's flat
/// memory. Buckets are all-reduced as they fill; after the first backward they are rebuilt in the order in which
/// gradients became ready. If the loss is a mean and all shares are equal, the result is the gradient of the whole
/// batch; where shares differ, as with packed or padded text, use sum_over_ranks().
///
/// Loss scaling, clipping, activation checkpointing, frozen and shared parameters, several calls of the module per step
/// and net.to(…) work as in one process; all ranks must do the same. A parameter without a gradient after backward is
/// an error unless find_unused. If backward throws on one rank, the others fail by timeout.
class MINIMA_API DistributedDataParallel {
 public:
  DistributedDataParallel(const nn::ModuleBase& module, ProcessGroup group, DataParallelOptions options = {});
  /// Stops averaging gradients.
  ~DistributedDataParallel();
  DistributedDataParallel(const DistributedDataParallel&) = delete;
  DistributedDataParallel& operator=(const DistributedDataParallel&) = delete;

  /// While it exists, backward() accumulates gradients locally without all-reduce: for all but the last micro-batch in
  /// gradient accumulation.
  class MINIMA_API NoSync {
   public:
    explicit NoSync(detail::Reducer& reducer);
    ~NoSync();
    NoSync(const NoSync&) = delete;

   private:
    detail::Reducer& reducer_;
  };
  [[nodiscard]] NoSync no_sync() { return NoSync(*reducer_); }

  /// For losses that are sums over different numbers of targets (TokenLoss): from now on backward() leaves the sum of
  /// the ranks' gradients, and the accumulation adds up counts and losses over the ranks before it divides. Call it on
  /// all ranks before the first backward.
  ///
  ///     optim::Accumulation accumulation(4, {.batches = loader.batches()});
  ///     parallel.sum_over_ranks(accumulation);
  void sum_over_ranks(optim::Accumulation& accumulation);

  /// The size of a bucket and the names of its parameters.
  struct BucketInfo {
    std::int64_t bytes = 0;
    std::vector<std::string> parameters;
  };
  /// The buckets in the order in which they are all-reduced.
  std::vector<BucketInfo> buckets() const;
  /// Seconds that the last backward waited at its end for all-reduces: communication not hidden by computation.
  double exposed_seconds() const;
  const ProcessGroup& group() const;

 private:
  detail::Reducer* reducer_;
};

/// Broadcasts tensors on the group's device from rank `root`, coalesced into few messages. They must be dense; dtypes
/// may differ.
MINIMA_API void broadcast_all(const std::vector<Tensor>& tensors, const ProcessGroup& group, int root = 0);

}  // namespace minima::distributed
