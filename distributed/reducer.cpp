#include <minima/distributed/reducer.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/hooks.h>
#include <minima/autograd/mode.h>
#include <minima/distributed/agreement.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/group.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/store/socket.h>
#include <minima/nn/init/defer.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/parametrize/stand_in.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

constexpr std::int64_t slice_alignment = 64;  // bytes, for vector instructions and copies

/// A tensor over memory of `whole` that keeps it alive but has its own version counter.
Tensor part_of(const Tensor& whole, std::int64_t byte, const Layout& layout) {
  return from_blob(
      static_cast<char*>(whole.raw_data()) + byte, layout, {whole.dtype(), whole.device()},
      [](void* kept) { delete static_cast<Tensor*>(kept); }, new Tensor(whole));
}

std::int64_t bytes_of(const Tensor& x) { return x.numel() * static_cast<std::int64_t>(x.itemsize()); }
std::int64_t padded(std::int64_t bytes) { return (bytes + slice_alignment - 1) / slice_alignment * slice_alignment; }

void expect_whole(const nn::ModuleBase& module) {
  if (const std::string sharded = nn::detail::find_stand_in(module); !sharded.empty())
    throw ValueError(str("DistributedDataParallel: ", sharded,
                         " is sharded, and shard() reduces its gradients; pass the group of ranks with the same shards "
                         "to it as ShardingOptions::replicas"));
}

}  // namespace

Reducer::Reducer(const nn::ModuleBase& module, ProcessGroup group, const DataParallelOptions& options)
    : module_(module), group_(std::move(group)), options_(options), link_(new Link) {
  if (!group_.defined())
    throw ValueError("DistributedDataParallel: the process group is undefined; distributed::init() makes one");
  NoGrad guard;
  expect_whole(module_);
  expect_same_everywhere();
  nn::init::materialise(module_);
  std::vector<Tensor> state = module_.parameters();
  for (const Tensor& buffer : module_.buffers()) state.push_back(buffer);
  broadcast_all(state, group_);
  list_parameters();
  link_->reducer = this;
  forward_hook_ = const_cast<nn::ModuleBase&>(module_).add_forward_pre_hook(
      [link = link_](nn::ModuleBase& called, std::vector<Tensor>&) {
        if (link->reducer) link->reducer->before_forward(called);
      });
}

Reducer::~Reducer() {
  link_->reducer = nullptr;
  forward_hook_.remove();
  for (BucketParameter& entry : parameters_) entry.hook.remove();
}

/// Throws ValueError unless all ranks have the same parameters and buffers.
void Reducer::expect_same_everywhere() {
  std::string ours;
  for (const auto& [name, tensor] : module_.named_parameters())
    ours += str(name, " ", tensor.dtype(), " ", tensor.shape(), tensor.requires_grad() ? "\n" : " frozen\n");
  for (const auto& [name, tensor] : module_.named_buffers())
    ours += str(name, " ", tensor.dtype(), " ", tensor.shape(), "\n");
  expect_agreement("DistributedDataParallel", "module", ours, group_);
}

void Reducer::list_parameters() {
  expect_whole(module_);
  for (BucketParameter& entry : parameters_) entry.hook.remove();
  parameters_.clear();
  for (auto& [name, parameter] : module_.named_parameters()) {
    if (!parameter.requires_grad()) continue;
    const std::size_t index = parameters_.size();
    parameters_.push_back({.parameter = parameter, .name = name, .slice = {}, .hook = {}});
    parameters_.back().hook =
        register_post_accumulate_hook(parameter, [this, index](const Tensor&) { on_gradient_ready(index); });
  }
  // Backward reaches the last layers first.
  std::vector<std::size_t> order(parameters_.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  build_buckets(order);
}

bool Reducer::has_changed() const {
  std::size_t i = 0;
  for (const Tensor& parameter : module_.parameters()) {
    if (!parameter.requires_grad()) continue;
    if (i == parameters_.size() || !parameters_[i].parameter.is_same(parameter)) return true;
    const Tensor& slice = parameters_[i++].slice;
    if (slice.dtype() != parameter.dtype() || slice.device() != parameter.device() ||
        slice.shape() != parameter.shape())
      return true;
  }
  return i != parameters_.size();
}

namespace {

using Kind = std::pair<int, int>;

/// Gradients share a bucket only if they agree in dtype and device.
Kind kind_of(const Tensor& parameter) {
  return {static_cast<int>(parameter.dtype()), parameter.device().is_cpu() ? -1 : parameter.device().index};
}

}  // namespace

void Reducer::build_buckets(const std::vector<std::size_t>& order) {
  NoGrad guard;
  const std::vector<Bucket> old = std::exchange(buckets_, {});
  const std::vector<std::vector<std::size_t>> assignment = assign_buckets(order);
  // Buckets of one kind are slices of one block: large blocks are rounded up to whole pages, once.
  std::map<Kind, std::int64_t> bytes;
  for (const auto& bucket : assignment)
    for (const std::size_t i : bucket)
      bytes[kind_of(parameters_[i].parameter)] += padded(bytes_of(parameters_[i].parameter));
  std::map<Kind, std::pair<Tensor, std::int64_t>> blocks;
  for (const auto& bucket : assignment) {
    const Tensor& p = parameters_[bucket[0]].parameter;
    auto& [block, used] = blocks[kind_of(p)];
    if (!block.defined()) {
      const PurposeGuard purpose(Purpose::gradients);
      block = minima::detail::zeroed({bytes[kind_of(p)] / static_cast<std::int64_t>(p.itemsize())},
                                     {p.dtype(), p.device()});
    }
    used = make_bucket(bucket, block, used);
  }
}

/// The parameters of each bucket, in the order in which the buckets will fill.
std::vector<std::vector<std::size_t>> Reducer::assign_buckets(const std::vector<std::size_t>& order) const {
  struct OpenBucket {
    std::vector<std::size_t> parameters;
    std::int64_t bytes = 0;
    bool is_first = true;
  };
  std::map<Kind, OpenBucket> open;
  std::vector<std::vector<std::size_t>> full;
  for (const std::size_t i : order) {
    const Tensor& p = parameters_[i].parameter;
    OpenBucket& bucket = open[kind_of(p)];
    bucket.parameters.push_back(i);
    bucket.bytes += bytes_of(p);
    if (bucket.bytes < (bucket.is_first ? options_.first_bucket_bytes : options_.bucket_bytes)) continue;
    full.push_back(std::move(bucket.parameters));
    bucket = {.parameters = {}, .bytes = 0, .is_first = false};
  }
  for (auto& [kind, bucket] : open)
    if (!bucket.parameters.empty()) full.push_back(std::move(bucket.parameters));
  std::vector<std::size_t> position(parameters_.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::sort(full.begin(), full.end(),
            [&](const auto& a, const auto& b) { return position[a.back()] < position[b.back()]; });
  return full;
}

/// Makes a bucket at byte `at` of `block`; returns its end.
std::int64_t Reducer::make_bucket(const std::vector<std::size_t>& parameters, const Tensor& block, std::int64_t at) {
  Bucket& bucket = buckets_.emplace_back();
  bucket.parameters = parameters;
  std::int64_t bytes = 0;
  for (const std::size_t i : parameters) bytes += padded(bytes_of(parameters_[i].parameter));
  bucket.flat = part_of(block, at, Layout::contiguous({bytes / static_cast<std::int64_t>(block.itemsize())}));
  for (const std::size_t i : parameters) {
    BucketParameter& entry = parameters_[i];
    const Tensor before = entry.parameter.grad();
    entry.slice = part_of(block, at, Layout::dense_like(entry.parameter.layout()));
    entry.bucket = buckets_.size() - 1;
    at += padded(bytes_of(entry.parameter));
    if (before.defined()) copy_(entry.slice, before);
    entry.parameter.set_grad(entry.slice);
    if (!before.defined()) entry.parameter.zero_grad();
  }
  return at;
}

void Reducer::before_forward(nn::ModuleBase& module) {
  const std::vector<Tensor> called = module.parameters(), ours = module_.parameters();
  if (called.empty() || ours.empty() || !called.front().is_same(ours.front())) return;  // a clone
  follow_placement();
  if (has_changed()) list_parameters();
  if (options_.broadcast_buffers && no_sync == 0 && group_.size() > 1 && module.is_training()) {
    NoGrad guard;
    broadcast_all(module_.buffers(), group_);
  }
}

void Reducer::follow_placement() {
  if (group_.size() > 1 && !checked_ && wants_placement_check()) checked_ = std::make_unique<PlacementUser>();
  if (!checks_placement()) return;
  use_data_axes("DistributedDataParallel", {rank_set(group_)}, !options_.sum);
  for (const BucketParameter& entry : parameters_) name_parameter(entry.parameter, entry.name);
}

void Reducer::start_backward() {
  if (has_changed()) list_parameters();
  in_backward_ = true;
  launched_ = 0;
  observed_.clear();
  for (Bucket& bucket : buckets_) bucket.waiting = bucket.parameters.size();
  for (BucketParameter& entry : parameters_) entry.is_ready = false;
  after_backward([this](bool completed) { end_backward(completed); });
}

void Reducer::on_gradient_ready(std::size_t index) {
  if (no_sync > 0) return;
  if (!in_backward_) start_backward();
  BucketParameter& entry = parameters_.at(index);
  if (entry.is_ready) {
    if (buckets_[entry.bucket].work)
      throw ValueError(str("DistributedDataParallel: ", entry.name,
                           " got another gradient after its bucket was sent; a nested "
                           "backward must not reach the same parameters"));
    return;
  }
  const Tensor gradient = entry.parameter.grad();
  if (!gradient.is_same(entry.slice)) {  // replaced by set_grad
    copy_(entry.slice, gradient);
    entry.parameter.set_grad(entry.slice);
  }
  entry.is_ready = true;
  observed_.push_back(index);
  --buckets_[entry.bucket].waiting;
  if (options_.overlap) launch_full();
}

/// Starts buckets in their order, which is the same on all ranks.
void Reducer::launch_full() {
  while (launched_ < buckets_.size() && buckets_[launched_].waiting == 0) {
    launch(buckets_[launched_], launched_);
    ++launched_;
  }
}

void Reducer::launch(Bucket& bucket, std::size_t number) {
  const PlacementPause pause;
  CallOptions call{.label = str("bucket ", number)};
  if (!options_.compress || bucket.flat.dtype() != float32) {
    bucket.work = group_.all_reduce(bucket.flat, options_.sum ? Reduce::sum : Reduce::mean, std::move(call));
    return;
  }
  NoGrad guard;
  const PurposeGuard purpose(Purpose::communication);
  bucket.narrow = (options_.sum ? bucket.flat : bucket.flat * (1.0 / group_.size())).to(bfloat16);
  bucket.work = group_.all_reduce(bucket.narrow, Reduce::sum, std::move(call));
}

void Reducer::end_backward(bool completed) {
  in_backward_ = false;
  if (!completed) {
    for (Bucket& bucket : buckets_) bucket.work = {};
    return;
  }
  NoGrad guard;
  if (options_.find_unused) {
    fill_in_unused();
  } else if (observed_.size() != parameters_.size()) {
    std::string names;
    for (const BucketParameter& entry : parameters_)
      if (!entry.is_ready) names += (names.empty() ? "" : ", ") + entry.name;
    throw ValueError(str("DistributedDataParallel: this backward produced no gradient for ", names,
                         "; pass {.find_unused = true}, or freeze unused parameters"));
  }
  launch_full();
  const auto start = Clock::now();
  collect();
  exposed_ = seconds_since(start);
  rebuild_once();
}

void Reducer::fill_in_unused() {
  if (!parameters_.empty() && minima::detail::is_captured(parameters_.front().slice.device()))
    throw CaptureError(
        "DistributedDataParallel with find_unused inside a captured step: the host reads which parameters other ranks "
        "have used; leave it out, or freeze unused parameters");
  std::vector<std::uint8_t> used;
  for (BucketParameter& entry : parameters_) {
    const bool has_gradient = entry.parameter.grad().defined();  // perhaps accumulated under no_sync
    used.push_back(has_gradient);
    if (!entry.is_ready) {
      if (!has_gradient) minima::detail::zero_memory(entry.slice);
      --buckets_[entry.bucket].waiting;
    }
  }
  const auto count = static_cast<std::int64_t>(used.size());
  const Device device = parameters_.empty() ? Device::cpu() : parameters_.front().slice.device();
  used_ = from_vector(used, {count}).to(device);
  launch_full();
  used_work_ = group_.all_reduce(used_, Reduce::max, {.label = "which parameters were used"});
}

void Reducer::collect() {
  for (Bucket& bucket : buckets_) {
    std::exchange(bucket.work, {}).wait();
    if (bucket.narrow.defined()) copy_(bucket.flat, std::exchange(bucket.narrow, {}));
  }
  for (BucketParameter& entry : parameters_) entry.slice.impl()->storage->bump_version();
  if (checks_placement()) {
    std::vector<Tensor> parameters;
    parameters.reserve(parameters_.size());
    for (const BucketParameter& entry : parameters_) parameters.push_back(entry.parameter);
    check_reduced("DistributedDataParallel", parameters, rank_set(group_), options_.sum);
  }
  if (!options_.find_unused) return;
  std::exchange(used_work_, {}).wait();
  const std::vector<std::uint8_t> used = used_.to_vector<std::uint8_t>();
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (used[i] && !parameters_[i].parameter.grad().defined()) parameters_[i].parameter.set_grad(parameters_[i].slice);
}

/// Rebuilds the buckets after the first backward, before optimizers have allocated their state: both layouts exist for
/// a moment, which then is not the peak of memory use.
void Reducer::rebuild_once() {
  if (is_rebuilt_ || options_.find_unused || parameters_.empty()) return;
  is_rebuilt_ = true;
  std::vector<std::int64_t> order(observed_.begin(), observed_.end());
  const Tensor ours =
      from_vector(order, {static_cast<std::int64_t>(order.size())}).to(parameters_.front().slice.device());
  order = group_.broadcast(ours, 0, {.label = "order of gradients"}).result().to_vector<std::int64_t>();
  std::vector<std::size_t> current;
  for (const Bucket& bucket : buckets_)
    current.insert(current.end(), bucket.parameters.begin(), bucket.parameters.end());
  const std::vector<std::size_t> wanted(order.begin(), order.end());
  if (wanted != current) build_buckets(wanted);
}

std::vector<DistributedDataParallel::BucketInfo> Reducer::buckets() const {
  std::vector<DistributedDataParallel::BucketInfo> infos;
  for (const Bucket& bucket : buckets_) {
    infos.push_back({.bytes = bytes_of(bucket.flat), .parameters = {}});
    for (const std::size_t i : bucket.parameters) infos.back().parameters.push_back(parameters_[i].name);
  }
  return infos;
}

}  // namespace minima::distributed::detail
