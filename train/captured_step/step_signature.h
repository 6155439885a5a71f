#pragma once

#include <minima/optim/optimizer.h>
#include <minima/tensor/base/function.h>

#include <optional>
#include <unordered_set>
#include <vector>

// Describes what a captured step depends on, apart from the values of its inputs. Internal to train.

namespace minima::train {

/// The properties of an input that a graph is specialised for.
struct InputSignature {
  Shape shape;
  DType dtype;
  friend bool operator==(const InputSignature& a, const InputSignature& b) {
    return a.shape == b.shape && a.dtype == b.dtype;
  }
};
std::vector<InputSignature> signature_of(const std::vector<Tensor>& inputs);

/// The seed, and the addresses, dtypes and flags of everything watched.
using WatchedState = std::vector<std::uint64_t>;

/// Gradients of parameters at the addresses that a graph reads or writes.
class GradientPlaces {
 public:
  /// Adds the present one; a parameter may have none.
  void add(const Tensor& parameter);
  /// Adds that a parameter has none.
  void add_none(const Tensor& parameter) { places_.push_back({parameter, {}}); }
  bool has(const Tensor& parameter) const;
  /// Whether all are the gradients of their parameters, and parameters that had none have none.
  bool are_current() const;
  /// Makes them the gradients, as a replay has.
  void make_current() const;

 private:
  struct Place {
    Tensor parameter;
    Tensor gradient;  ///< undefined if there is none
  };
  std::vector<Place> places_;
};

/// Remembers which gradients parameters had before a step, and finds out what that did with them. Holds none that the
/// step clears, which may then use their memory, and need not copy new ones into it.
class SavedGradients {
 public:
  void add(const Tensor& parameter);
  /// After a capture that fails: drops those that it replaced, since they were never computed. The others are as they
  /// were.
  void restore() const;
  /// Adds the parameters whose gradients the step has read, or added to, before it cleared them.
  void add_used(std::unordered_set<const TensorImpl*>& parameters) const;
  /// The gradients of before that the step has used. `held` are those that it could not free; none if it has freed
  /// another one.
  std::optional<GradientPlaces> used(const GradientPlaces& held) const;
  /// The gradients that the step leaves to parameters whose gradients it has accessed.
  GradientPlaces left() const;

 private:
  struct Saved {
    Tensor parameter;
    const void* memory;  ///< of the gradient; a capture's own is never there
    bool stale;
  };
  std::vector<Saved> saved_;
};

class Watched {
 public:
  /// Appends tensors to watch, and flags such as a module's mode.
  using List = Function<void(std::vector<const Tensor*>& tensors, WatchedState& switches)>;
  void add(List list);
  void add(optim::Optimizer& optimizer);

  /// Looks at everything watched; the other functions speak of what it saw. Modules are only walked again after one of
  /// them may have changed; else what was found in them is compared, place by place, before every replay.
  void look();
  /// Differs after a look that saw another state than the one before.
  std::uint64_t revision() const { return revision_; }
  /// Called before a step runs, and after it.
  SavedGradients gradients() const;
  void learn(const SavedGradients& gradients) { gradients.add_used(uses_); }
  /// The gradients that the step will use, going by its runs so far.
  GradientPlaces used_gradients() const;
  /// Records that a replay changed parameters, buffers and gradients.
  void bump_versions() const;
  /// The device of the watched parameters; none if nothing is watched.
  std::optional<Device> device() const;
  void upload_learning_rates() const;

 private:
  /// A tensor that replays change, as it was.
  struct Changing {
    Tensor tensor;
    std::uint64_t address, kind;
  };
  WatchedState settings() const;
  bool is_as_listed() const;
  void list();

  std::vector<List> lists_;
  std::vector<optim::Optimizer*> optimizers_;
  bool is_listed_ = false;
  std::uint64_t structure_ = 0;         ///< version of the modules' structure; `members_` are valid while it stays
  WatchedState settings_;               ///< the seed and the optimizers' momenta
  std::vector<const Tensor*> members_;  ///< parameters and buffers of modules
  std::vector<Tensor> found_;       ///< what they and the optimizers' slots were; held, so that no other has its place
  std::vector<Changing> changing_;  ///< members and optimized parameters, each once
  std::unordered_set<const TensorImpl*> uses_;  ///< parameters whose gradients the step uses before it clears them
  WatchedState state_;
  std::uint64_t revision_ = 0;
};

}  // namespace minima::train
