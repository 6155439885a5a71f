#include <minima/train/memory_budget/budget_impl.h>

#include <minima/tensor/memory/counted_bytes.h>

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/checkpoint/checkpoint_region.h>
#include <minima/autograd/mode.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/forward_hook.h>
#include <minima/nn/module/forward_wrapper.h>
#include <minima/nn/module/module.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/storage/memory_pressure.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor_impl.h>
#include <minima/train/memory_budget/budget_plan.h>
#include <minima/train/memory_budget/memory_budget.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A rough lower bound for a GPU. Only ratios of estimates matter here.
double estimated_seconds(Cost cost) { return std::max(cost.flops / 200e12, cost.bytes / 2e12); }

Device device_of(const nn::ModuleBase& model) {
  const std::vector<Tensor> parameters = model.parameters();
  return parameters.empty() ? Device::cpu() : parameters.front().device();
}

}  // namespace

ProductTimer::ProductTimer(bool on_gpu) : on_gpu_(on_gpu), previous_(set_observer(this)) {}
ProductTimer::~ProductTimer() { set_observer(previous_); }

void ProductTimer::begin(const char* op, Cost cost) {
  if (previous_) previous_->begin(op, cost);
  if (depth_++ > 0) return;
  is_product_ = keep_products(op) != Keep::recompute;
  const double estimate = estimated_seconds(cost);
  estimated_ += estimate;
  if (on_gpu_ && is_product_) products_ += estimate;
  op_start_ = Clock::now();
}

void ProductTimer::end() noexcept {
  if (--depth_ == 0 && is_product_ && !on_gpu_) products_ += since(op_start_);
  if (previous_) previous_->end();
}

double ProductTimer::seconds() const { return on_gpu_ ? estimated_ : since(start_); }

MemoryBudget::Impl::Impl(const nn::ModuleBase& model, std::int64_t bytes, std::vector<nn::AnyModule> blocks,
                         std::vector<std::string> names)
    : model_(&model), budget_(bytes), blocks_(std::move(blocks)), device_(device_of(model)) {
  costs_.can_offload = device_.is_cuda();
  for (std::string& name : names) costs_.blocks.push_back({.name = std::move(name)});
  level_ = &costs_.rest_peak;
}

void MemoryBudget::Impl::start() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const auto wrapper = [self = weak_from_this(), i](nn::Module& module, const Tensor& x,
                                                      const nn::ModuleForward& forward) {
      if (const auto alive = self.lock()) return alive->run(i, x, forward ? forward : alive->forward_of(i));
      return forward ? forward(x) : module.forward(x);
    };
    hooks_.push_back(nn::wrap_forward(*blocks_[i], wrapper));
  }
  previous_ = std::exchange(detail::memory_pressure, this);
}

void MemoryBudget::Impl::stop() noexcept {
  for (nn::ForwardHookHandle& hook : hooks_) hook.remove();
  if (detail::memory_pressure == this) detail::memory_pressure = previous_;
  for (const Live& live : live_) live.region->on_end = live.region->on_use = live.region->on_recompute = {};
  live_.clear();
}

// --- running a block ---

CheckpointOptions MemoryBudget::Impl::options_for(std::size_t block) const {
  CheckpointOptions options;
  const BlockMode mode = phase_ == Phase::planned ? plan_.modes[block] : BlockMode::recompute;
  if (phase_ == Phase::sizes || mode == BlockMode::recompute_cheap) options.policy = keep_products;
  options.offload_inputs = mode == BlockMode::offload || (phase_ != Phase::planned && costs_.can_offload);
  return options;
}

nn::ModuleForward MemoryBudget::Impl::forward_of(std::size_t block) const {
  return [owner = blocks_[block]](const Tensor& x) { return owner.as<nn::Module>().forward(x); };
}

Tensor MemoryBudget::Impl::run(std::size_t block, const Tensor& x, const nn::ModuleForward& forward) {
  if (!is_grad_enabled() || is_recomputing() || detail::memory_pressure != this) return forward(x);
  if (detail::RegionForward::is_running())
    throw ValueError(
        str("memory_budget: block ", costs_.blocks[block].name, " is called inside checkpoint() or another ",
            "block, and would be recomputed twice; let the budget decide alone (models: BlockCalls::chained)"));
  if (!any_block_ran_) step_ = traces();
  if (backward_seen_) begin_pass();
  any_block_ran_ = true;
  last_run_ = block;
  note_level();
  level_ = &costs_.blocks[block].forward_peak;
  const detail::RegionPtr region(options_for(block), {x},
                                 [forward](const std::vector<Tensor>& given) { forward(given[0]); });
  if (phase_ == Phase::sizes || (phase_ == Phase::planned && plan_.modes[block] == BlockMode::keep)) region->keep_all();
  watch(*region, block);
  Tensor y;
  {
    const detail::RegionForward recording(*region);
    if (phase_ == Phase::levels) {
      const ProductTimer timer(device_.is_cuda());
      y = forward(x);
      BlockCosts& costs = costs_.blocks[block];
      costs.forward_seconds += timer.seconds();
      costs.cheap_seconds += std::max(timer.seconds() - timer.product_seconds(), timer.seconds() / 20);
    } else {
      y = forward(x);
    }
  }
  if (phase_ == Phase::sizes) measure_sizes(block, *region, x, y);
  note_level();
  level_ = &costs_.head_peak;  // until another block runs
  return y;
}

void MemoryBudget::Impl::watch(detail::Region& region, std::size_t block) {
  live_.push_back({&region, block, false});
  const auto find = [self = this](const detail::Region* wanted) {
    return std::find_if(self->live_.begin(), self->live_.end(),
                        [&](const Live& live) { return live.region == wanted; });
  };
  region.on_end = [this, find, owner = shared_from_this(), r = &region] {
    if (const auto place = find(r); place != live_.end()) live_.erase(place);
  };
  region.on_use = region.on_recompute = [this, find, owner = shared_from_this(), r = &region, block] {
    if (const auto place = find(r); place != live_.end()) place->in_use = true;
    backward_seen_ = true;
    note_level();
    level_ = &costs_.blocks[block].backward_peak;
  };
}

MemoryBudget::Impl::Traces MemoryBudget::Impl::traces() const {
  Traces traces;
  for (const Tensor& parameter : model_->parameters()) {
    traces.has_gradients |= parameter.grad().defined();
    const Storage* const storage = parameter.impl()->storage.get();
    traces.versions.emplace_back(storage, storage->version());
  }
  return traces;
}

/// A step ends when its gradients are zeroed or its parameters change, whichever is seen first.
void MemoryBudget::Impl::begin_pass() {
  note_level();
  Traces now = traces();
  const bool has_changed = now.versions != step_.versions;
  if (!has_changed && now.has_gradients) {
    ++passes_;
    if (phase_ == Phase::sizes) phase_ = Phase::settling;
  } else {
    if (phase_ < Phase::levels || (has_changed && !optimizer_seen_)) begin_levels();
    else if (phase_ == Phase::levels) make_plan();
    optimizer_seen_ |= has_changed;
    step_ = std::move(now);
    passes_ = 1;
  }
  level_ = &costs_.rest_peak;
  backward_seen_ = false;  // not reached if make_plan throws, so that the next call throws again
}

/// Runs a second time if the optimizer allocates its state late because a loss scaler skipped its first steps.
void MemoryBudget::Impl::begin_levels() {
  phase_ = Phase::levels;
  for (BlockCosts& block : costs_.blocks) {
    block.forward_peak = block.backward_peak = 0;
    block.forward_seconds = block.cheap_seconds = 0;
  }
  costs_.head_peak = costs_.rest_peak = 0;
}

/// Counts the bytes that the block's call saved, without storages that exist anyway, then evicts them.
void MemoryBudget::Impl::measure_sizes(std::size_t block, detail::Region& region, const Tensor& x, const Tensor& y) {
  std::unordered_set<const Storage*> there{x.impl()->storage.get(), y.impl()->storage.get()};
  for (const Tensor& t : model_->parameters()) there.insert(t.impl()->storage.get());
  for (const Tensor& t : model_->buffers()) there.insert(t.impl()->storage.get());
  const auto add = [](std::unordered_set<const Storage*>& seen, const Tensor& tensor) -> std::int64_t {
    const Storage* const storage = tensor.impl()->storage.get();
    return seen.insert(storage).second ? static_cast<std::int64_t>(detail::counted_bytes(*storage)) : 0;
  };
  BlockCosts& costs = costs_.blocks[block];
  std::unordered_set<const Storage*> saved = there, products = there;
  region.for_each_saved([&](const Tensor& tensor) { costs.saved += add(saved, tensor); });
  region.outputs().for_each([&](const Tensor& tensor) {
    costs.products += add(products, tensor);
    costs.extra += add(saved, tensor);
  });
  costs.input += static_cast<std::int64_t>(detail::counted_bytes(*x.impl()->storage));
  region.evict();
}

/// Averages the times of equal blocks, which differ by noise only, and scales them to one backward pass.
void MemoryBudget::Impl::make_plan() {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::map<Key, std::vector<BlockCosts*>> alike;
  for (BlockCosts& block : costs_.blocks) alike[{block.saved, block.products, block.input}].push_back(&block);
  for (auto& [key, blocks] : alike) {
    double forward = 0, cheap = 0;
    for (const BlockCosts* block : blocks) {
      forward += block->forward_seconds;
      cheap += block->cheap_seconds;
    }
    for (BlockCosts* block : blocks) {
      block->forward_seconds = forward / static_cast<double>(blocks.size() * passes_);
      block->cheap_seconds = cheap / static_cast<double>(blocks.size() * passes_);
      if (costs_.can_offload) block->offload_seconds = static_cast<double>(2 * block->input) / 50e9;
    }
  }
  passes_ = 1;
  plan_ = plan_budget(costs_, budget_);
  phase_ = Phase::planned;
}

// --- memory ---

std::int64_t MemoryBudget::Impl::in_use() const {
  const MemoryStats stats = memory_stats(device_);
  return stats.allocated - stats.allocated_by[static_cast<int>(Purpose::dataset)];
}

void MemoryBudget::Impl::note_level(std::int64_t more) {
  const std::int64_t now = in_use() + more;
  if (phase_ == Phase::planned) actual_ = std::max(actual_, now);
  else *level_ = std::max(*level_, now);
}

void MemoryBudget::Impl::before(Device device, std::size_t bytes) {
  if (device != device_) return;
  const auto more = static_cast<std::int64_t>(bytes);
  if (phase_ == Phase::planned) {
    while (in_use() + more > budget_ && evict_one()) ++evictions_;
    const std::int64_t now = in_use() + more;
    const bool is_first_state = !optimizer_seen_ && detail::current_purpose == Purpose::optimizer_state;
    if (static_cast<double>(now) > 1.02 * static_cast<double>(budget_) && !is_first_state)
      throw OutOfMemoryError(str("memory_budget: allocating ", detail::bytes_text(more), " would bring the device to ",
                                 detail::bytes_text(now), ", over the budget of ", detail::bytes_text(budget_),
                                 ", and no kept block is left to evict; the ", "smallest feasible budget was ",
                                 detail::bytes_text(smallest_peak(costs_)),
                                 " in the measured step; if batches have grown since, or the program holds more ",
                                 "tensors, create a new budget"));
  }
  note_level(more);
}

bool MemoryBudget::Impl::relieve(Device device, std::size_t) {
  if (device != device_ || !evict_one()) return false;
  ++evictions_;
  return true;
}

/// Evicts the block with the least recomputation time per byte freed; among equals, the one needed last.
bool MemoryBudget::Impl::evict_one() {
  Live* best = nullptr;
  double best_cost = 0;
  for (Live& live : live_) {
    bool holds = false;
    live.region->for_each_saved([&](const Tensor&) { holds = true; });
    live.region->outputs().for_each([&](const Tensor&) { holds = true; });
    if (!holds || live.in_use || live.region->is_recomputing()) continue;
    const BlockCosts& costs = costs_.blocks[live.block];
    const double cost = costs.forward_seconds / static_cast<double>(std::max<std::int64_t>(costs.saved, 1));
    if (best && cost >= best_cost) continue;
    best = &live;
    best_cost = cost;
  }
  return best && best->region->evict();
}

BudgetReport MemoryBudget::Impl::report() const {
  BudgetReport report{.budget = budget_};
  const bool planned = phase_ == Phase::planned;
  if (planned) {
    report.smallest = smallest_peak(costs_);
    report.predicted_peak = plan_.peak;
    report.actual_peak = actual_;
  }
  report.evictions = evictions_;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const BlockCosts& costs = costs_.blocks[i];
    report.blocks.push_back(
        {costs.name, planned ? plan_.modes[i] : BlockMode::recompute, costs.saved, costs.forward_seconds});
  }
  return report;
}

}  // namespace minima::train
