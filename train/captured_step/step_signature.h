#pragma once

#include <minima/optim/optimizer.h>
#include <minima/tensor/base/function.h>

#include <optional>
#include <vector>

// What a captured step depends on besides its inputs' values. Internal to train.

namespace minima::train {

/// What must stay the same for a graph to be right for an input.
struct InputSignature {
  Shape shape;
  DType dtype;
  friend bool operator==(const InputSignature& a, const InputSignature& b) {
    return a.shape == b.shape && a.dtype == b.dtype;
  }
};
std::vector<InputSignature> signature_of(const std::vector<Tensor>& inputs);

/// Addresses, dtypes and switches of everything that is watched, and the seed.
using WatchedState = std::vector<std::uint64_t>;

/// Gradients as they were before a capture that failed: what it wrote down was never computed.
class SavedGradients {
 public:
  void add(const Tensor& parameter);
  void restore() const;

 private:
  struct Entry {
    Tensor parameter, grad;
    bool stale;
  };
  std::vector<Entry> entries_;
};

class Watched {
 public:
  /// What lists tensors, and what appends switches such as a module's mode.
  void add(Function<std::vector<Tensor>()> list, Function<void(WatchedState&)> switches) {
    lists_.push_back(std::move(list));
    switches_.push_back(std::move(switches));
  }
  void add(optim::Optimizer& optimizer) { optimizers_.push_back(&optimizer); }

  WatchedState state() const;
  SavedGradients gradients() const;
  void upload_learning_rates() const;
  /// A replay changed parameters, buffers and gradients without anybody's notice.
  void bump_versions() const;
  /// Where the watched parameters are; none if nothing is watched.
  std::optional<Device> device() const;

 private:
  std::vector<Tensor> tensors() const;

  std::vector<Function<std::vector<Tensor>()>> lists_;
  std::vector<Function<void(WatchedState&)>> switches_;
  std::vector<optim::Optimizer*> optimizers_;
};

}  // namespace minima::train
