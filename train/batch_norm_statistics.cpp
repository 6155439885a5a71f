#include <minima/train/batch_norm_statistics.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

template <class F>
void for_batch_norms(const nn::ModuleBase& net, const F& f) {
  net.for_each([&](nn::ModuleBase& module) {
    if (auto* norm = module.as<nn::BatchNorm>()) f(*norm);
  });
}

}  // namespace

void prepare_batch_norms(const nn::ModuleBase& net, std::int64_t count) {
  const NoGrad guard;
  for_batch_norms(net, [&](nn::BatchNorm& norm) {
    if (count > 0) {
      norm.options.momentum = 1 / static_cast<double>(count);
      return;
    }
    if (!norm.running_mean.defined()) return;
    zero_(norm.running_mean);
    fill_(norm.running_var, 1);
    if (norm.num_batches_tracked.defined()) zero_(norm.num_batches_tracked);
  });
}

std::vector<double> batch_norm_momenta(const nn::ModuleBase& net) {
  std::vector<double> momenta;
  for_batch_norms(net, [&](nn::BatchNorm& norm) { momenta.push_back(norm.options.momentum); });
  return momenta;
}

void set_batch_norm_momenta(const nn::ModuleBase& net, const std::vector<double>& momenta) {
  std::size_t i = 0;
  for_batch_norms(net, [&](nn::BatchNorm& norm) { norm.options.momentum = momenta[i++]; });
}

}  // namespace minima::detail
