#include <minima/distributed/sharding/sharding.h>

#include <minima/distributed/process_group.h>
#include <minima/distributed/sharding/sharder.h>
#include <minima/io/state.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace minima::distributed {

Sharding::Sharding(std::unique_ptr<detail::Sharder> sharder) : sharder_(std::move(sharder)) {}
Sharding::Sharding(Sharding&&) noexcept = default;
Sharding& Sharding::operator=(Sharding&&) noexcept = default;
Sharding::~Sharding() = default;

Sharding::NoSync::NoSync(const Sharding& sharding) : sharder_(*sharding.sharder_) { ++sharder_.no_sync; }
Sharding::NoSync::~NoSync() { --sharder_.no_sync; }
Sharding::NoSync Sharding::no_sync() const { return NoSync(*this); }

Sharding::Whole::Whole(const Sharding& sharding) : sharder_(*sharding.sharder_) { sharder_.gather_all(); }
Sharding::Whole::~Whole() { sharder_.release_all(); }
Sharding::Whole Sharding::gather() const { return Whole(*this); }

void Sharding::on_reduced(Function<void(std::size_t)> f) const { sharder_->on_reduced(std::move(f)); }
void Sharding::sum_over_ranks(optim::Accumulation& accumulation) const { sharder_->sum_over_ranks(accumulation); }
std::vector<std::vector<Tensor>> Sharding::shards() const { return sharder_->shards(); }
std::vector<ShardedTensor> Sharding::state() const { return sharder_->state(); }
State Sharding::gather_state() const { return sharder_->gather_state(); }
void Sharding::load_state(const State& state) const { sharder_->load_state(state); }
std::vector<Sharding::BlockInfo> Sharding::blocks() const { return sharder_->blocks(); }
const ProcessGroup& Sharding::group() const { return sharder_->group(); }

Sharding shard(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks, const ProcessGroup& group,
               const ShardingOptions& options) {
  return Sharding(std::make_unique<detail::Sharder>(net, blocks, group, options));
}

std::vector<nn::ModuleBase*> children_of(const nn::ModuleBase& module) {
  std::vector<nn::ModuleBase*> blocks;
  for (const nn::NamedModule& child : module.children()) blocks.push_back(child.module);
  return blocks;
}

}  // namespace minima::distributed
