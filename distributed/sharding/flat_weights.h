#pragma once

#include <minima/autograd/hooks.h>
#include <minima/autograd/restorable.h>
#include <minima/distributed/process_group.h>
#include <minima/tensor/device/stream.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The weights of a block that are gathered together. Internal.

namespace minima::distributed::detail {

/// How weights are sharded.
struct ShardingPlan {
  ProcessGroup group;
  ProcessGroup replicas;         ///< undefined if each shard exists once
  bool keeps_weights = false;    ///< stages 1 and 2
  bool keeps_gradients = false;  ///< stage 1
  std::optional<DType> compute, reduce;
  Reduce combine = Reduce::mean;
  std::optional<Stream> copies = {};  ///< between the GPU and shards in pinned memory; none if shards are on the device
};

/// Parameters of one block and dtype, all trained or all frozen. One after the other, each at a multiple of 16
/// elements, they make a flat tensor, of which each rank owns a chunk: equal chunks, padded at the end. A parameter's
/// shard is what the chunk has of it, in one dimension; it may be empty.
///
///     gathered   | weight ......... | bias | pad |        of the compute dtype; exists while the block is used
///     chunk      |  rank 0  |  rank 1  |  rank 2  |       of the parameters' dtype; this rank's exists always
class FlatWeights final : public Counted, public minima::detail::Restorable {
 public:
  /// Gathers the block of these weights during a backward pass; set by the sharder, empty once that is gone.
  using Restore = Function<void()>;

  struct Member {
    std::string name;
    Tensor full;   ///< the module's parameter
    Tensor shard;  ///< what the optimizer sees
    Shape shape;
    std::int64_t offset = 0;  ///< in the gathered tensor
    std::int64_t begin = 0;   ///< of the shard, in the parameter's elements
    std::int64_t count = 0;   ///< the shard's elements
    bool is_trained = false;  ///< whether it required a gradient when it was last looked at
    bool is_ready = false;    ///< its gradient has arrived in this pass
    bool is_pending = false;  ///< a gradient of earlier passes waits for its reduction
    bool is_used = false;     ///< what was reduced last has a gradient of this rank in it
    bool is_arrived = false;  ///< and of other ranks, if they used it: accept_gradients decides
    Tensor marker;            ///< the shard's gradient meanwhile, by which zero_grad is noticed
    std::uint64_t marker_version = 0;
    HookHandle hook;
    bool is_hooked = false;
  };

  FlatWeights(const ShardingPlan& plan, std::vector<Member> members);
  ~FlatWeights() override;

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  /// Elements of all ranks, padding included.
  std::int64_t size() const { return chunk_ * plan_.group.size(); }
  bool is_trained() const;
  /// Returns the first element that a rank has of a member, and how many.
  std::pair<std::int64_t, std::int64_t> range_of(const Member& member, int rank) const;

  // --- weights ---
  bool is_gathered() const { return gathered_ && !gathering_; }
  bool is_gathering() const { return bool(gathering_); }
  /// Which values it was gathered from.
  std::uint64_t epoch() const { return epoch_; }
  void start_gather(std::uint64_t epoch);
  /// The weights kept are those of this epoch.
  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }
  void finish_gather();
  /// Forgets a gather that was started and not waited for, by a step that is over.
  void forget_gather();
  /// Frees the gathered weights, unless the stage keeps them; they read as NaN.
  void free_weights();
  /// The shards' version counters together: rises with every change in place.
  std::uint64_t versions() const;
  /// Follows changes of the shards' data by set_data, as in net.to, and of requires_grad, of the shard or of the
  /// module's own parameter. Returns whether another parameter is trained now.
  bool follow_shards();
  void set_restore(Restore restore) { restore_ = std::move(restore); }
  PackedTensor* pack_restorable(const Tensor& tensor) override;
  /// Throws AutogradError if the shards have changed since it was packed.
  Tensor restored(const Layout& layout, std::uint64_t versions);

  // --- gradients ---
  /// Makes the bucket whose slices are the parameters' gradients.
  void prepare_gradients();
  /// Drops gradients that were not reduced yet if the optimizer has cleared the shards'.
  void notice_zero_grad();
  /// Notes a gradient that is to wait for the reduction of a later pass.
  void postpone();
  /// Whether a gradient has arrived in this pass.
  bool has_gradients() const;
  /// Whether gradients of earlier passes wait for their reduction.
  bool has_postponed() const;
  /// Whether the passes that run have a gradient to bring yet. They have none for parameters that this rank does not
  /// use.
  bool awaits_gradients() const;
  void start_reduce();
  void finish_reduce();
  /// Hands reduced gradients to the shards: at the end of the pass if they have to come from a GPU.
  void deliver();
  bool is_reducing() const { return bool(reducing_); }
  void set_combine(Reduce combine) { plan_.combine = combine; }
  /// Whether the shards have all gradients that this pass brings them, unless other ranks alone have used a parameter.
  bool is_complete() const;
  void begin_pass() { is_sent_ = false; }
  /// Whether its reduction has begun in this pass.
  bool is_sent() const { return is_sent_; }
  /// Gives shards the gradients of parameters that other ranks alone have used. `used` tells for each member whether
  /// any rank has.
  void accept_gradients(const std::uint8_t* used);
  void drop_gradients();

  /// This rank's chunk.
  const Tensor& chunk() const { return local_; }

 private:
  DType compute_dtype() const;
  bool is_offloaded() const { return plan_.copies.has_value(); }
  /// This rank's chunk in the compute dtype, on the device.
  Tensor chunk_to_send();
  void finish_upload();
  void allocate_gradients();
  /// Leaves the memory of gradients that have been cleared, but of which the program keeps some, to the program.
  void leave_kept_gradients();
  void fetch();
  void allocate_chunk(DType dtype, Device device);
  void drop_bucket();
  Tensor view(const Tensor& flat, const Member& member) const;
  /// The part of a chunk that is the member's shard, with a version counter of its own.
  Tensor part(const Tensor& chunk, const Member& member) const;

  ShardingPlan plan_;
  std::vector<Member> members_;
  Restore restore_;
  std::int64_t chunk_ = 0, used_ = 0;  ///< elements of a rank; of the parameters with their alignment
  Tensor local_;                       ///< this rank's chunk; a slice of the weights if the stage keeps them
  Tensor full_;                        ///< gathered, or being gathered
  Tensor sent_;                        ///< the chunk in the compute dtype, while gathering
  Tensor poison_;                      ///< a NaN, in place of weights that are not gathered
  bool gathered_ = false, is_sent_ = false;
  std::uint64_t epoch_ = 0;
  std::uint64_t gathered_versions_ = 0;  ///< of the shards, when kept weights were gathered
  bool is_changed_ = false;              ///< since then, by what is being gathered
  Work gathering_, reducing_;
  Device device_;  ///< of the gathered weights
  /// The chunk has been copied to the device, and what was reduced to the host. The optimizer must not change the one,
  /// nor read the other, before.
  Event uploaded_, fetched_;
  bool is_uploading_ = false, is_delivered_ = true;
  bool is_direct_ = false;  ///< what is reduced becomes the shards' gradients without another copy
  Tensor bucket_, local_gradients_;
  Tensor to_send_, received_;
};

}  // namespace minima::distributed::detail
