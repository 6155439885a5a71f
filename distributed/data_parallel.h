#pragma once

#include <minima/distributed/process_group.h>
#include <minima/nn/module/module_base.h>

namespace minima::distributed {

struct DataParallelOptions {
  std::int64_t first_bucket_bytes = 1 << 20;  ///< small, so that the first all-reduce starts early
  std::int64_t bucket_bytes = 25 << 20;
  bool find_unused = false;       ///< parameters may be left out of a backward, other ones on each rank
  bool compress = false;          ///< float32 gradients travel as bfloat16
  bool broadcast_buffers = true;  ///< rank 0's running statistics are everybody's, at every forward in training mode
  bool overlap = true;            ///< false: all-reduces start after backward, to see what overlapping is worth
};

namespace detail {
class Reducer;
}

/// Training of one module by all ranks of a group, each on its share of the batch: after backward() every rank has the
/// mean of all ranks' gradients, bitwise the same. The module itself is used as before:
///
///     distributed::ProcessGroup group = distributed::init();
///     distributed::DistributedDataParallel parallel(net, group);
///     …
///     loss_of(net(x)).backward();   // all-reduces run while it does
///     optimizer.step();
///
/// The constructor gives every rank rank 0's parameters and buffers. From then on each `.grad` is a slice of a bucket's
/// flat memory; buckets are all-reduced as they fill, and laid out anew after the first backward, in the order in which
/// gradients came. With a mean over the batch as loss and shares of one size that is the gradient of the whole batch.
///
/// Loss scaling, clipping, checkpointing, frozen and shared parameters, several calls of the module in one step and
/// net.to(…) work as for one process; all ranks must do the same. A parameter that gets no gradient in a backward is an
/// error unless find_unused. An exception in backward on one rank leaves the others to their deadline.
class MINIMA_API DistributedDataParallel {
 public:
  DistributedDataParallel(const nn::ModuleBase& module, ProcessGroup group, DataParallelOptions options = {});
  /// Gradients are this rank's own again.
  ~DistributedDataParallel();
  DistributedDataParallel(const DistributedDataParallel&) = delete;
  DistributedDataParallel& operator=(const DistributedDataParallel&) = delete;

  /// While it lives, backward() adds to this rank's gradients alone: for all but the last part of an accumulated batch.
  class MINIMA_API NoSync {
   public:
    explicit NoSync(detail::Reducer& reducer);
    ~NoSync();
    NoSync(const NoSync&) = delete;

   private:
    detail::Reducer& reducer_;
  };
  [[nodiscard]] NoSync no_sync() { return NoSync(*reducer_); }

  /// How many bytes the buckets have, in their order, and the names of what is in them.
  struct BucketInfo {
    std::int64_t bytes = 0;
    std::vector<std::string> parameters;
  };
  std::vector<BucketInfo> buckets() const;
  /// Seconds that the last backward waited at its end for all-reduces: communication that nothing was done beside.
  double exposed_seconds() const;
  const ProcessGroup& group() const;

 private:
  detail::Reducer* reducer_;
};

/// Rank `root`'s values for all: tensors of any dtypes on one device, sent together. They must be dense.
MINIMA_API void broadcast_all(const std::vector<Tensor>& tensors, const ProcessGroup& group, int root = 0);

}  // namespace minima::distributed
