#include <minima/nn/layers/bilinear.h>

#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/tensor/tensor.h>

#include <cmath>

namespace minima::nn {

namespace {

const BilinearOptions& checked_bilinear(const BilinearOptions& options) {
  detail::expect_at_least("Bilinear", "in1", 1, options.in1);
  detail::expect_at_least("Bilinear", "in2", 1, options.in2);
  detail::expect_at_least("Bilinear", "out", 1, options.out);
  return options;
}

}  // namespace

Bilinear::Bilinear(const BilinearOptions& given)
    : options(checked_bilinear(given)),
      weight(parameter("weight", empty({options.out, options.in1, options.in2}))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  reset_parameters();
}

void Bilinear::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(options.in1));
  init::uniform_(weight, -bound, bound);
  if (bias.defined()) init::uniform_(bias, -bound, bound);
}

}  // namespace minima::nn
