#include <minima/nn/module/parameter.h>

#include <minima/tensor/tensor.h>

namespace minima::nn {

namespace {

Tensor leaf(const Tensor& data, bool requires_grad) {
  if (!data.defined()) return data;
  if (data.is_leaf() && data.requires_grad() == requires_grad) return data;
  Tensor own = data.detach();
  own.requires_grad(requires_grad);
  return own;
}

}  // namespace

Parameter::Parameter(const Tensor& data, bool requires_grad) : Tensor(leaf(data, requires_grad)) {}

}  // namespace minima::nn
