#include <minima/nn/containers/checkpoint_sequential.h>

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/any_module.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <vector>

namespace minima::nn {

Tensor checkpoint_sequential(const Sequential& net, std::int64_t segments, const Tensor& x,
                             const CheckpointOptions& options) {
  const auto count = static_cast<std::int64_t>(net.size());
  if (segments < 1 || segments > count)
    throw ValueError(
        str("checkpoint_sequential: segments must be from 1 to ", count, " (the number of modules), not ", segments));
  Tensor y = x;
  for (std::int64_t segment = 0; segment < segments; ++segment) {
    const std::vector<AnyModule> modules(net.begin() + segment * count / segments,
                                         net.begin() + (segment + 1) * count / segments);
    const auto run = [modules](const Tensor& input) {
      Tensor h = input;
      for (const AnyModule& module : modules) h = module(h);
      return h;
    };
    y = segment + 1 < segments ? checkpoint(options, run, y) : run(y);
  }
  return y;
}

}  // namespace minima::nn
