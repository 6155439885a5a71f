#pragma once

// The implementation of checkpoint(). Internal.

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/checkpoint/kept_outputs.h>
#include <minima/tensor/random/random_tape.h>

#include <mutex>
#include <optional>

namespace minima {

namespace detail {

class Holder;

/// One checkpointed call: its function, its inputs, and the holders of tensors that were not saved. Reference-counted:
/// the call's nodes own it through their holders, and it holds weak references to them. If passes of several threads
/// reach it at once, one recomputes and the others wait.
class MINIMA_API Region : public Counted {
 public:
  using Recompute = Function<void(const std::vector<Tensor>& inputs)>;

  Region(const CheckpointOptions& options, const std::vector<Tensor>& inputs, Recompute recompute);

  /// From now on the call keeps what it saves, as without a checkpoint, until `evict`.
  void keep_all() { keeps_ = true; }
  /// Frees what can be recomputed and keeps nothing from now on. Returns false while a recomputation is running.
  bool evict();
  bool is_recomputing() const { return running_; }

  /// f(tensor) for everything kept at present: saved tensors and outputs chosen by the policy.
  template <class F>
  void for_each_saved(F&& f) const;
  const KeptOutputs& outputs() const { return outputs_; }
  KeptOutputs& outputs() { return outputs_; }

  /// For memory planning: called when a recomputation begins, when backward first uses a saved tensor, and when the
  /// region is destroyed.
  Function<void()> on_recompute, on_use, on_end;

 private:
  friend class Holder;
  friend class RegionForward;
  class Filling;
  struct Stop {
    const Region* region;
  };
  struct Input {
    SavedTensor saved;
    Edge edge;
  };

  ~Region() override;
  void recompute();
  void fill();
  std::vector<Tensor> unpack_inputs() const;
  PackedTensor* pack(const Tensor& tensor, const char* op, bool is_leaf);
  void refill(const Tensor& tensor, const char* op);
  void drop_values() noexcept;

  mutable std::recursive_mutex
      lock_;  ///< recursive, because a recomputation that reaches its own region is reported as an error
  const CheckpointOptions options_;
  Recompute function_;
  std::vector<Input> inputs_;
  std::vector<Holder*> holders_;  ///< null once the node is gone
  KeptOutputs outputs_;
  RandomTape random_;
  std::optional<AutocastState> autocast_;
  bool caches_casts_ = false;
  bool anomaly_ = false;
  bool keeps_ = false;
  bool in_forward_ = false;  ///< the first call has not returned yet; it may be running backward itself
  bool running_ = false;
  std::size_t next_ = 0, last_needed_ = 0;  ///< of the recomputation
};

/// Placeholder for a tensor saved by a node of a region.
class Holder final : public PackedTensor {
 public:
  Holder(Region& region, std::size_t index, const Tensor& tensor, const char* op);
  ~Holder() override;
  Tensor unpack() override;

 private:
  friend class Region;
  Region& region_;
  std::size_t index_;
  Shape shape_;
  DType dtype_;
  Device device_;
  const char* op_;
  Tensor value_;  ///< while kept, or between recomputation and use
  std::uint32_t version_ = 0;
};

/// Owns a region during its first call.
class MINIMA_API RegionPtr : public Ref<Region> {
 public:
  RegionPtr() = default;
  RegionPtr(const CheckpointOptions& options, const std::vector<Tensor>& inputs, Region::Recompute recompute)
      : Ref(new Region(options, inputs, std::move(recompute))) {}
  explicit RegionPtr(Region& region) : Ref(&region) { region.retain(); }
};

/// During its lifetime, what this thread records belongs to the region.
class MINIMA_API RegionForward final : SavedTensorHooks {
 public:
  explicit RegionForward(Region& region);
  ~RegionForward();
  /// Whether this thread is in the first call of a region.
  static bool is_running();

 private:
  PackedTensor* pack(const Tensor& tensor, const char* op, bool is_leaf) override {
    return region_.pack(tensor, op, is_leaf);
  }
  Region& region_;
  OperatorTape* outer_tape_;
  std::optional<RandomTape::Use> random_;
};

template <class F>
void Region::for_each_saved(F&& f) const {
  const std::lock_guard guard(lock_);
  for (const Holder* holder : holders_)
    if (holder && holder->value_.defined()) f(holder->value_);
}

}  // namespace detail
}  // namespace minima
