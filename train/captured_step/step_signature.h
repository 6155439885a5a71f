#pragma once

#include <minima/optim/optimizer.h>
#include <minima/tensor/base/function.h>

#include <optional>
#include <vector>

// What a captured step depends on, apart from the values of its inputs. Internal to train.

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

/// The seed, and the addresses, dtypes and flags of everything watched. A replay compares it with the graph's, so
/// filling it takes a few microseconds for hundreds of tensors.
using WatchedState = std::vector<std::uint64_t>;

/// Which gradients parameters had before a capture. After one that fails, those that it replaced are dropped, since
/// they were never computed, and the others are as they were. Holds no gradient, so that a step which frees them may
/// use their memory, and need not copy new ones into it.
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
  void add(List list) { lists_.push_back(std::move(list)); }
  void add(optim::Optimizer& optimizer) { optimizers_.push_back(&optimizer); }

  /// Looks at everything watched; the other functions speak of what it saw.
  void look();
  const WatchedState& state() const { return state_; }
  SavedGradients gradients() const;
  /// Records that a replay changed parameters, buffers and gradients.
  void bump_versions() const;
  /// The device of the watched parameters; none if nothing is watched.
  std::optional<Device> device() const;
  void upload_learning_rates() const;

 private:
  std::vector<List> lists_;
  std::vector<optim::Optimizer*> optimizers_;
  std::vector<const Tensor*> tensors_;  ///< members of modules and optimizers
  WatchedState state_;
};

}  // namespace minima::train
