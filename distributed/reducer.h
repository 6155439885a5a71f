#pragma once

#include <minima/autograd/hooks.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/store/socket.h>

// The buckets of DistributedDataParallel. Internal.

namespace minima::distributed::detail {

class Reducer {
 public:
  Reducer(const nn::ModuleBase& module, ProcessGroup group, const DataParallelOptions& options);
  ~Reducer();

  const ProcessGroup& group() const { return group_; }
  std::vector<DistributedDataParallel::BucketInfo> buckets() const;
  double exposed_seconds() const { return exposed_; }

  int no_sync = 0;

 private:
  struct Entry {
    Tensor parameter;
    std::string name;
    Tensor slice;  ///< its `.grad`, inside a bucket
    std::size_t bucket = 0;
    bool is_ready = false;
    HookHandle hook;
  };
  /// Hooks hold it, clones of the module with copies of them too; they do nothing once the reducer is gone.
  struct Link final : Counted {
    Reducer* reducer = nullptr;
  };
  struct Bucket {
    Tensor flat;
    std::vector<std::size_t> entries;
    std::size_t waiting = 0;  ///< entries whose gradient has not come
    Tensor narrow;            ///< what travels, where that is not `flat`
    Work work;
  };

  void list_parameters();
  void expect_same_everywhere();
  bool has_changed() const;
  /// Lays the buckets out for parameters in this order, and takes over gradients that are there.
  void lay_out(const std::vector<std::size_t>& order);
  std::int64_t make_bucket(const std::vector<std::size_t>& entries, const Tensor& block, std::int64_t at);
  void before_forward(nn::ModuleBase& module);
  void gradient_came(std::size_t index);
  void start_pass();
  void launch_full();
  void launch(Bucket& bucket, std::size_t number);
  void end_pass(bool completed);
  void fill_in_unused();
  void collect();
  void rebuild_once();

  const nn::ModuleBase& module_;
  ProcessGroup group_;
  DataParallelOptions options_;
  std::vector<Entry> entries_;
  std::vector<Bucket> buckets_;
  Ref<Link> link_;
  nn::ForwardHookHandle forward_hook_;

  bool in_pass_ = false, is_rebuilt_ = false;
  std::size_t launched_ = 0;           ///< buckets, from the first
  std::vector<std::size_t> observed_;  ///< entries in the order their gradients came
  Work used_work_;
  Tensor used_;  ///< uint8 for each entry: some rank has a gradient
  double exposed_ = 0;
};

}  // namespace minima::distributed::detail
