#pragma once

#include <minima/autograd/mode.h>
#include <minima/nn/module/module_base.h>

#include <cstdint>

namespace minima {

namespace detail {
/// Sets all batch norms inside to forget (count 0), or to give the next batch a share of 1/count.
MINIMA_API void prepare_batch_norms(const nn::ModuleBase& net, std::int64_t count);
/// Their momenta, to be put back.
MINIMA_API std::vector<double> batch_norm_momenta(const nn::ModuleBase& net);
MINIMA_API void set_batch_norm_momenta(const nn::ModuleBase& net, const std::vector<double>& momenta);
}  // namespace detail

/// Computes the running statistics of all batch norms anew, as plain means over `batches`, which weights that were
/// averaged need (torch.optim.swa_utils.update_bn): `update_batch_norm(net, loader, [&](auto& batch) { net(batch.x);
/// })`.
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
