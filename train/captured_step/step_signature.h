#pragma once

#include <minima/optim/optimizer.h>
#include <minima/tensor/base/function.h>

#include <optional>
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

/// Remembers which gradients parameters had before a capture. After one that fails, those that it replaced are dropped,
/// since they were never computed, and the others are as they were. Holds no gradient, so that a step which frees them
/// may use their memory, and need not copy new ones into it.
class SavedGradients {
 public:
  void add(const Tensor& parameter);
  void restore() const;

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
  SavedGradients gradients() const;
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
  WatchedState state_;
  std::uint64_t revision_ = 0;
};

}  // namespace minima::train
