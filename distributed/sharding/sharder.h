#pragma once

#include <minima/distributed/captured_groups.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/sharding/flat_weights.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/device/stream.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

// The Sharder decides what happens when in sharded training. Internal.

namespace minima::distributed::detail {

class Sharder final : public optim::detail::PartsOfTensors {
 public:
  Sharder(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks, const ProcessGroup& group,
          const ShardingOptions& options);
  ~Sharder();
  Sharder(const Sharder&) = delete;

  int no_sync = 0;

  /// Keeps all weights gathered until as many calls of release_all.
  void gather_all();
  void release_all();
  const ProcessGroup& group() const { return group_; }
  void sum_over_ranks(optim::Accumulation& accumulation);
  void on_reduced(Function<void(std::size_t)> f) { on_reduced_ = std::move(f); }
  std::vector<std::vector<Tensor>> shards() const;
  std::vector<Sharding::BlockInfo> blocks() const;
  std::vector<ShardedTensor> state() const;
  State gather_state();
  void load_state(const State& state);

  int rank() const override { return group_.rank(); }
  int size() const override { return group_.size(); }
  optim::detail::PartOfTensor place(const Tensor& shard, int rank) const override;
  void reduce(const Tensor& x, bool is_max) override;
  Tensor exchange(const Tensor& x, const std::vector<std::int64_t>& given,
                  const std::vector<std::int64_t>& taken) override;

 private:
  /// A module that is gathered as a whole; the first stands for what is in none.
  struct Block {
    std::string name;
    std::vector<Ref<FlatWeights>> flats;
    bool is_used = false;       ///< its forward was recorded
    bool is_reached = false;    ///< by this backward pass
    bool is_announced = false;  ///< to on_reduced, likewise
    std::int64_t gathers = 0;
  };
  /// Shared with hooks and captured steps, which may outlive the sharder.
  struct Link final : CaptureListener {
    Sharder* sharder = nullptr;
    void out_of_date() noexcept override {
      if (sharder) ++sharder->steps_;
    }
    void expect_complete() override {
      if (sharder) sharder->expect_reduced();
    }
  };
  /// Chains of gathers whose order is remembered apart.
  enum class Phase : std::uint8_t { forward, evaluation, backward };
  static constexpr std::size_t nowhere = ~std::size_t{0};

  /// As Reducer::follow_placement.
  void follow_placement();

  // sharder_setup.cpp
  void expect_agreement_on(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks) const;
  /// Throws ValueError, on every rank, if ranks train different parameters.
  void expect_agreement_on_trained() const;
  void assign(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks);
  void hooks_of_owners(const nn::ModuleBase& net, const std::unordered_map<const TensorImpl*, std::size_t>& owner,
                       const std::unordered_map<const nn::detail::ModuleState*, std::size_t>& block_of);
  /// Gathers a block when a module is called, before other hooks, which may compute weights of others.
  void hook_call(nn::ModuleBase& module, std::size_t index, bool is_whole_net);
  void hook_modules(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks);
  /// Hooks the parameters that are trained and have no hook yet.
  void hook_parameters(std::size_t index);
  void follow_shards(std::size_t index);
  /// Throws ValueError if the net has parameters that it had not when it was sharded.
  void expect_same_parameters(const nn::ModuleBase& net);
  void note_call(const FlatWeights& flat, char kind);

  /// Notices that a step is being captured. Its replays begin with the shards, whatever is gathered at present.
  void follow_capture();
  /// Throws CaptureError if gradients of passes under no_sync wait for their reduction.
  void expect_reduced() const;
  std::uint64_t epoch() const;
  bool is_current(const Block& block) const;
  void start_gather(Block& block, std::uint64_t now);
  void refresh(const Block& block);
  /// Gathers a block, and starts the one that came next the last time.
  void gather(std::size_t index, Phase phase);
  void release(Block& block);
  void release_all_but(std::size_t index);

  void before_forward(std::size_t index, bool is_whole_net, const nn::ModuleBase& module);
  void after_forward(std::size_t index, const std::vector<Tensor>& outputs);
  void before_backward(std::size_t index);
  void on_gradient(std::size_t index, FlatWeights& flat, std::size_t member);
  void start_pass();
  void end_backward(bool completed);

  // sharder_reductions.cpp
  /// Starts the reductions whose turn it is: up to the last block that is complete, or of which the pass has nothing to
  /// bring and is elsewhere by now, in block `present`.
  void start_reductions(std::size_t present);
  void start_reduction(FlatWeights& flat);
  void finish_reductions();
  /// Announces blocks whose gradients are there, but for the last `late` flats that were reduced.
  void announce_arrived(std::size_t late);
  void announce(std::size_t index);
  /// Reduces what is left at the end of a pass.
  void end_reductions();
  void share_usage();
  bool has_other_ranks() const;
  void share_captured_usage(const std::vector<std::uint8_t>& own, bool is_all_used);
  void accept_gradients(const std::uint8_t* used);
  void agree_on_order();
  void check_last_calls();
  void check_calls(const std::uint8_t* calls) const;

  ProcessGroup group_;
  ShardingOptions options_;
  ShardingPlan plan_;
  std::vector<Block> blocks_;
  std::vector<std::pair<std::size_t, std::pair<FlatWeights*, std::size_t>>>
      order_;  ///< parameters, as the net lists them
  std::unordered_map<const TensorImpl*, std::pair<const FlatWeights*, std::size_t>> places_;  ///< by shard
  std::vector<Tensor> buffers_;
  Ref<Link> link_;
  std::vector<nn::ForwardHookHandle> hooks_;

  int whole_ = 0;              ///< weights are kept gathered
  std::uint64_t steps_ = 0;    ///< counts backward passes whose gradients were reduced, and replays of captured steps
  std::uint64_t capture_ = 0;  ///< the last, by CaptureScope::id
  bool in_backward_ = false, is_starting_ = false;
  bool trains_others_ = false;  ///< parameters were frozen or thawed since the last forward
  /// All ranks reduce all that is trained in every pass, in this order, so that it doesn't matter what each uses.
  struct Turn {
    std::size_t block;
    FlatWeights* flat;
  };
  std::vector<Turn> turns_;
  std::size_t next_turn_ = 0;            ///< in this pass
  std::vector<FlatWeights*> completed_;  ///< in this pass, in the order of their last gradients
  bool has_order_ = false;               ///< turns_ is the order in which gradients became complete on rank 0
  FlatWeights* reducing_ = nullptr;
  Function<void(std::size_t)> on_reduced_;
  std::deque<FlatWeights*> arriving_;  ///< reduced in this pass, and not announced
  std::uint64_t stepped_ = 0;  ///< changes of shards by on_reduced, which does not make weights stale in its pass
  static constexpr std::uint32_t first_hash = 2166136261u;
  std::uint32_t calls_ = first_hash;  ///< hash of what was gathered and reduced since the last pass
  Tensor usage_;                      ///< of the last pass, if it was not read yet: see share_usage
  std::unique_ptr<Event> usage_is_there_;
  std::vector<std::uint8_t> own_usage_, any_usage_;  ///< of the last pass that was not captured; of all ranks, if read
  std::vector<std::size_t> next_[3];                 ///< for each phase, the block that followed each block
  std::unordered_set<std::size_t> seen_;             ///< in the present chain
  std::size_t last_ = nowhere;
  Phase phase_ = Phase::forward;
  std::uint64_t structure_ = 0;  ///< of modules, when the net's parameters were looked at
  std::unique_ptr<PlacementUser> checked_;
};

}  // namespace minima::distributed::detail
