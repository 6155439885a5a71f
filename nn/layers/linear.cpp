#include <minima/nn/layers/linear.h>

#include <minima/nn/init/default_init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/product/linear.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

namespace {

const LinearOptions& checked(const LinearOptions& options) {
  detail::expect_at_least("Linear", "in", 1, options.in);
  detail::expect_at_least("Linear", "out", 1, options.out);
  return options;
}

}  // namespace

Linear::Linear(const LinearOptions& given)
    : options(checked(given)),
      weight(parameter("weight", empty({options.out, options.in}))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  reset_parameters();
}

void Linear::reset_parameters() { detail::default_init_(weight, bias); }

Tensor Linear::forward(const Tensor& x) { return linear(x, weight, bias, options.activation); }

}  // namespace minima::nn
