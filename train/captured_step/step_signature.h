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

/// The seed, and the addresses, dtypes and flags of everything watched.
using WatchedState = std::vector<std::uint64_t>;

/// Gradients from before a capture, restored if it fails: the recorded ones were never computed.
class SavedGradients {
 public:
  void add(const Tensor& parameter);
  void restore() const;

 private:
  struct Saved {
    Tensor parameter, grad;
    bool stale;
  };
  std::vector<Saved> saved_;
};

class Watched {
 public:
  /// Watches the tensors that `list` returns, and the flags that `switches` appends, such as a module's mode.
  void add(Function<std::vector<Tensor>()> list, Function<void(WatchedState&)> switches) {
    lists_.push_back(std::move(list));
    switches_.push_back(std::move(switches));
  }
  void add(optim::Optimizer& optimizer) { optimizers_.push_back(&optimizer); }

  WatchedState state() const;
  SavedGradients gradients() const;
  void upload_learning_rates() const;
  /// Records that a replay changed parameters, buffers and gradients.
  void bump_versions() const;
  /// The device of the watched parameters; none if nothing is watched.
  std::optional<Device> device() const;

 private:
  std::vector<Tensor> tensors() const;

  std::vector<Function<std::vector<Tensor>()>> lists_;
  std::vector<Function<void(WatchedState&)>> switches_;
  std::vector<optim::Optimizer*> optimizers_;
};

}  // namespace minima::train
