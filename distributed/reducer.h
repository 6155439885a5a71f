#pragma once

#include <minima/autograd/hooks.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/store/socket.h>

#include <memory>

// The buckets of DistributedDataParallel. Internal.

namespace minima::distributed::detail {

class Reducer {
 public:
  Reducer(const nn::ModuleBase& module, ProcessGroup group, const DataParallelOptions& options);
  ~Reducer();

  const ProcessGroup& group() const { return group_; }
  std::vector<DistributedDataParallel::BucketInfo> buckets() const;
  double exposed_seconds() const { return exposed_; }

  void sum_gradients() { options_.sum = true; }

  int no_sync = 0;

 private:
  struct BucketParameter {
    Tensor parameter;
    std::string name;
    Tensor slice;  ///< its `.grad`, a slice of the bucket
    std::size_t bucket = 0;
    bool is_ready = false;
    HookHandle hook;
  };
  /// Shared with hooks, including those copied to clones of the module. Null once the reducer is destroyed.
  struct Link final : Counted {
    Reducer* reducer = nullptr;
  };
  struct Bucket {
    Tensor flat;
    std::vector<std::size_t> parameters;
    std::size_t waiting = 0;  ///< number of parameters whose gradient is not ready
    Tensor narrow;            ///< the compressed gradients that are sent instead of `flat`
    Work work;
  };

  void list_parameters();
  void expect_same_everywhere();
  bool has_changed() const;
  /// Rebuilds the buckets for gradients that become ready in this order. Keeps existing gradients.
  void build_buckets(const std::vector<std::size_t>& order);
  std::vector<std::vector<std::size_t>> assign_buckets(const std::vector<std::size_t>& order) const;
  std::int64_t make_bucket(const std::vector<std::size_t>& parameters, const Tensor& block, std::int64_t at);
  void before_forward(nn::ModuleBase& module);
  void on_gradient_ready(std::size_t index);
  void start_backward();
  void launch_full();
  void launch(Bucket& bucket, std::size_t number);
  void end_backward(bool completed);
  void fill_in_unused();
  void collect();
  void rebuild_once();

  /// Tells the checker of placements what is combined later; turns it on if the environment asks for it.
  void follow_placement();

  const nn::ModuleBase& module_;
  ProcessGroup group_;
  DataParallelOptions options_;
  std::vector<BucketParameter> parameters_;
  std::vector<Bucket> buckets_;
  Ref<Link> link_;
  nn::ForwardHookHandle forward_hook_;

  bool in_backward_ = false, is_rebuilt_ = false;
  std::size_t launched_ = 0;           ///< number of buckets whose all-reduce has started
  std::vector<std::size_t> observed_;  ///< parameters in the order in which their gradients became ready
  Work used_work_;
  Tensor used_;  ///< uint8 per parameter: whether any rank has a gradient
  double exposed_ = 0;
  std::unique_ptr<PlacementUser> checked_;
};

}  // namespace minima::distributed::detail
