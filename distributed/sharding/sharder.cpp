#include <minima/distributed/sharding/sharder.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/hooks.h>
#include <minima/autograd/mode.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/captured_groups.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/group.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/sharding/flat_weights.h>
#include <minima/nn/module/forward_wrapper.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/structure_version.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace minima::distributed::detail {

void Sharder::follow_capture() {
  if (!minima::detail::is_captured(group_.device())) return;
  if (std::exchange(capture_, minima::detail::capture_scope->id()) == minima::detail::capture_scope->id()) return;
  expect_reduced();
  ++steps_;
  for (Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats) {
      if (!flat->is_gathering()) continue;
      flat->forget_gather();
      flat->free_weights();
    }
  if (CapturedGroups* const captured = CapturedGroups::current()) captured->listen(link_);
}

void Sharder::expect_reduced() const {
  for (const Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats)
      if (flat->has_postponed())
        throw CaptureError(str("shard: gradients of ", flat->members().front().name,
                               " that were kept under no_sync would wait for their reduction across calls of a "
                               "captured step; call all backward passes of an optimizer step in one call of it"));
}

/// Shards change in optimizer steps, which backward announces on all ranks, and by hand, as in load_state_dict.
std::uint64_t Sharder::epoch() const {
  std::uint64_t sum = steps_ << 32;
  for (const Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats) sum += flat->versions();
  return sum - stepped_;
}

bool Sharder::is_current(const Block& block) const {
  const std::uint64_t now = epoch();
  for (const Ref<FlatWeights>& flat : block.flats)
    if (!flat->is_gathered() || flat->epoch() != now) return false;
  return true;
}

void Sharder::start_gather(Block& block, std::uint64_t now) {
  bool starts = false;
  for (const Ref<FlatWeights>& flat : block.flats) {
    if ((flat->is_gathered() || flat->is_gathering()) && flat->epoch() == now) continue;
    flat->finish_gather();
    flat->free_weights();
    note_call(*flat, 'g');
    flat->start_gather(now);
    starts = true;
  }
  if (starts) ++block.gathers;
}

/// For stages that keep weights: gathers all blocks, since a rank may skip the forward of some.
void Sharder::refresh(const Block& block) {
  if (is_current(block)) return;
  const std::uint64_t now = epoch();
  for (Block& each : blocks_) {
    start_gather(each, now);
    if (options_.prefetch) continue;
    for (const Ref<FlatWeights>& flat : each.flats) flat->finish_gather();
  }
  for (const Ref<FlatWeights>& flat : block.flats) flat->finish_gather();
}

void Sharder::gather(std::size_t index, Phase phase) {
  follow_capture();
  Block& block = blocks_[index];
  if (plan_.keeps_weights) return refresh(block);
  if (phase != phase_) {
    phase_ = phase;
    seen_.clear();
    last_ = nowhere;
  }
  if (seen_.count(index) && is_current(block)) return;
  const std::uint64_t now = epoch();
  start_gather(block, now);
  // A block that comes again begins another chain: what follows may belong to the next step.
  if (!seen_.insert(index).second) {
    seen_ = {index};
    last_ = nowhere;
  }
  if (last_ != nowhere) next_[static_cast<std::size_t>(phase)][last_] = index;
  last_ = index;
  if (const std::size_t next = next_[static_cast<std::size_t>(phase)][index];
      options_.prefetch && next != nowhere && !seen_.count(next))
    start_gather(blocks_[next], now);
  for (const Ref<FlatWeights>& flat : block.flats) flat->finish_gather();
}

void Sharder::release(Block& block) {
  if (whole_ > 0) return;
  for (const Ref<FlatWeights>& flat : block.flats) flat->free_weights();
}

/// For backward: a block whose gradients never complete, such as one that is frozen, makes room for the next.
void Sharder::release_all_but(std::size_t index) {
  if (whole_ > 0) return;
  for (std::size_t i = 1; i < blocks_.size(); ++i)
    if (i != index)
      for (const Ref<FlatWeights>& flat : blocks_[i].flats)
        if (flat->is_gathered()) flat->free_weights();
}

void Sharder::gather_all() {
  follow_capture();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    follow_shards(i);
    start_gather(blocks_[i], epoch());
  }
  for (Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats) flat->finish_gather();
  ++whole_;
}

void Sharder::release_all() {
  if (--whole_ > 0) return;
  for (Block& block : blocks_) release(block);
}

// --- forward ---

void Sharder::follow_shards(std::size_t index) {
  for (const Ref<FlatWeights>& flat : blocks_[index].flats) {
    trains_others_ |= flat->follow_shards();
    flat->notice_zero_grad();
  }
  hook_parameters(index);
}

void Sharder::expect_same_parameters(const nn::ModuleBase& net) {
  const std::uint64_t structure = nn::detail::structure_version.load();
  if (structure == structure_) return;
  for (const auto& [name, parameter] : net.named_parameters())
    if (is_floating(parameter.dtype()) && !places_.count(parameter.impl()))
      throw ValueError(str("shard: ", name, " is new in the ", net.type_name(),
                           " since it was sharded, so ranks would train it each for itself; change modules before "
                           "shard()"));
  structure_ = structure;
}

void Sharder::follow_placement() {
  if (group_.size() > 1 && !checked_ && wants_placement_check()) checked_ = std::make_unique<PlacementUser>();
  if (!checks_placement()) return;
  std::vector<RankSet> sets{rank_set(group_)};
  if (options_.replicas.defined()) sets.push_back(rank_set(options_.replicas));
  use_data_axes("shard", sets, options_.combine == Reduce::mean);
  for (const auto& [index, place] : order_) {
    const FlatWeights::Member& member = place.first->members()[place.second];
    name_parameter(member.full, member.name);
  }
}

void Sharder::before_forward(std::size_t index, bool is_whole_net, const nn::ModuleBase& module) {
  const bool records = is_grad_enabled();
  if (is_whole_net) follow_placement();
  if (is_recomputing()) return gather(index, Phase::backward);
  const bool is_chain_end = is_whole_net && !in_backward_;
  if (is_chain_end) {
    seen_.clear();
    last_ = nowhere;
    expect_same_parameters(module);
    for (std::size_t i = 0; i < blocks_.size(); ++i) follow_shards(i);
    if (std::exchange(trains_others_, false)) expect_agreement_on_trained();
    if (options_.broadcast_buffers && no_sync == 0 && whole_ == 0 && group_.size() > 1 && module.is_training()) {
      const NoGrad guard;
      broadcast_all(buffers_, group_);
    }
  } else {
    follow_shards(index);
  }
  blocks_[index].is_used = blocks_[index].is_used || records;
  if (in_backward_) return gather(index, Phase::backward);
  gather(index, records ? Phase::forward : Phase::evaluation);
}

/// The hook stays when the sharder goes: weights of stage 3 are NaN then, and those of other stages would not change.
void Sharder::hook_call(nn::ModuleBase& module, std::size_t index, bool is_whole_net) {
  nn::detail::add_first_pre_hook(
      module, [link = link_, index, is_whole_net](nn::ModuleBase& called, std::vector<Tensor>&) {
        if (!link->sharder)
          throw ValueError(str("shard: the Sharding of this ", called.type_name(),
                               " is gone, so its weights are not gathered; keep it as long as the net is used"));
        link->sharder->before_forward(index, is_whole_net, called);
      });
}

void Sharder::after_forward(std::size_t index, const std::vector<Tensor>& outputs) {
  if (is_recomputing() || in_backward_) return;
  const bool records = is_grad_enabled();
  if (records)
    for (const Tensor& output : outputs)
      if (output.defined() && output.requires_grad() && !output.is_leaf())
        register_pre_backward_hook(output, [link = link_, index](std::vector<Tensor>&) {
          if (link->sharder) link->sharder->before_backward(index);
        });
  // Parameters in no block are needed first in backward.
  if (!records || (index != 0 && options_.reshard_after_forward)) release(blocks_[index]);
}

// --- backward ---

void Sharder::start_pass() {
  if (in_backward_) return;
  in_backward_ = true;
  next_turn_ = 0;
  completed_.clear();
  arriving_.clear();
  for (Block& block : blocks_) block.is_reached = block.is_announced = false;
  for (const Turn& turn : turns_) turn.flat->begin_pass();
  is_starting_ = true;
  after_backward([link = link_](bool completed) {
    if (link->sharder) link->sharder->end_backward(completed);
  });
  is_starting_ = false;
}

void Sharder::before_backward(std::size_t index) {
  start_pass();
  blocks_[index].is_reached = true;
  if (no_sync == 0) start_reductions(index);
  if (options_.reshard_after_forward && index != 0 && index != last_) release_all_but(index);
  gather(index, Phase::backward);
  for (const Ref<FlatWeights>& flat : blocks_[index].flats) {
    flat->notice_zero_grad();
    if (!flat->is_sent()) flat->prepare_gradients();
  }
}

void Sharder::on_gradient(std::size_t index, FlatWeights& flat, std::size_t at) {
  FlatWeights::Member& member = flat.members()[at];
  start_pass();
  if (!blocks_[index].is_used) {
    member.full.set_grad({});
    throw ValueError(
        str("shard: ", member.name, " got a gradient, but its block",
            blocks_[index].name.empty() ? "" : " " + blocks_[index].name,
            " was not called: a sharded parameter may be used in the forward of its block only; leave that "
            "module out of the blocks, or use the parameter inside of it"));
  }
  if (flat.is_sent())
    throw ValueError(str("shard: ", member.name, " got another gradient after its block's were reduced; a nested ",
                         "backward must not reach the same parameters"));
  member.is_ready = true;
  if (index == 0 || flat.awaits_gradients()) return;
  completed_.push_back(&flat);
  if (no_sync == 0) start_reductions(index);
  if (whole_ == 0) flat.free_weights();
}

void Sharder::end_backward(bool completed) {
  in_backward_ = false;
  if (!completed) {
    reducing_ = nullptr;
    for (Block& block : blocks_)
      for (const Ref<FlatWeights>& flat : block.flats) flat->drop_gradients();
  }
  if (no_sync > 0) {
    for (Block& block : blocks_)
      for (const Ref<FlatWeights>& flat : block.flats) flat->postpone();
  } else if (completed && !is_starting_) {  // grad() accumulates nothing, and this is called at once
    end_reductions();
    ++steps_;
  }
  for (Block& block : blocks_) release(block);
  seen_.clear();
  last_ = nowhere;
  phase_ = Phase::forward;
}

}  // namespace minima::distributed::detail
