#pragma once

// What is behind checkpoint(). Internal.

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/checkpoint/kept_outputs.h>
#include <minima/tensor/random/random_tape.h>

#include <mutex>
#include <optional>

namespace minima {

namespace detail {

class Holder;

/// One checkpointed call: its function, its inputs, and who waits for what was not saved. Counted: the nodes of the
/// call own it through their holders, and it knows them weakly. Passes of several threads may come to it at once: one
/// of them recomputes, the others wait for what it fills in.
class MINIMA_API Region : public Counted {
 public:
  using Recompute = Function<void(const std::vector<Tensor>& inputs)>;

  Region(const CheckpointOptions& options, const std::vector<Tensor>& inputs, Recompute recompute);

  /// From now on what the call saves stays, as without a checkpoint, until `evict`.
  void keep_all() { keeps_ = true; }
  /// Lets go of what can be computed again, and keeps nothing from now on. Not while that is being done: false then.
  bool evict();
  bool is_recomputing() const { return running_; }

  /// f(tensor) for everything that is kept now: saved tensors; outputs that the policy chose.
  template <class F>
  void for_each_saved(F&& f) const;
  const KeptOutputs& outputs() const { return outputs_; }
  KeptOutputs& outputs() { return outputs_; }

  /// For those that plan memory: called when a recomputation begins, when the gradient first uses a saved tensor, and
  /// when the region goes.
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

  mutable std::recursive_mutex lock_;  ///< a recomputation may come to the region itself, which is an error
  const CheckpointOptions options_;
  Recompute function_;
  std::vector<Input> inputs_;
  std::vector<Holder*> holders_;  ///< null where the node is gone
  KeptOutputs outputs_;
  RandomTape random_;
  std::optional<AutocastState> autocast_;
  bool caches_casts_ = false;
  bool anomaly_ = false;
  bool keeps_ = false;
  bool in_forward_ = false;  ///< the first call has not returned: a backward inside of it may be running
  bool running_ = false;
  std::size_t next_ = 0, last_needed_ = 0;  ///< of the recomputation
};

/// Stands for a tensor that a node of a region saved.
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

/// Owns a region for as long as its first call takes.
class MINIMA_API RegionPtr : public Ref<Region> {
 public:
  RegionPtr() = default;
  RegionPtr(const CheckpointOptions& options, const std::vector<Tensor>& inputs, Region::Recompute recompute)
      : Ref(new Region(options, inputs, std::move(recompute))) {}
  explicit RegionPtr(Region& region) : Ref(&region) { region.retain(); }
};

/// While it lives, what this thread records belongs to the region.
class MINIMA_API RegionForward final : SavedTensorHooks {
 public:
  explicit RegionForward(Region& region);
  ~RegionForward();

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
