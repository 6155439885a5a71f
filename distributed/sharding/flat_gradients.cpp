#include <minima/autograd/engine.h>
#include <minima/autograd/mode.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/group.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/sharding/flat_weights.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// The FlatWeights' members for gradients.

namespace minima::distributed::detail {

void FlatWeights::prepare_gradients() {
  const NoGrad guard;
  if (!is_trained()) return;
  if (!bucket_.defined()) {
    const PurposeGuard purpose(plan_.keeps_gradients ? Purpose::gradients : Purpose::communication);
    bucket_ = empty({size()}, {compute_dtype(), device_});
    // The gaps behind parameters are reduced, too.
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::int64_t end = members_[i].offset + numel(members_[i].shape);
      const std::int64_t next = i + 1 < members_.size() ? members_[i + 1].offset : size();
      if (next > end) minima::detail::zero_memory(narrow(bucket_, 0, end, next - end));
    }
  }
  for (Member& member : members_) {
    const Tensor before = member.full.grad();
    const Tensor slice = view(bucket_, member);
    if (before.defined()) {
      if (before.raw_data() == slice.raw_data()) continue;
      copy_(slice, before);
    }
    member.full.set_grad(slice);
    if (!before.defined()) member.full.zero_grad();
  }
}

bool FlatWeights::has_gradients() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.is_ready; });
}

bool FlatWeights::has_postponed() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.is_pending; });
}

bool FlatWeights::awaits_gradients() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& m) { return minima::detail::awaits_gradient(m.full); });
}

void FlatWeights::notice_zero_grad() {
  for (Member& member : members_) {
    if (!member.is_pending) continue;
    if (member.shard.grad().defined()) {
      if (!member.marker.defined() || member.marker.version() == member.marker_version) continue;
      throw ValueError(str("shard: the gradient of ", member.name,
                           " has been changed in place under no_sync, before its reduction, and the change would be "
                           "lost; change it behind the last backward pass of the step, or clear it by zero_grad"));
    }
    member.full.zero_grad();
    member.is_pending = false;
    member.marker = {};
  }
}

void FlatWeights::postpone() {
  const NoGrad guard;
  for (Member& member : members_) {
    if (!member.is_ready) continue;
    member.is_pending = true;
    member.is_ready = false;
    if (member.shard.grad().defined()) continue;
    member.marker = minima::detail::zeroed({member.count}, {member.shard.dtype(), member.shard.device()});
    member.marker_version = member.marker.version();
    member.shard.set_grad(member.marker);
    if (checks_placement()) expect_reduction(member.shard, member.name, member.marker, rank_set(plan_.group));
  }
}

void FlatWeights::leave_kept_gradients() {
  if (!local_gradients_.defined()) return;
  for (const Member& member : members_) member.shard.set_grad({});
  if (!local_gradients_.impl()->references.is_one()) local_gradients_ = {};
}

void FlatWeights::start_reduce() {
  const NoGrad guard;
  is_sent_ = true;
  if (checks_placement()) {
    std::vector<Tensor> parameters;
    parameters.reserve(members_.size());
    for (const Member& member : members_) parameters.push_back(member.full);
    check_reduced("shard", parameters, rank_set(plan_.group), plan_.combine == Reduce::sum);
    if (plan_.replicas.defined())
      check_reduced("shard", parameters, rank_set(plan_.replicas), plan_.combine == Reduce::sum);
  }
  const PlacementPause pause;
  prepare_gradients();   // copies gradients that are elsewhere
  bool is_first = true;  // no shard has a gradient to which this one is to be added
  for (Member& member : members_) {
    if (!member.full.grad().defined()) minima::detail::zero_memory(view(bucket_, member));
    const Tensor gradient = member.shard.grad();
    if (member.marker.defined() && gradient.defined() && gradient.is_same(member.marker)) member.shard.zero_grad();
    else if (gradient.defined()) is_first = false;
    member.marker = {};
  }
  if (is_first) leave_kept_gradients();
  const DType dtype = plan_.reduce.value_or(bucket_.dtype());
  const PurposeGuard purpose(Purpose::communication);
  to_send_ = bucket_.dtype() == dtype ? bucket_ : bucket_.to(dtype);
  if (!plan_.keeps_gradients && !to_send_.is_same(bucket_)) drop_bucket();
  is_direct_ = is_first && (is_offloaded() || dtype == local_.dtype());
  if (is_direct_) allocate_gradients();
  received_ = is_direct_ && !is_offloaded() ? local_gradients_ : empty({chunk_}, {dtype, device_});
  reducing_ = plan_.group.reduce_scatter_into(received_, to_send_, plan_.combine, {}, {.label = members_.front().name});
}

void FlatWeights::finish_reduce() {
  if (!reducing_) return;
  const NoGrad guard;
  const PlacementPause pause;
  std::exchange(reducing_, {}).wait();
  if (plan_.replicas.defined())
    plan_.replicas.all_reduce(received_, plan_.combine, {.label = members_.front().name}).wait();
  to_send_ = {};
  if (!plan_.keeps_gradients) drop_bucket();
  for (Member& member : members_) {
    member.is_used = member.is_ready || member.is_pending;
    member.is_ready = member.is_pending = false;
    if (plan_.keeps_gradients) member.full.zero_grad();
  }
  is_delivered_ = false;
  if (is_offloaded()) fetch();
  else deliver();
}

void FlatWeights::deliver() {
  if (std::exchange(is_delivered_, true)) return;
  const NoGrad guard;
  const PlacementPause pause;
  if (is_offloaded()) fetched_.synchronize();
  allocate_gradients();
  for (Member& member : members_) {
    if (!member.full.requires_grad() && !member.is_used) continue;
    const Tensor own = part(local_gradients_, member), arrived = is_direct_ ? own : part(received_, member);
    const Tensor before = member.shard.grad();
    if (before.defined()) copy_(before, before + arrived.to(before.dtype()));
    else if (!is_direct_) copy_(own, arrived);
    if (before.defined()) continue;
    if (member.is_used) member.shard.set_grad(own);
    else member.is_arrived = true;
  }
  received_ = {};
}

bool FlatWeights::is_complete() const {
  return is_sent_ && !reducing_ && is_delivered_ &&
         std::none_of(members_.begin(), members_.end(), [](const Member& m) { return m.is_arrived; });
}

void FlatWeights::accept_gradients(const std::uint8_t* used) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (std::exchange(member.is_arrived, false) && used[i] != 0) member.shard.set_grad(part(local_gradients_, member));
  }
}

void FlatWeights::drop_bucket() {
  bucket_ = {};
  for (Member& member : members_) member.full.set_grad({});
}

void FlatWeights::drop_gradients() {
  reducing_ = {};
  if (is_offloaded() && !is_delivered_) fetched_.synchronize();
  is_delivered_ = true;
  to_send_ = received_ = {};
  drop_bucket();
  for (Member& member : members_) {
    member.is_ready = member.is_pending = member.is_arrived = false;
    member.marker = {};
  }
}

}  // namespace minima::distributed::detail
