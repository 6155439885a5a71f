#include <minima/nn/init/default_init.h>

#include <minima/nn/init/init.h>
#include <minima/tensor/tensor.h>

#include <cmath>

namespace minima::nn::detail {

void default_init_(const Tensor& weight, const Tensor& bias) {
  init::kaiming_uniform_(weight, {.negative_slope = std::sqrt(5.0)});
  if (!bias.defined()) return;
  const double bound = 1 / std::sqrt(init::fans(weight).in);
  init::uniform_(bias, -bound, bound);
}

}  // namespace minima::nn::detail
