#pragma once

#include <minima/autograd/mode.h>
#include <minima/nn/module/module_base.h>

#include <cstdint>
#include <vector>

namespace minima {

namespace nn {
class BatchNorm;
}

namespace detail {
/// Puts all modules in training mode and resets the statistics of the batch norms inside; the destructor restores the
/// modes and momenta.
class MINIMA_API BatchNormPass {
 public:
  explicit BatchNormPass(nn::ModuleBase& net);
  ~BatchNormPass();
  BatchNormPass(const BatchNormPass&) = delete;
  BatchNormPass& operator=(const BatchNormPass&) = delete;
  /// Weights the n-th batch by 1/n.
  void next_batch();

 private:
  struct Mode {
    nn::ModuleBase* module;
    bool was_training;
  };
  struct Momentum {
    nn::BatchNorm* norm;
    double value;
  };
  std::vector<Mode> modes_;
  std::vector<Momentum> momenta_;
  std::int64_t count_ = 0;
};
}  // namespace detail

/// Recomputes the running statistics of all batch norms as means over `batches`, as averaged weights require
/// (torch.optim.swa_utils.update_bn):
///
///     update_batch_norm(net, loader, [&](auto& batch) { net(batch.x); });
///
/// Every module is in the mode it was in afterwards, also if `forward` throws; the statistics are then those of the
/// batches before.
template <class Batches, class Forward>
void update_batch_norm(nn::ModuleBase& net, Batches&& batches, Forward&& forward) {
  const NoGrad guard;
  detail::BatchNormPass pass(net);
  for (auto&& batch : batches) {
    pass.next_batch();
    forward(batch);
  }
}

}  // namespace minima
