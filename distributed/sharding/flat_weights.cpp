#include <minima/distributed/sharding/flat_weights.h>

#include <minima/autograd/engine.h>
#include <minima/autograd/leaf.h>
#include <minima/autograd/mode.h>
#include <minima/autograd/node_hooks.h>
#include <minima/autograd/restorable.h>
#include <minima/autograd/saved_tensor.h>
#include <minima/distributed/process_group.h>
#include <minima/nn/module/deferred.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

namespace {

constexpr std::int64_t alignment = 16;  // elements: 32 bytes of a half type, which tensor cores need

std::int64_t aligned(std::int64_t elements) { return (elements + alignment - 1) / alignment * alignment; }

/// A saved weight: its place in the gathered ones.
class WeightRecipe final : public PackedTensor {
 public:
  WeightRecipe(FlatWeights& weights, Layout layout)
      : weights_(&weights), layout_(std::move(layout)), versions_(weights.versions()) {
    weights.retain();
  }
  Tensor unpack() override { return weights_->restored(layout_, versions_); }

 private:
  Ref<FlatWeights> weights_;
  Layout layout_;
  std::uint64_t versions_;
};

bool has_hooks(const Tensor& parameter) {
  const Leaf* const leaf = Leaf::find(parameter);
  const NodeHooks* const hooks = leaf ? NodeHooks::find(*leaf) : nullptr;
  return hooks && (hooks->sees_gradients() || !hooks->copy(&NodeHooks::after_accumulation).empty());
}

/// Writes a parameter's elements from `begin` on to a vector.
void initialise(const Tensor& out, const Tensor& parameter, std::int64_t begin) {
  if (const nn::detail::Initialiser* const initialiser = nn::detail::find_deferred(parameter))
    return nn::detail::draw_deferred(out, *initialiser, begin, parameter.device());
  copy_(out, narrow(reshape(parameter.detach(), {-1}), 0, begin, out.numel()));
}

}  // namespace

FlatWeights::FlatWeights(const ShardingPlan& plan, std::vector<Member> members)
    : plan_(plan), members_(std::move(members)) {
  const NoGrad guard;
  for (Member& member : members_) {
    member.shape = member.full.shape();
    member.offset = used_;
    used_ += aligned(member.full.numel());
  }
  if (!members_.empty()) used_ += members_.back().full.numel() - aligned(members_.back().full.numel());
  chunk_ = (used_ + plan_.group.size() - 1) / plan_.group.size();
  for (Member& member : members_) std::tie(member.begin, member.count) = range_of(member, plan_.group.rank());
  const Tensor& any = members_.front().full;
  allocate_chunk(any.dtype(), any.device());
  for (Member& member : members_) {
    member.shard = part(local_, member);
    initialise(member.shard, member.full, member.begin);
    member.is_trained = member.full.requires_grad();
    member.shard.requires_grad(member.is_trained);
    if (!plan_.keeps_weights) continue;
    // Kept weights start complete: no gather is needed before the first step.
    initialise(narrow(full_, 0, member.offset, numel(member.shape)), member.full, 0);
  }
  if (plan_.keeps_weights)
    for (Member& member : members_) member.full.set_data(view(full_, member));
  gathered_ = plan_.keeps_weights;
  gathered_versions_ = versions();
  free_weights();
}

FlatWeights::~FlatWeights() {
  if (full_.defined() && !plan_.keeps_weights) minima::detail::unlist_restorable(*full_.impl()->storage);
}

DType FlatWeights::compute_dtype() const { return plan_.compute.value_or(local_.dtype()); }

void FlatWeights::allocate_chunk(DType dtype, Device device) {
  const PurposeGuard purpose(Purpose::parameters);
  const DType compute = plan_.compute.value_or(dtype);
  device_ = device;
  full_ = plan_.keeps_weights ? minima::detail::zeroed({size()}, {compute, device}) : Tensor();
  if (is_offloaded()) {
    local_ = empty_pinned(Layout::contiguous({chunk_}), dtype);
    minima::detail::zero_memory(local_);
    return;
  }
  local_ = plan_.keeps_weights && compute == dtype ? narrow(full_, 0, plan_.group.rank() * chunk_, chunk_)
                                                   : minima::detail::zeroed({chunk_}, {dtype, device});
}

bool FlatWeights::is_trained() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.full.requires_grad(); });
}

std::pair<std::int64_t, std::int64_t> FlatWeights::range_of(const Member& member, int rank) const {
  const std::int64_t first = rank * chunk_, last = first + chunk_, end = member.offset + numel(member.shape);
  const std::int64_t from = std::clamp(first, member.offset, end), to = std::clamp(last, member.offset, end);
  return {from - member.offset, to - from};
}

Tensor FlatWeights::view(const Tensor& flat, const Member& member) const {
  return reshape(narrow(flat, 0, member.offset, numel(member.shape)), member.shape);
}

Tensor FlatWeights::part(const Tensor& chunk, const Member& member) const {
  const std::int64_t at = member.count == 0 ? 0 : member.offset + member.begin - plan_.group.rank() * chunk_;
  return from_blob(
      static_cast<char*>(chunk.raw_data()) + at * static_cast<std::int64_t>(chunk.itemsize()), {member.count},
      {chunk.dtype(), chunk.device()}, [](void* kept) { delete static_cast<Tensor*>(kept); }, new Tensor(chunk));
}

// --- weights ---

void FlatWeights::start_gather(std::uint64_t epoch) {
  if (gathering_) return;
  const NoGrad guard;
  epoch_ = epoch;
  const std::uint64_t now = versions();
  is_changed_ = std::exchange(gathered_versions_, now) != now;
  if (!plan_.keeps_weights) {
    const PurposeGuard purpose(Purpose::communication);
    full_ = empty({size()}, {compute_dtype(), device_});
  }
  std::optional<StreamGuard> copies;  // in parallel with computation; the collective follows the copy
  if (is_offloaded()) {
    plan_.copies->wait(current_stream(device_));  // the memory of the weights may be in use until now
    copies.emplace(*plan_.copies);
  }
  sent_ = chunk_to_send();
  gathering_ = plan_.group.all_gather_into(full_, sent_, {}, {.label = members_.front().name});
}

void FlatWeights::finish_gather() {
  if (!gathering_) return;
  const NoGrad guard;
  std::exchange(gathering_, {}).wait();
  sent_ = {};
  gathered_ = true;
  if (plan_.keeps_weights) {
    finish_upload();
    // Graphs may have saved these weights, which are the same if no optimizer has stepped between two backward passes.
    if (is_changed_) full_.impl()->storage->bump_version();
    return;
  }
  minima::detail::list_restorable(*full_.impl()->storage, *this);
  for (Member& member : members_) member.full.set_data(view(full_, member));
}

void FlatWeights::forget_gather() {
  finish_upload();
  gathering_ = {};  // the operation holds its tensors until it is done
  sent_ = {};
}

void FlatWeights::free_weights() {
  if (plan_.keeps_weights) return;
  forget_gather();
  if (full_.defined() && gathered_) minima::detail::unlist_restorable(*full_.impl()->storage);
  full_ = {};
  gathered_ = false;
  const NoGrad guard;
  if (!poison_.defined() || poison_.dtype() != compute_dtype() || poison_.device() != device_)
    poison_ = full({}, std::numeric_limits<double>::quiet_NaN(), {.dtype = compute_dtype(), .device = device_});
  for (Member& member : members_) member.full.set_data(expand(poison_, member.shape));
}

std::uint64_t FlatWeights::versions() const {
  std::uint64_t sum = 0;
  for (const Member& member : members_) sum += member.shard.version();
  return sum;
}

bool FlatWeights::follow_shards() {
  const Tensor& any = members_.front().shard;
  bool moved = false, trains_others = false;
  for (Member& member : members_) {
    if (const bool is_full = member.full.requires_grad(); member.shard.requires_grad() != is_full) {
      if (is_full == member.is_trained) member.full.requires_grad(!is_full);
      else member.shard.requires_grad(is_full);
    }
    trains_others |= std::exchange(member.is_trained, member.full.requires_grad()) != member.full.requires_grad();
    if (has_hooks(member.shard))
      throw ValueError(str("shard: a hook on the shard of ", member.name,
                           " would not be called; register it for the module's own parameter, to see this rank's whole "
                           "gradient before its reduction, or use Sharding::on_reduced"));
    if (member.shard.shape() != Shape({member.count}))
      throw ShapeError(str("shard: this rank's part of ", member.name, " has ", member.count, " elements, but is ",
                           member.shard, "; Sharding::load_state takes whole parameters"));
    moved = moved || member.shard.dtype() != local_.dtype() || member.shard.device() != local_.device() ||
            (member.count > 0 && member.shard.raw_data() != part(local_, member).raw_data());
    if (member.shard.dtype() != any.dtype() || member.shard.device() != any.device())
      throw DTypeError(str("shard: ", member.name, " is ", member.shard, ", but ", members_.front().name, " is ", any,
                           "; convert the whole module with net.to"));
  }
  if (!moved) return trains_others;
  const NoGrad guard;
  free_weights();
  bucket_ = local_gradients_ = {};
  allocate_chunk(any.dtype(), is_offloaded() ? device_ : any.device());
  for (Member& member : members_) {
    const Tensor place = part(local_, member);
    copy_(place, member.shard.detach());
    const Tensor gradient = member.shard.grad();
    member.shard.set_data(place);
    if (gradient.defined()) member.shard.set_grad(gradient);
    member.full.set_grad({});
    member.is_pending = false;
    if (plan_.keeps_weights) member.full.set_data(view(full_, member));
  }
  gathered_ = false;
  free_weights();
  return trains_others;
}

PackedTensor* FlatWeights::pack_restorable(const Tensor& tensor) { return new WeightRecipe(*this, tensor.layout()); }

Tensor FlatWeights::restored(const Layout& layout, std::uint64_t versions) {
  if (!restore_)
    throw ValueError(str("shard: backward needs ", members_.front().name,
                         ", but the Sharding is gone; keep it until backward has run"));
  if (versions != this->versions())
    throw AutogradError(str("shard: ", members_.front().name,
                            " or its neighbours were saved for the gradient and then ",
                            "changed in place, by an optimizer's step between forward and backward?"));
  restore_();
  return Tensor(new TensorImpl(full_.impl()->storage, layout, full_.dtype()));
}

}  // namespace minima::distributed::detail
