#pragma once

#include <minima/autograd/mode.h>
#include <minima/nn/module/module_base.h>

#include <cstdint>

namespace minima {

namespace detail {
/// Resets the statistics of all batch norms inside (count 0), or weights the next batch by 1/count.
MINIMA_API void prepare_batch_norms(const nn::ModuleBase& net, std::int64_t count);
/// Reads and restores their momenta.
MINIMA_API std::vector<double> batch_norm_momenta(const nn::ModuleBase& net);
MINIMA_API void set_batch_norm_momenta(const nn::ModuleBase& net, const std::vector<double>& momenta);
}  // namespace detail

/// Recomputes the running statistics of all batch norms as means over `batches`, as averaged weights require
/// (torch.optim.swa_utils.update_bn):
///
///     update_batch_norm(net, loader, [&](auto& batch) { net(batch.x); });
template <class Batches, class Forward>
void update_batch_norm(nn::ModuleBase& net, Batches&& batches, Forward&& forward) {
  const NoGrad guard;
  const bool was_training = net.is_training();
  const std::vector<double> momenta = detail::batch_norm_momenta(net);
  detail::prepare_batch_norms(net, 0);
  net.train();
  std::int64_t count = 0;
  for (auto&& batch : batches) {
    detail::prepare_batch_norms(net, ++count);
    forward(batch);
  }
  detail::set_batch_norm_momenta(net, momenta);
  net.train(was_training);
}

}  // namespace minima
