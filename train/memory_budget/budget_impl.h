#pragma once

#include <minima/autograd/checkpoint/checkpoint_region.h>
#include <minima/nn/module/forward_hook.h>
#include <minima/nn/module/forward_wrapper.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/storage/memory_pressure.h>
#include <minima/train/memory_budget/memory_budget.h>

#include <chrono>
#include <memory>
#include <unordered_set>

namespace minima::train {

/// Measures the time of a block's forward, and how much of it goes into products. On a GPU both are estimated from
/// arithmetic and memory traffic, because the host does not synchronise.
class ProductTimer final : public Observer {
 public:
  explicit ProductTimer(bool on_gpu);
  ~ProductTimer();
  void begin(const char* op, Cost cost) override;
  void end() noexcept override;
  double seconds() const;  ///< since construction
  double product_seconds() const { return products_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool on_gpu_;
  Observer* previous_;
  Clock::time_point start_ = Clock::now(), op_start_;
  int depth_ = 0;
  bool is_product_ = false;
  double estimated_ = 0, products_ = 0;
};

class MemoryBudget::Impl final : public detail::MemoryPressure, public std::enable_shared_from_this<Impl> {
 public:
  Impl(const nn::ModuleBase& model, std::int64_t bytes, std::vector<nn::AnyModule> blocks,
       std::vector<std::string> names);
  /// Wraps the blocks. Not in the constructor, because the hooks share ownership of this object.
  void start();
  void stop() noexcept;

  BudgetReport report() const;
  const StepCosts& costs() const { return costs_; }

 private:
  /// `sizes` lasts for the first forward and backward pass, `settling` for the rest of the first step.
  enum class Phase : std::uint8_t { sizes, settling, levels, planned };
  /// A fingerprint of the parameters, from which the boundary between two steps is detected.
  struct Traces {
    bool has_gradients = false;
    std::vector<std::pair<const Storage*, std::uint32_t>> versions;
  };
  struct Live {
    detail::Region* region;
    std::size_t block;
    bool in_use;
  };

  void before(Device device, std::size_t bytes) override;
  bool relieve(Device device, std::size_t bytes) override;

  nn::ModuleForward forward_of(std::size_t block) const;
  Tensor run(std::size_t block, const Tensor& x, const nn::ModuleForward& forward);
  Traces traces() const;
  void begin_pass();
  void begin_levels();
  void note_level(std::int64_t more = 0);
  void measure_sizes(std::size_t block, detail::Region& region, const Tensor& x, const Tensor& y);
  void watch(detail::Region& region, std::size_t block);
  CheckpointOptions options_for(std::size_t block) const;
  void make_plan();
  bool evict_one();
  std::int64_t in_use() const;

  const nn::ModuleBase* model_;
  const std::int64_t budget_;
  std::vector<nn::AnyModule> blocks_;
  std::vector<nn::ForwardHookHandle> hooks_;
  Device device_;
  Phase phase_ = Phase::sizes;
  StepCosts costs_;
  BudgetPlan plan_;
  std::vector<Live> live_;
  std::int64_t* level_ = nullptr;  ///< peak of the current part of the step
  std::size_t last_run_ = 0;
  std::size_t passes_ = 1;       ///< backward passes of the current step
  Traces step_;                  ///< at the start of the step
  bool optimizer_seen_ = false;  ///< its state has been allocated
  bool any_block_ran_ = false, backward_seen_ = false;
  std::int64_t actual_ = 0, evictions_ = 0;
  detail::MemoryPressure* previous_ = nullptr;
};

}  // namespace minima::train
