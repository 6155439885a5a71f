#pragma once

#include <minima/distributed/process_group.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/function.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minima::optim {
class Accumulation;
}

namespace minima::distributed {

namespace detail {
class Sharder;
}

struct ShardingOptions {
  /// Decides what ranks share, as in ZeRO (Rajbhandari et al., arXiv:1910.02054): 1 the optimizer's state; 2 gradients,
  /// too; 3 weights, too. All sum gradients by reduce-scatter; 1 and 2 keep whole weights, 1 a whole gradient.
  int stage = 3;
  std::optional<DType> compute = {};  ///< of the weights in forward and backward; by default the parameters' own
  std::optional<DType> reduce = {};   ///< in which gradients are summed over ranks; by default that of `compute`
  Reduce combine = Reduce::mean;      ///< `sum` for losses that are sums, or divided by the tokens of all ranks
  bool reshard_after_forward = true;  ///< stage 3: false keeps weights from forward to backward, which saves a gather
  bool prefetch = true;               ///< gather the block that came next the last time while this one computes
  /// On GPUs: keep shards, their gradients and so the optimizer's state in pinned host memory. Gradients are copied
  /// down while backward goes on, the step runs on the CPU, and weights are copied up when they are gathered. Without a
  /// GPU it changes nothing.
  bool offload = false;
  bool broadcast_buffers = true;  ///< broadcast rank 0's buffers in every forward in training mode
  /// Groups of ranks that hold the same shards (a mesh of replicas × shards): reduced gradients are reduced over it,
  /// too.
  ProcessGroup replicas = {};
};

/// This rank's part of a parameter: elements `offset` to `offset + local.numel()` of its row-major order.
struct ShardedTensor {
  std::string name;
  Shape shape;  ///< of the whole parameter
  std::int64_t offset = 0;
  Tensor local;  ///< [count]; shares the shard's memory
};

/// A module whose parameters are shared by the ranks of a group; see shard(). Keep it as long as the module is used.
class MINIMA_API Sharding {
 public:
  Sharding(Sharding&&) noexcept;
  Sharding& operator=(Sharding&&) noexcept;
  ~Sharding();

  /// While it exists, backward() keeps gradients of whole blocks locally, without communication: for all but the last
  /// part of a step with gradient accumulation. That takes the memory of all gradients. Until a pass without it, the
  /// shards' gradients are placeholders, and optimizers and clipping throw ValueError.
  class MINIMA_API NoSync {
   public:
    explicit NoSync(const Sharding& sharding);
    ~NoSync();
    NoSync(const NoSync&) = delete;

   private:
    detail::Sharder& sharder_;
  };
  [[nodiscard]] NoSync no_sync() const;

  /// While it exists, all weights are whole on every rank: for functions other than forward, such as `generate`, and
  /// for reading weights through the module's members. All ranks make it together; within its life one rank may compute
  /// alone as long as no shard changes. What is written to whole weights is lost.
  class MINIMA_API Whole {
   public:
    explicit Whole(const Sharding& sharding);
    ~Whole();
    Whole(const Whole&) = delete;

   private:
    detail::Sharder& sharder_;
  };
  [[nodiscard]] Whole gather() const;

  /// For losses that are sums over different numbers of targets (TokenLoss): from now on backward() leaves the sum of
  /// the ranks' gradients, as with Reduce::sum, and the accumulation adds up counts and losses over the ranks before it
  /// divides. Call it on all ranks before the first backward.
  void sum_over_ranks(optim::Accumulation& accumulation) const;

  /// Calls f(i) in backward() as soon as the gradients of block i, in the order of blocks(), are those of all ranks. An
  /// optimizer for each block may then step, while backward continues; with offloaded shards on the CPU, which gets the
  /// gradients of a block while the GPU computes the next one's:
  ///
  ///     const std::vector<std::vector<Tensor>> shards = sharding.shards();
  ///     std::map<std::size_t, optim::AdamW> optimizers;
  ///     for (std::size_t i = 0; i < shards.size(); ++i)
  ///       if (!shards[i].empty()) optimizers.try_emplace(i, shards[i], options);   // all may be in blocks
  ///     sharding.on_reduced([&](std::size_t i) {
  ///       optimizers.at(i).step();
  ///       optimizers.at(i).zero_grad();
  ///     });
  ///
  /// Nothing may depend on all gradients: clipping by their norm, a loss scale, a step that is skipped. f must not
  /// communicate, as Muon, Lamb and Adafactor do. It is called for what is in no block, and for blocks that only other
  /// ranks have used, at the end of backward. Passes under no_sync() call nothing. An empty function ends it.
  void on_reduced(Function<void(std::size_t block)> f) const;
  /// This rank's shards by block, in the order of blocks().
  std::vector<std::vector<Tensor>> shards() const;

  /// This rank's part of every parameter, for checkpoints in parts. The order is that of net.named_parameters().
  std::vector<ShardedTensor> state() const;
  /// Whole parameters by name, on the CPU, as net.state_dict() of one process has them, without buffers. All ranks call
  /// it; the tensors are on every rank.
  State gather_state() const;
  /// Takes this rank's parts of whole parameters. Throws ValueError for a name or shape that does not fit; nothing has
  /// changed then. Names that are no parameters of the module are ignored.
  void load_state(const State& state) const;

  /// A block and what it exchanges.
  struct BlockInfo {
    std::string name;                     ///< empty for what is in no block
    std::int64_t elements = 0;            ///< gathered, padding included
    std::vector<std::string> parameters;  ///< in the order of memory
    std::int64_t gathers = 0;             ///< so far
  };
  std::vector<BlockInfo> blocks() const;
  const ProcessGroup& group() const;

 private:
  friend MINIMA_API Sharding shard(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks,
                                   const ProcessGroup& group, const ShardingOptions& options);
  explicit Sharding(std::unique_ptr<detail::Sharder> sharder);
  std::unique_ptr<detail::Sharder> sharder_;
};

/// Shares the parameters of `net` among the ranks of `group`, as fully sharded data parallelism. Each rank computes its
/// share of the batch with whole weights, which it gathers block by block:
///
///     distributed::Sharding sharding = distributed::shard(net, distributed::children_of(net.layers), group);
///     optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});     // shards
///     …
///     loss_of(net(x)).backward();
///     optimizer.step();
///
/// From then on net.parameters(), named_parameters() and state_dict() list this rank's shards, one-dimensional; make
/// the optimizer and averages afterwards. Their steps throw ValueError for parameters that were listed before, a call
/// of the net for parameters that it got afterwards, for hooks on shards, and once the Sharding is gone. A block is a
/// module that is gathered as a whole when it is called, released behind its forward, and gathered again for its
/// backward; its gradients are reduce-scattered into those of the shards. Parameters that are in no block are gathered
/// when the net is called, and stay until its backward ends. Rank 0's values count.
///
/// Element-wise optimizers, gradient clipping by norm, loss scaling, autocast, checkpointing, frozen and shared
/// parameters, several calls per step and net.to work as in one process; all ranks must do the same. They may use other
/// parameters in a step: a shard has a gradient if any rank has used its parameter, and a rank that has not contributes
/// zeros. All ranks must call the same blocks in stage 3, but not in stages 1 and 2. Norms and infinities are those of
/// all ranks. Muon joins each matrix on one rank, in the dtype of its products, and returns the direction; matrices are
/// divided among ranks by the FLOPs of their iterations. LAMB and Adafactor add up norms and means over ranks. LBFGS
/// refuses shards.
///
/// Between their uses, weights of stage 3 that the module's members refer to read as NaN, and those of stages 1 and 2
/// are out of date behind the optimizer's step. Use a parameter in the forward of its block, or of a net without
/// blocks.
///
/// Throws ValueError, on every rank, if ranks differ in parameters, blocks or options; for a block that is no part of
/// the net or named twice, and for a net that is sharded already.
[[nodiscard]] MINIMA_API Sharding shard(const nn::ModuleBase& net, const std::vector<nn::ModuleBase*>& blocks,
                                        const ProcessGroup& group, const ShardingOptions& options = {});

/// The direct children of a module, as blocks: those of a Sequential or of a net whose layers are a list.
MINIMA_API std::vector<nn::ModuleBase*> children_of(const nn::ModuleBase& module);
/// The modules in a list, as blocks.
template <class List>
requires requires(List& list) { static_cast<nn::ModuleBase&>(*list.begin()); }
std::vector<nn::ModuleBase*> modules_of(List& list) {
  std::vector<nn::ModuleBase*> blocks;
  for (nn::ModuleBase& module : list) blocks.push_back(&module);
  return blocks;
}

}  // namespace minima::distributed
