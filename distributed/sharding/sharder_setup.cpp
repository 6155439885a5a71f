#include <minima/distributed/sharding/sharder.h>

#include <minima/autograd/hooks.h>
#include <minima/autograd/mode.h>
#include <minima/distributed/agreement.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/sharding/flat_weights.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/io/state.h>
#include <minima/nn/module/deferred.h>
#include <minima/nn/module/elements.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/registry.h>
#include <minima/nn/parametrize/stand_in.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

// These are the Sharder's members for the time before training, and outside of it.

namespace minima::distributed::detail {

using nn::detail::ModuleState;
using nn::detail::Registry;

namespace {

void check_sharding(const nn::ModuleBase& net, const ProcessGroup& group, const ShardingOptions& options) {
  if (!group.defined()) throw ValueError("shard: the process group is undefined; distributed::init() makes one");
  if (options.stage < 1 || options.stage > 3)
    throw ValueError(str("shard: there is no stage ", options.stage, "; stages are 1, 2 and 3"));
  for (const auto& [name, dtype] : {std::pair{"compute", options.compute}, {"reduce", options.reduce}})
    if (dtype && !is_floating(*dtype))
      throw DTypeError(str("shard: ", name, " must be a floating dtype, got ", *dtype));
  if (options.combine != Reduce::mean && options.combine != Reduce::sum)
    throw ValueError(str("shard: gradients are combined by mean or sum, not by ", name(options.combine)));
  if (const std::string name = nn::detail::find_stand_in(net); !name.empty())
    throw ValueError(str("shard: ", name, " is sharded already; a module, and so a block, belongs to one Sharding"));
  for (const nn::NamedTensor& parameter : net.named_parameters())
    if (parameter.tensor.device() != group.device())
      throw DeviceError(str("shard: ", parameter.name, " is on ", parameter.tensor.device(),
                            ", but the group's backend, ", group.backend(), ", communicates on ", group.device(),
                            "; call net.to before"));
}

/// The names of the blocks. Throws unless each is a part of the net, once.
std::vector<std::string> names_of(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks) {
  std::unordered_map<const ModuleState*, std::string> known;
  for (const nn::NamedModule& module : net.named_modules())
    known.try_emplace(Registry::identity(*module.module), module.name);
  std::vector<std::string> names;
  std::unordered_map<const ModuleState*, std::size_t> seen;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!blocks[i]) throw ValueError(str("shard: block ", i, " is null"));
    const auto found = known.find(Registry::identity(*blocks[i]));
    if (found == known.end())
      throw ValueError(
          str("shard: block ", i, ", a ", blocks[i]->type_name(), ", is no part of the ", net.type_name()));
    if (found->second.empty())
      throw ValueError("shard: block 0 is the whole net; leave it out: what is in no block is gathered together");
    if (!seen.try_emplace(found->first, i).second)
      throw ValueError(str("shard: the block ", found->second, " is named twice"));
    names.push_back(found->second);
  }
  return names;
}

std::string initialiser_of(const Tensor& parameter) {
  const nn::detail::Initialiser* const found = nn::detail::find_deferred(parameter);
  return found ? str(", deferred ", found->text) : std::string();
}

/// Broadcasts rank 0's values, and where in its generator's stream deferred parameters start.
void broadcast_state(const nn::ModuleBase& net, const ProcessGroup& group) {
  std::vector<Tensor> all, deferred;
  for (const Tensor& parameter : net.parameters())
    (nn::detail::find_deferred(parameter) ? deferred : all).push_back(parameter);
  for (const Tensor& buffer : net.buffers()) all.push_back(buffer);
  broadcast_all(all, group);
  if (deferred.empty() || !has_others(group)) return;
  std::vector<std::int64_t> starts;
  for (const Tensor& parameter : deferred) {
    const RandomGenerator::Position start = nn::detail::find_deferred(parameter)->start;
    starts.push_back(static_cast<std::int64_t>(start.seed));
    starts.push_back(static_cast<std::int64_t>(start.offset));
  }
  const Tensor first = from_vector(starts, {static_cast<std::int64_t>(starts.size())}).to(group.device());
  group.broadcast(first, 0, {.label = "initialisers"}).wait();
  if (group.is_first()) return;
  starts = first.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < deferred.size(); ++i)
    nn::detail::set_start(deferred[i],
                          {static_cast<std::uint64_t>(starts[2 * i]), static_cast<std::uint64_t>(starts[2 * i + 1])});
}

}  // namespace

Sharder::Sharder(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks, const ProcessGroup& group,
                 const ShardingOptions& options)
    : group_(group), options_(options), link_(new Link) {
  check_sharding(net, group, options);
  const NoGrad guard;
  plan_ = {.group = group,
           .replicas = options.replicas,
           .keeps_weights = options.stage < 3,
           .keeps_gradients = options.stage < 2,
           .compute = options.compute,
           .reduce = options.reduce,
           .combine = options.combine};
  if (options.offload && group.device().is_cuda()) plan_.copies = Stream::create(group.device());
  buffers_ = net.buffers();
  expect_agreement_on(net, blocks);
  broadcast_state(net, group_);
  if (options.replicas.defined()) broadcast_state(net, options.replicas);
  assign(net, blocks);
  link_->sharder = this;
  hook_modules(net, blocks);
  for (std::size_t index = 0; index < blocks_.size(); ++index) {
    hook_parameters(index);
    for (const Ref<FlatWeights>& flat : blocks_[index].flats)
      for (const FlatWeights::Member& member : flat->members())
        optim::detail::set_parts(member.shard, member.full, this);
  }
  for (Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats) flat->set_epoch(epoch());
  for (std::size_t index = blocks_.size(); index-- > 0;)
    for (const Ref<FlatWeights>& flat : blocks_[index].flats) turns_.push_back({index, flat.get()});
  for (std::vector<std::size_t>& next : next_) next.assign(blocks_.size(), nowhere);
}

Sharder::~Sharder() {
  link_->sharder = nullptr;
  for (nn::ForwardHookHandle& hook : hooks_) hook.remove();
  for (Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats) {
      flat->set_restore({});
      for (FlatWeights::Member& member : flat->members()) {
        member.hook.remove();
        optim::detail::forget_parts(member.shard, member.full);
      }
    }
}

void Sharder::expect_agreement_on(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks) const {
  const auto or_own = [](const std::optional<DType>& dtype) { return dtype ? str(*dtype) : std::string("own"); };
  std::string text =
      str("stage ", options_.stage, ", compute ", or_own(options_.compute), ", reduce ", or_own(options_.reduce),
          ", combine ", name(options_.combine), options_.reshard_after_forward ? "" : ", not resharded",
          options_.prefetch ? "" : ", no prefetch", options_.broadcast_buffers ? "" : ", own buffers",
          options_.offload ? ", offloaded" : "",
          options_.replicas.defined() ? str(", ", options_.replicas.size(), " replicas") : "", "\n");
  for (const std::string& name : names_of(net, blocks)) text += "block " + name + "\n";
  for (const auto& [name, tensor] : net.named_parameters())
    text += str(name, " ", tensor.dtype(), " ", tensor.shape(), initialiser_of(tensor),
                tensor.requires_grad() ? "\n" : " frozen\n");
  for (const auto& [name, tensor] : net.named_buffers())
    text += str(name, " ", tensor.dtype(), " ", tensor.shape(), "\n");
  expect_agreement("shard", "call", text, group_);
  if (options_.replicas.defined()) expect_agreement("shard", "call", text, options_.replicas);
}

/// Gives each parameter to the innermost block that has it; one of several blocks, or of none, to block 0.
void Sharder::assign(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks) {
  std::unordered_map<const ModuleState*, std::size_t> block_of;
  const std::vector<std::string> names = names_of(net, blocks);
  blocks_.resize(blocks.size() + 1);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    block_of[Registry::identity(*blocks[i])] = i + 1;
    blocks_[i + 1].name = names[i];
  }
  std::unordered_map<const TensorImpl*, std::size_t> owner;
  const auto walk = [&](const auto& self, const nn::ModuleBase& module, std::size_t index) -> void {
    if (const auto found = block_of.find(Registry::identity(module)); found != block_of.end()) index = found->second;
    for (const Tensor& parameter : nn::detail::own_parameters(module))
      if (const auto [place, is_new] = owner.try_emplace(parameter.impl(), index); !is_new && place->second != index)
        place->second = 0;
    Registry::for_each_child(module,
                             [&](const std::string&, const nn::ModuleBase& child) { self(self, child, index); });
  };
  walk(walk, net, 0);

  // Weights are gathered together if they agree in dtype, and in whether they have gradients.
  std::map<std::tuple<std::size_t, DType, bool>, std::vector<FlatWeights::Member>> groups;
  std::unordered_map<const TensorImpl*, std::size_t> place;
  const std::vector<nn::NamedTensor> listed = net.named_parameters();
  for (const auto& [name, parameter] : listed) {
    if (!is_floating(parameter.dtype())) continue;  // stays whole
    FlatWeights::Member member;
    member.name = name;
    member.full = parameter;
    groups[{owner[parameter.impl()], parameter.dtype(), !parameter.requires_grad()}].push_back(std::move(member));
  }
  std::unordered_map<const TensorImpl*, std::pair<std::size_t, std::pair<FlatWeights*, std::size_t>>> found;
  std::vector<nn::detail::StandIn> stand_ins;
  for (auto& [key, members] : groups) {
    const std::size_t index = std::get<0>(key);
    Ref<FlatWeights> flat(new FlatWeights(plan_, std::move(members)));
    flat->set_restore([this, index] {
      start_pass();
      gather(index, Phase::backward);
    });
    for (std::size_t i = 0; i < flat->members().size(); ++i) {
      const FlatWeights::Member& member = flat->members()[i];
      found[member.full.impl()] = {index, {flat.get(), i}};
      places_[member.shard.impl()] = {flat.get(), i};
      stand_ins.push_back({member.full, member.shard, member.shape, member.begin});
    }
    blocks_[index].flats.push_back(std::move(flat));
  }
  for (const auto& [name, parameter] : listed)
    if (const auto known = found.find(parameter.impl()); known != found.end()) order_.push_back(known->second);
  hooks_of_owners(net, owner, block_of);
  nn::detail::set_stand_ins(net, stand_ins);
}

/// Modules gather the block of their own parameters, too: a checkpointed part of a block is called by itself when it is
/// recomputed, and a net may have other functions than forward.
void Sharder::hooks_of_owners(const nn::ModuleBase& net,
                              const std::unordered_map<const TensorImpl*, std::size_t>& owner,
                              const std::unordered_map<const ModuleState*, std::size_t>& block_of) {
  std::unordered_map<const ModuleState*, bool> seen{{Registry::identity(net), true}};
  Registry::visit(net, [&](const nn::ModuleBase& module) {
    const ModuleState* const state = Registry::identity(module);
    if (!seen.try_emplace(state, true).second) return;
    const auto block = block_of.find(state);
    std::vector<std::size_t> indices;
    for (const Tensor& parameter : nn::detail::own_parameters(module)) {
      if (!is_floating(parameter.dtype())) continue;
      const std::size_t index = owner.at(parameter.impl());
      const bool is_hooked = block != block_of.end() && block->second == index;
      if (!is_hooked && std::find(indices.begin(), indices.end(), index) == indices.end()) indices.push_back(index);
    }
    for (const std::size_t index : indices) hook_call(const_cast<nn::ModuleBase&>(module), index, false);
  });
}

void Sharder::hook_modules(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks) {
  for (std::size_t index = 0; index <= blocks.size(); ++index) {
    auto& module = const_cast<nn::ModuleBase&>(index == 0 ? net : *blocks[index - 1]);
    hook_call(module, index, index == 0);
    hooks_.push_back(module.add_forward_hook(
        [link = link_, index](nn::ModuleBase&, const std::vector<Tensor>&, std::vector<Tensor>& outputs) {
          if (link->sharder) link->sharder->after_forward(index, outputs);
        }));
  }
}

void Sharder::hook_parameters(std::size_t index) {
  for (const Ref<FlatWeights>& flat : blocks_[index].flats)
    for (std::size_t i = 0; i < flat->members().size(); ++i) {
      FlatWeights::Member& member = flat->members()[i];
      if (member.is_hooked || !member.full.requires_grad()) continue;
      member.is_hooked = true;
      member.hook =
          register_post_accumulate_hook(member.full, [link = link_, index, at = flat.get(), i](const Tensor&) {
            if (link->sharder) link->sharder->on_gradient(index, *at, i);
          });
    }
}

/// Shards may be on the host, the ranks communicate on their devices.
void Sharder::reduce(const Tensor& x, bool is_max) {
  const PlacementPause pause;
  const Tensor there = x.to(group_.device());
  group_.all_reduce(there, is_max ? Reduce::max : Reduce::sum, {.label = "sums or extremes over shards"}).wait();
  // Replicas add up the same, perhaps in another order, and would drift apart by the difference.
  if (options_.replicas.defined())
    options_.replicas.all_reduce(there, is_max ? Reduce::max : Reduce::mean, {.label = "sums or extremes of replicas"})
        .wait();
  if (!there.is_same(x)) copy_(x, there);
}

Tensor Sharder::exchange(const Tensor& x, const std::vector<std::int64_t>& given,
                         const std::vector<std::int64_t>& taken) {
  const PlacementPause pause;
  const PurposeGuard purpose(Purpose::communication);
  const Tensor out =
      empty({std::accumulate(taken.begin(), taken.end(), std::int64_t{0})}, {x.dtype(), group_.device()});
  group_.all_to_all_into(out, x.to(group_.device()), given, taken, {.label = "whole tensors of the optimizer"}).wait();
  return out.to(x.device());
}

// --- outside of training ---

optim::detail::PartOfTensor Sharder::place(const Tensor& shard, int rank) const {
  const auto& [flat, at] = places_.at(shard.impl());
  const FlatWeights::Member& member = flat->members()[at];
  const auto [begin, count] = flat->range_of(member, rank);
  return {.shape = member.shape,
          .offset = begin,
          .count = count,
          .is_first_copy = !options_.replicas.defined() || options_.replicas.rank() == 0,
          .has_unreduced_gradient = member.is_pending && member.shard.grad().defined()};
}

std::vector<std::vector<Tensor>> Sharder::shards() const {
  std::vector<std::vector<Tensor>> shards;
  for (const Block& block : blocks_) {
    std::vector<Tensor>& of_block = shards.emplace_back();
    for (const Ref<FlatWeights>& flat : block.flats)
      for (const FlatWeights::Member& member : flat->members()) of_block.push_back(member.shard);
  }
  return shards;
}

std::vector<Sharding::BlockInfo> Sharder::blocks() const {
  std::vector<Sharding::BlockInfo> infos;
  for (const Block& block : blocks_) {
    Sharding::BlockInfo& info = infos.emplace_back();
    info.name = block.name;
    info.gathers = block.gathers;
    for (const Ref<FlatWeights>& flat : block.flats) {
      info.elements += flat->size();
      for (const FlatWeights::Member& member : flat->members()) info.parameters.push_back(member.name);
    }
  }
  return infos;
}

std::vector<ShardedTensor> Sharder::state() const {
  std::vector<ShardedTensor> entries;
  for (const auto& [index, place] : order_) {
    const FlatWeights::Member& member = place.first->members()[place.second];
    entries.push_back({member.name, member.shape, member.begin, member.shard.detach()});
  }
  return entries;
}

State Sharder::gather_state() {
  const NoGrad guard;
  check_last_calls();
  std::unordered_map<const FlatWeights::Member*, Tensor> whole;
  for (Block& block : blocks_)
    for (const Ref<FlatWeights>& flat : block.flats) {
      flat->follow_shards();
      const PurposeGuard purpose(Purpose::communication);
      const Tensor all = empty({flat->size()}, {flat->chunk().dtype(), group_.device()});
      group_.all_gather_into(all, flat->chunk().to(group_.device()), {}, {.label = "state of " + block.name}).wait();
      for (const FlatWeights::Member& member : flat->members())
        whole[&member] =
            clone(reshape(narrow(all, 0, member.offset, numel(member.shape)), member.shape)).to(Device::cpu());
    }
  State state;
  for (const auto& [index, place] : order_) {
    const FlatWeights::Member& member = place.first->members()[place.second];
    state.add(member.name, whole.at(&member));
  }
  return state;
}

void Sharder::load_state(const State& state) {
  const NoGrad guard;
  std::string problems;
  for (const auto& [index, place] : order_) {
    const FlatWeights::Member& member = place.first->members()[place.second];
    const Tensor* const source = state.find(member.name);
    if (!source) problems += str("\n  missing: ", member.name);
    else if (source->shape() != member.shape)
      problems += str("\n  mismatched: ", member.name, " is ", member.shape, " in the module but ", source->shape(),
                      " in the state");
  }
  if (!problems.empty()) throw ValueError("Sharding::load_state: the state does not fit the module:" + problems);
  for (const auto& [index, place] : order_) {
    const FlatWeights::Member& member = place.first->members()[place.second];
    copy_(member.shard, nn::detail::elements_of(*state.find(member.name), member.begin, member.count));
  }
}

}  // namespace minima::distributed::detail
